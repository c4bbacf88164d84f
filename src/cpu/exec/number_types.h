// SPDX-License-Identifier: MIT
// Types of numbers as declarations name them, and the atomic operations that CUDA has for each.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/exec/code_tokens.h"
#include "cpu/exec/place_updates.h"

namespace pycuda::cpu::exec {

struct NumberType {
  enum class Kind : std::uint8_t { Unknown, Signed, Unsigned, Floating };
  Kind kind{};
  std::uint32_t bytes = 0;  ///< 0: not known
  bool is_long = false;     ///< of `long`, for which CUDA has no atomic operations
  bool operator==(const NumberType&) const = default;
};

/// Of a declaration such as "const unsigned char *x". Unknown of types that a program
/// defines and of pointers to pointers.
NumberType number_type_of(const Tokens& declaration);

/// How one operation does the update of a number of this type: "use atomicAdd(&a[0], ...)".
std::string atomic_update(const PlaceUpdate& update, NumberType type);

}  // namespace pycuda::cpu::exec
