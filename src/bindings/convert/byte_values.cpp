// SPDX-License-Identifier: MIT
#include "bindings/convert/byte_values.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace pycuda::bindings {
namespace {

Written store(std::uint64_t bits, std::size_t bytes, void* destination) {
  // Little-endian, as every machine with a CUDA driver is.
  std::memcpy(destination, &bits, bytes);
  return Written::Yes;
}

bool is_integer_size(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

std::int64_t least(std::size_t bytes) {
  return bytes == 8 ? std::numeric_limits<std::int64_t>::min()
                    : -(std::int64_t{1} << (8 * bytes - 1));
}

// IEEE binary16, rounded to nearest even. Negative when a finite number would become infinite.
std::int32_t half_bits(double number) {
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  const auto sign = static_cast<std::int32_t>((bits >> 48) & 0x8000u);
  if (std::isnan(number)) return sign | 0x7e00;
  const double magnitude = std::fabs(number);
  if (std::isinf(magnitude)) return sign | 0x7c00;
  if (magnitude == 0.0) return sign;  // has no exponent
  if (magnitude >= 65520.0) return -1;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  const int ulp_exponent = std::max(exponent - 11, -24);
  const auto units =
      static_cast<std::int32_t>(std::nearbyint(std::ldexp(magnitude, -ulp_exponent)));
  // `units` counts steps of the binade; adding it to the exponent field carries into the next
  // binade by itself.
  const std::int32_t field = (ulp_exponent + 24) << 10;
  return sign | (field + units);
}

}  // namespace

Written write_integer(PyObject* number, std::size_t bytes, void* destination) {
  if (!is_integer_size(bytes)) return Written::WrongSize;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (value == -1 && overflow == 0 && PyErr_Occurred()) return Written::Failed;
  if (overflow == 0) {
    if (bytes < 8 && (value < least(bytes) || value >= (std::int64_t{1} << (8 * bytes)))) {
      return Written::TooLarge;
    }
    return store(static_cast<std::uint64_t>(value), bytes, destination);
  }
  if (overflow < 0 || bytes < 8) return Written::TooLarge;
  const unsigned long long large = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return Written::TooLarge;
  }
  return store(large, bytes, destination);
}

Written write_integer_as(PyObject* number, std::size_t bytes, bool is_signed, void* destination) {
  if (!is_integer_size(bytes)) return Written::WrongSize;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (value == -1 && overflow == 0 && PyErr_Occurred()) return Written::Failed;
  if (is_signed) {
    if (overflow != 0) return Written::TooLarge;
    if (bytes < 8 && (value < least(bytes) || value > -(least(bytes) + 1)))
      return Written::TooLarge;
    return store(static_cast<std::uint64_t>(value), bytes, destination);
  }
  if (overflow < 0 || (overflow == 0 && value < 0)) return Written::TooLarge;
  return write_integer(number, bytes, destination);
}

Written write_float(double number, std::size_t bytes, void* destination) {
  if (bytes == 8) {
    std::memcpy(destination, &number, sizeof number);
    return Written::Yes;
  }
  if (bytes == 4) {
    const auto single = static_cast<float>(number);
    if (std::isinf(single) && !std::isinf(number)) return Written::TooLarge;
    std::memcpy(destination, &single, sizeof single);
    return Written::Yes;
  }
  if (bytes == 2) {
    const std::int32_t half = half_bits(number);
    if (half < 0) return Written::TooLarge;
    return store(static_cast<std::uint64_t>(half), 2, destination);
  }
  return Written::WrongSize;
}

Written write_bfloat(double number, void* destination) {
  auto single = static_cast<float>(number);
  std::uint32_t bits;
  std::memcpy(&bits, &single, sizeof bits);
  if (std::isnan(number)) return store((bits >> 16) | 0x40, 2, destination);
  // What the first rounding drops must count in the second: an odd last bit stands for it.
  if (const double rounded = single; rounded != number) {
    if (std::fabs(rounded) > std::fabs(number)) --bits;
    bits |= 1;
  }
  bits += 0x7fff + (bits >> 16 & 1);
  if ((bits & 0x7fff0000) == 0x7f800000 && !std::isinf(number)) return Written::TooLarge;
  return store(bits >> 16, 2, destination);
}

double read_float(const void* source, std::size_t bytes) {
  if (bytes == 8) {
    double number;
    std::memcpy(&number, source, sizeof number);
    return number;
  }
  if (bytes == 4) {
    float number;
    std::memcpy(&number, source, sizeof number);
    return number;
  }
  std::uint16_t bits;
  std::memcpy(&bits, source, sizeof bits);
  const int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  double magnitude =
      std::ldexp(exponent == 0 ? fraction : fraction + 0x400, std::max(exponent, 1) - 25);
  if (exponent == 0x1f) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  }
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

Written write_complex(double real, double imaginary, std::size_t bytes, void* destination) {
  if (bytes != 8 && bytes != 16) return Written::WrongSize;
  const std::size_t half = bytes / 2;
  const Written first = write_float(real, half, destination);
  if (first != Written::Yes) return first;
  return write_float(imaginary, half, static_cast<char*>(destination) + half);
}

}  // namespace pycuda::bindings
