// SPDX-License-Identifier: MIT
// Python numbers written as the bytes that a C parameter holds.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace pycuda::bindings {

/// What became of an attempt to write a number.
enum class Written {
  Yes,
  TooLarge,   ///< the number does not fit in that many bytes
  WrongSize,  ///< no number of this sort has that many bytes
  Failed,     ///< a Python error is set
};

/// Writes the int `number` as `bytes` (1, 2, 4, 8) bytes. Everything fits that fits a signed or an
/// unsigned integer of that size, because the driver does not say which one a parameter is.
Written write_integer(PyObject* number, std::size_t bytes, void* destination);

/// Writes the same, but as exactly a signed or an unsigned integer.
Written write_integer_as(PyObject* number, std::size_t bytes, bool is_signed, void* destination);

/// Writes `number` as a binary floating-point number of `bytes` (2, 4, 8) bytes. A finite number
/// stays finite, else it is too large.
Written write_float(double number, std::size_t bytes, void* destination);

/// Writes `number` as a bfloat16, the upper half of a float. A finite number stays finite.
Written write_bfloat(double number, void* destination);

/// The binary floating-point number of `bytes` (2, 4, 8) bytes at `source`.
double read_float(const void* source, std::size_t bytes);

/// Writes a complex number of `bytes` (8, 16) bytes.
Written write_complex(double real, double imaginary, std::size_t bytes, void* destination);

}  // namespace pycuda::bindings
