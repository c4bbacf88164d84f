// SPDX-License-Identifier: MIT
// Numeric literals and the values that constant expressions have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cpu/ptx/types.h"

namespace pycuda::cpu::ptx {

/// An integer of 64 bits or a floating-point number.
struct Number {
  Type type = Type::S64;  ///< S64, U64, F32 (a 0f literal) or F64
  std::uint64_t bits = 0;
  bool is_unsigned_literal = false;  ///< written with a U suffix

  bool is_integer() const { return type == Type::S64 || type == Type::U64; }
  /// The value as a double; exact except for large integers.
  double to_double() const;
};

Number integer_number(std::uint64_t bits, Type type = Type::S64);
Number double_number(double value);

/// Decimal, 0x, 0b and octal integers with an optional U; 0f and 0d bit patterns; decimal floats.
/// Nothing when the text is none of them or the integer does not fit in 64 bits.
std::optional<Number> parse_number(std::string_view text);

/// The bits of `number` stored as `type` in memory: integers are cut, floats rounded to nearest.
/// Nothing when a float meets an integer type, or the type holds no numbers.
std::optional<std::uint64_t> stored_bits(const Number& number, Type type);

}  // namespace pycuda::cpu::ptx
