// SPDX-License-Identifier: MIT
#include "bindings/buffer.h"

namespace nb = nanobind;

namespace pycuda::bindings {

Buffer Buffer::open(PyObject* object, int flags) {
  Buffer buffer;
  if (PyObject_GetBuffer(object, &buffer.view_, flags) != 0) {
    buffer.view_ = {};
    throw nb::python_error();
  }
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
