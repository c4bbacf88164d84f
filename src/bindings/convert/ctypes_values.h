// SPDX-License-Identifier: MIT
// Objects of ctypes as values: numbers, structs, unions and arrays. A pointer of ctypes is none, as
// it leads to the host's memory.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <optional>

namespace pycuda::bindings {

/// What a number of ctypes holds: an int, bool or float; a null c_void_p holds 0.
std::optional<nanobind::object> ctypes_number(PyObject* object);

/// Whether it is a struct, a union or an array of ctypes, which exports its bytes.
bool is_ctypes_aggregate(PyObject* object);

}  // namespace pycuda::bindings
