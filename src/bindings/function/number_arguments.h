// SPDX-License-Identifier: MIT
// Numbers as arguments of kernels: converted to what the parameter is.
#pragma once

#include <cstddef>

#include "bindings/convert/numpy_types.h"
#include "bindings/function/argument.h"

namespace pycuda::bindings {

/// Writes an integer of Python; for a floating-point parameter the same number.
void write_whole_number(const Argument& argument, PyObject* number, std::byte* destination);

/// Writes a floating-point number; a parameter that is an integer takes none with a fraction.
void write_real_number(const Argument& argument, double number, std::byte* destination);

/// Writes a complex number of Python or NumPy; pointers and real numbers take none.
void write_complex_number(const Argument& argument, std::byte* destination);

/// Writes a scalar of NumPy: its bytes where it is what the parameter is.
void write_scalar(const Argument& argument, ScalarType type, std::byte* destination);

}  // namespace pycuda::bindings
