// SPDX-License-Identifier: MIT
// The driver's enumerations as users know them, for errors about a number that none has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "driver/cuda_types.h"

namespace pycuda::driver {

/// The name of an enumeration, and its members.
struct KnownEnumeration {
  std::string name;
  std::vector<std::pair<std::string, long>> members;
};

/// Set at start-up; null where it has not been named.
template <class Enumeration>
inline const KnownEnumeration* known_enumeration = nullptr;

/// "limit has no member 77: ..." where the number may be why the driver answers `code`; otherwise
/// empty.
std::string unknown_member(const KnownEnumeration* enumeration, long number, CUresult code);

}  // namespace pycuda::driver
