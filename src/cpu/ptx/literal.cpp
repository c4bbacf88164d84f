// SPDX-License-Identifier: MIT
// from_chars throughout: the process's locale must not change what a program means.
#include "cpu/ptx/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace pycuda::cpu::ptx {
namespace {

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Number> bit_pattern(std::string_view text, std::size_t length, Type type) {
  if (text.size() != length) return std::nullopt;
  const auto bits = digits(text, 16);
  if (!bits) return std::nullopt;
  return Number{type, *bits, false};
}

/// Whether a positive decimal number is: by the place of its first digit, and the exponent.
bool is_below_one(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_not_of("0.");
  long long exponent = 0;
  if (e < text.size()) {
    std::string_view number = text.substr(e + 1);
    if (number.starts_with('+')) number.remove_prefix(1);
    const auto read = std::from_chars(number.data(), number.data() + number.size(), exponent);
    // A longer exponent decides alone.
    if (read.ec != std::errc{}) return number.starts_with('-');
  }
  if (first == std::string_view::npos) return true;
  const auto places = static_cast<long long>(point) - static_cast<long long>(first);
  return places + (places < 0 ? 1 : 0) + exponent <= 0;
}

std::optional<Number> decimal_float(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone then.
    value = is_below_one(text) ? 0 : std::numeric_limits<double>::infinity();
  } else if (error != std::errc{}) {
    return std::nullopt;
  }
  return double_number(value);
}

}  // namespace

double Number::to_double() const {
  switch (type) {
    case Type::F32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Type::F64:
      return std::bit_cast<double>(bits);
    case Type::U64:
      return static_cast<double>(bits);
    default:
      return static_cast<double>(static_cast<std::int64_t>(bits));
  }
}

Number integer_number(std::uint64_t bits, Type type) { return {type, bits, false}; }

Number double_number(double value) {
  return {Type::F64, std::bit_cast<std::uint64_t>(value), false};
}

std::optional<Number> parse_number(std::string_view text) {
  int base = 10;
  if (text.size() >= 2 && text[0] == '0') {
    switch (text[1]) {
      case 'f':
      case 'F':
        return bit_pattern(text.substr(2), 8, Type::F32);
      case 'd':
      case 'D':
        return bit_pattern(text.substr(2), 16, Type::F64);
      case 'x':
      case 'X':
        base = 16;
        text.remove_prefix(2);
        break;
      case 'b':
      case 'B':
        base = 2;
        text.remove_prefix(2);
        break;
      default:
        if (text.find_first_of(".eE") == std::string_view::npos) {
          base = 8;
          text.remove_prefix(1);
        }
    }
  }
  if (base == 10 && text.find_first_of(".eE") != std::string_view::npos) {
    return decimal_float(text);
  }
  const bool suffix = !text.empty() && text.back() == 'U';
  if (suffix) text.remove_suffix(1);
  if (text.empty() && base == 8) return Number{Type::U64, 0, suffix};  // 0U
  const auto value = digits(text, base);
  if (!value) return std::nullopt;
  const bool fits = *value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return Number{suffix || !fits ? Type::U64 : Type::S64, *value, suffix};
}

std::optional<std::uint64_t> stored_bits(const Number& number, Type type) {
  const std::uint32_t width = bits_of(type);
  const bool float_type = type == Type::F32 || type == Type::F64;
  const bool integer_type = !is_float(type) && type != Type::Pred && width >= 8 && width <= 64;
  if (number.is_integer() && integer_type) {
    return width == 64 ? number.bits : number.bits & ((std::uint64_t{1} << width) - 1);
  }
  // A pattern of 32 or 64 bits may also initialise an untyped variable of that width.
  if (!float_type && !(is_untyped(type) && (width == 32 || width == 64))) return std::nullopt;
  if (width == 32) {
    if (number.type == Type::F32) return number.bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(number.to_double()));
  }
  return std::bit_cast<std::uint64_t>(number.to_double());
}

}  // namespace pycuda::cpu::ptx
