// SPDX-License-Identifier: MIT
#include "bindings/launch_shape.h"

#include <array>
#include <climits>
#include <string>

#include "bindings/integers.h"
#include "bindings/unlocked.h"

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
    PyErr_Format(PyExc_TypeError, "%s must be an integer, not %s %R: // divides integers", what,
                 Py_TYPE(item)->tp_name, item);
    throw nb::python_error();
  }
  return as_integer<unsigned int>(item, what);
}

[[noreturn]] void raise_too_many(const char* what) {
  throw driver::DriverError("function::launch_kernel", CUDA_ERROR_INVALID_HANDLE,
                            std::string("too many ") + what + " dimensions in kernel launch");
}

}  // namespace

cuda::Dim3 dimensions(PyObject* object, const char* what) {
  std::array<unsigned int, 3> extents = {1, 1, 1};
  PyObject* const* items = nullptr;
  Py_ssize_t count = 0;
  if (PyTuple_Check(object)) {
    count = PyTuple_GET_SIZE(object);
    items = reinterpret_cast<PyTupleObject*>(object)->ob_item;
  } else if (PyList_Check(object)) {
    count = PyList_GET_SIZE(object);
    items = reinterpret_cast<PyListObject*>(object)->ob_item;
  } else {
    PyErr_Format(PyExc_TypeError, "%s must be a tuple of up to three integers, not %s", what,
                 Py_TYPE(object)->tp_name);
    throw nb::python_error();
  }
  if (count > 3) raise_too_many(what);
  for (Py_ssize_t i = 0; i < count; ++i)
    extents[static_cast<std::size_t>(i)] = extent(items[i], what);
  return {extents[0], extents[1], extents[2]};
}

void launch_unlocked(const cuda::Kernel& kernel, const cuda::LaunchShape& shape,
                     const void* arguments, std::size_t bytes) {
  unlocked([&] { cuda::launch(kernel, shape, arguments, bytes); });
}

}  // namespace pycuda::bindings
