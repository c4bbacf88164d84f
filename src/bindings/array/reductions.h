// SPDX-License-Identifier: MIT
// Reductions of arrays on the device.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>

namespace pycuda::bindings {

/// reduce(name, array, second, axes mask, accumulated dtype, result dtype, stream): C order
nanobind::object reduce_array(std::string_view name, nanobind::handle input,
                              nanobind::handle second, std::uint64_t axes,
                              nanobind::handle accumulated, nanobind::handle result_dtype,
                              nanobind::handle stream);

/// array._reduce_all(name, second array or None, widens), METH_FASTCALL: of all elements, to an
/// array without axes, as most reductions are. The type is the array's; if it `widens`, integers
/// have 64 bits. Positions are int64.
PyObject* array_reduce_all(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

}  // namespace pycuda::bindings
