// SPDX-License-Identifier: MIT
#include "array/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace pycuda::array {
namespace {

/// Rounds to nearest, ties to even.
std::uint16_t to_half(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000u);
  const double magnitude = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  if (magnitude != magnitude) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  // Adding a number whose last place is the half's last place rounds as the half does.
  const int exponent = std::max(static_cast<int>(bits >> 52 & 0x7ff) - 1023, -14);
  const double rounder =
      std::bit_cast<double>(static_cast<std::uint64_t>(exponent - 10 + 52 + 1023) << 52);
  const double rounded = magnitude + rounder - rounder;
  const std::uint64_t result = std::bit_cast<std::uint64_t>(rounded);
  const int final_exponent = static_cast<int>(result >> 52) - 1023;
  if (final_exponent < -14) {
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rounded * 16777216.0));
  }
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(final_exponent + 15) << 10 |
                                    (result >> 42 & 0x3ffu));
}

/// Rounds to nearest, ties to even.
std::uint16_t to_brain_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7fc0u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const double magnitude = exponent == 0   ? std::ldexp(fraction, -24)
                           : exponent < 31 ? std::ldexp(fraction + 1024, exponent - 25)
                           : fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : std::numeric_limits<double>::infinity();
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
std::size_t put(std::byte* destination, const T& value) {
  std::memcpy(destination, &value, sizeof value);
  return sizeof value;
}

}  // namespace

std::size_t Scalar::write(DType as, std::byte* destination) const {
  const bool integral = type == DType::Bool || is_integer(type);
  const double real = !integral ? number.real()
                      : type == DType::U64
                          ? static_cast<double>(integer)
                          : static_cast<double>(static_cast<std::int64_t>(integer));
  const std::uint64_t whole = integral ? integer
                              : real < 0
                                  ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real))
                                  : static_cast<std::uint64_t>(real);
  switch (as) {
    case DType::Bool:
      return put(destination, static_cast<std::uint8_t>(
                                  integral ? integer != 0 : number != std::complex<double>()));
    case DType::F16:
      return put(destination, to_half(real));
    case DType::F32:
      return put(destination, static_cast<float>(real));
    case DType::BF16:
      return put(destination, to_brain_float(static_cast<float>(real)));
    case DType::F64:
      return put(destination, real);
    case DType::C64:
      return put(destination,
                 std::complex<float>(static_cast<float>(real),
                                     static_cast<float>(integral ? 0 : number.imag())));
    case DType::C128:
      return put(destination, std::complex<double>(real, integral ? 0 : number.imag()));
    default:
      std::memcpy(destination, &whole, item_bytes(as));
      return item_bytes(as);
  }
}

bool Scalar::fits(DType as) const {
  if (!is_integer(type) || !is_integer(as)) return true;
  const std::size_t bits = 8 * item_bytes(as);
  const bool is_signed = kind(as) == Kind::Signed;
  if (type == DType::U64) {
    return is_signed ? integer < std::uint64_t{1} << (bits - 1)
                     : bits == 64 || integer >> bits == 0;
  }
  const auto value = static_cast<std::int64_t>(integer);
  if (!is_signed) return value >= 0 && (bits == 64 || value >> bits == 0);
  return bits == 64 ||
         (value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1));
}

void Scalar::check_fits(DType as) const {
  if (fits(as)) return;
  throw OutOfRange("Python integer " +
                   (type == DType::U64 ? std::to_string(integer)
                                       : std::to_string(static_cast<std::int64_t>(integer))) +
                   " out of bounds for " + name(as));
}

Scalar rounded(const Scalar& scalar, DType to) {
  std::uint16_t bits = 0;
  scalar.write(to, reinterpret_cast<std::byte*>(&bits));
  Scalar result;
  result.type = DType::F64;
  result.number = to == DType::F16
                      ? from_half(bits)
                      : double{std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16)};
  return result;
}

}  // namespace pycuda::array
