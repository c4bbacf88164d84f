// SPDX-License-Identifier: MIT
// The driver's enumerations as users know them, for errors about a number that none has.
#pragma once

#include <span>
#include <string>
#include <type_traits>
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

/// An argument of a call, if it is of such an enumeration.
struct GivenMember {
  const KnownEnumeration* enumeration = nullptr;
  long number = 0;
};

template <class Argument>
GivenMember given_member(Argument argument) {
  if constexpr (std::is_enum_v<Argument>) {
    return {known_enumeration<Argument>, static_cast<long>(argument)};
  } else {
    return {};
  }
}

/// "limit has no member of value 77: ..." where the number may be why the driver answers `code`;
/// otherwise empty.
std::string unknown_member(GivenMember given, CUresult code);
/// The same of several arguments.
std::string unknown_members(std::span<const GivenMember> given, CUresult code);

}  // namespace pycuda::driver
