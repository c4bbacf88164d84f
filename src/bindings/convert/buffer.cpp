// SPDX-License-Identifier: MIT
#include "bindings/convert/buffer.h"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings/convert/numpy_types.h"

namespace nb = nanobind;

namespace pycuda::bindings {

void refuse_objects(PyObject* buffer) {
  if (is_ndarray(buffer)) {
    refuse_object_dtype(nb::handle(buffer).attr("dtype"));
  } else if (PyMemoryView_Check(buffer)) {
    const auto format = nb::cast<std::string>(nb::handle(buffer).attr("format"));
    if (format.find('O') != std::string::npos) {
      throw nb::type_error("a memoryview of Python objects cannot be copied to or from a device");
    }
  }
}

Buffer Buffer::open(PyObject* object, int flags) {
  Buffer buffer;
  if (PyObject_GetBuffer(object, &buffer.view_, flags) != 0) {
    buffer.view_ = {};
    throw nb::python_error();
  }
  refuse_objects(object);
  return buffer;
}

Buffer Buffer::read(PyObject* object) { return open(object, PyBUF_ANY_CONTIGUOUS); }

Buffer Buffer::write(PyObject* object) {
  return open(object, PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE);
}

std::optional<Buffer> Buffer::try_read(PyObject* object) {
  Buffer buffer;
  if (PyObject_GetBuffer(object, &buffer.view_, PyBUF_ANY_CONTIGUOUS) != 0) {
    buffer.view_ = {};
    PyErr_Clear();
    return std::nullopt;
  }
  return buffer;
}

Buffer::Buffer(Buffer&& other) noexcept : view_(other.view_) { other.view_ = {}; }

Buffer::~Buffer() {
  // The view's own address is part of what some exporters note; a moved view is released from where
  // it is.
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

}  // namespace pycuda::bindings
