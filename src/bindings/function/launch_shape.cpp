// SPDX-License-Identifier: MIT
#include "bindings/function/launch_shape.h"

#include <array>
#include <climits>
#include <string>

#include "bindings/base/limited_api.h"
#include "bindings/convert/integers.h"
#include "bindings/gil/released.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

unsigned int extent(PyObject* item, const char* what) {
  if (PyLong_CheckExact(item)) {
    const long value = PyLong_AsLong(item);
    if (value >= 0 && value <= static_cast<long>(UINT_MAX)) return static_cast<unsigned int>(value);
    PyErr_Clear();
  }
  if (PyFloat_Check(item)) {
    const nb::float_ value(PyFloat_AsDouble(item));
    PyErr_Format(PyExc_TypeError,
                 "%s must be an integer, not %s %R: // divides integers, int(...) converts", what,
                 type_name(item).c_str(), value.ptr());
    throw nb::python_error();
  }
  return as_integer<unsigned int>(item, what);
}

[[noreturn]] void raise_too_many(const char* what, Py_ssize_t count) {
  throw driver::DriverError(
      "function::launch_kernel", CUDA_ERROR_INVALID_VALUE,
      "too many " + std::string(what) + " dimensions in kernel launch: " + what +
          " takes up to three numbers, (x, y, z), not " + std::to_string(count));
}

}  // namespace

cuda::Dim3 dimensions(PyObject* object, const char* what) {
  std::array<unsigned int, 3> extents = {1, 1, 1};
  Py_ssize_t count = 0;
  const bool is_tuple = PyTuple_Check(object);
  if (is_tuple) {
    count = NB_TUPLE_GET_SIZE(object);
  } else if (PyList_Check(object)) {
    count = NB_LIST_GET_SIZE(object);
  } else {
    const std::string meant =
        PyLong_Check(object)
            ? ": " + std::string(what) + "=(" + nb::cast<std::string>(nb::repr(object)) + ", 1, 1)"
        : PySequence_Check(object) != 0 && !PyUnicode_Check(object) ? ": tuple(...) makes one"
                                                                    : "";
    PyErr_Format(PyExc_TypeError, "%s must be a tuple of up to three integers, not %s%s", what,
                 type_name(object).c_str(), meant.c_str());
    throw nb::python_error();
  }
  if (count > 3) raise_too_many(what, count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = is_tuple ? NB_TUPLE_GET_ITEM(object, i) : NB_LIST_GET_ITEM(object, i);
    extents[static_cast<std::size_t>(i)] = extent(item, what);
  }
  return {extents[0], extents[1], extents[2]};
}

void launch_without_gil(const cuda::Kernel& kernel, const cuda::LaunchShape& shape,
                        const void* arguments, std::size_t bytes) {
  without_gil([&] { cuda::launch(kernel, shape, arguments, bytes); });
}

}  // namespace pycuda::bindings
