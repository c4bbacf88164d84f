// SPDX-License-Identifier: MIT
// NumPy's scalar types and arrays, recognised without NumPy's C interface.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace pycuda::bindings {

enum class ScalarKind : std::uint8_t { None, Bool, Integer, Float, Complex, Void };

struct ScalarType {
  ScalarKind kind = ScalarKind::None;
  std::uint8_t bytes = 0;  ///< of a value; 0 for Void, whose values differ
};

/// What sort of NumPy scalar instances of `type` are; None for any other type. Imports NumPy when
/// first asked about a type that it does not know yet and NumPy is not loaded.
ScalarType scalar_type(PyTypeObject* type);

/// Whether `object` is a numpy.ndarray.
bool is_ndarray(PyObject* object);
/// numpy.ndarray
PyTypeObject* ndarray_type();

/// Copies the `bytes` bytes of the scalar `object` to `destination`. False (and no Python error)
/// when it has another number of bytes.
bool copy_scalar(PyObject* object, std::size_t bytes, void* destination);

/// Whether numbers of this dtype have the byte order that the device does not have.
bool is_byte_swapped(nanobind::handle dtype);

/// "numpy.float32": the same dtype in the device's byte order.
std::string native_name(nanobind::handle dtype);

/// Raises TypeError for a dtype with Python objects.
void refuse_object_dtype(nanobind::handle dtype);

/// A new array over the memory of `owner` (which exports a buffer), which becomes the array's base.
/// Raises LogicError for an order that is neither "C" nor "F".
nanobind::object array_over(nanobind::handle owner, nanobind::handle shape, nanobind::handle dtype,
                            nanobind::handle order);

/// Bytes of an array of `shape` (an integer or integers) and `dtype`. Raises OverflowError, and
/// TypeError for Python objects.
std::size_t array_bytes(nanobind::handle shape, nanobind::handle dtype);

}  // namespace pycuda::bindings
