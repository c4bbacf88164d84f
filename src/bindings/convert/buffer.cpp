// SPDX-License-Identifier: MIT
#include "bindings/convert/buffer.h"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings/base/limited_api.h"
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

namespace {

/// The layout of a NumPy array that is not contiguous, in words; "" for other objects. Keeps the
/// Python error that is set.
std::string layout_with_gaps(PyObject* object) {
  const nb::error_scope kept;
  if (!is_ndarray(object)) return {};
  const nb::handle array = object;
  if (nb::cast<bool>(array.attr("flags").attr("forc"))) return {};
  return std::string("its shape is ") + nb::repr(array.attr("shape")).c_str() + ", its strides " +
         nb::repr(array.attr("strides")).c_str();
}

/// What an object of the device is, in words; "" for other objects.
std::string on_device(PyObject* object) {
  // The error that is set is still needed.
  const nb::error_scope error;
  // Of the class: the attribute's value is not asked for.
  const bool is_array = nb::hasattr(nb::handle(object).type(), "__cuda_array_interface__");
  // Allocations are numbers of a kind.
  const bool is_address = PyIndex_Check(object) != 0 && !PyLong_Check(object);
  return is_array ? "an array on the device" : is_address ? "device memory" : "";
}

/// What a read-only object is, in words; "" where it can be written to or has no memory. Keeps the
/// Python error that is set.
std::string read_only(PyObject* object) {
  const nb::error_scope kept;
  Py_buffer view;
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return {};
  }
  const bool is_read_only = view.readonly != 0;
  PyBuffer_Release(&view);
  if (!is_read_only) return {};
  if (!is_ndarray(object)) return "an object of class " + type_name(object) + " is read-only";
  return std::string("the ndarray of shape ") + nb::repr(nb::handle(object).attr("shape")).c_str() +
         " is read-only";
}

/// An object without memory on the host.
[[noreturn]] void throw_without_memory(PyObject* object, bool writable) {
  const std::string what = on_device(object);
  PyErr_Clear();
  if (!what.empty()) {
    const std::string text = "an object of the host's memory is needed, not " + what +
                             ": memcpy_htod(dest, src) copies to the device, "
                             "memcpy_dtoh(dest, src) from it";
    throw nb::type_error(text.c_str());
  }
  const char* remedy = writable                       ? "numpy.empty(shape, dtype) makes one"
                       : PyUnicode_Check(object) != 0 ? "its encode() makes one"
                                                      : "numpy.array(..., dtype) makes one";
  PyErr_Format(PyExc_TypeError, "a bytes-like object is required, not '%s': %s",
               type_name(object).c_str(), remedy);
  throw nb::python_error();
}

}  // namespace

void throw_without_buffer(PyObject* object, int flags) {
  const bool writable = (flags & PyBUF_WRITABLE) != 0;
  // Arrays of the device have the protocol where they are copied to the host implicitly.
  if (PyErr_ExceptionMatches(PyExc_TypeError) != 0 &&
      (PyObject_CheckBuffer(object) == 0 || !on_device(object).empty()))
    throw_without_memory(object, writable);
  const std::string constant = writable ? read_only(object) : std::string();
  if (!constant.empty()) {
    const bool is_value = PyErr_ExceptionMatches(PyExc_ValueError) != 0;
    PyErr_Clear();
    PyErr_Format(is_value ? PyExc_ValueError : PyExc_BufferError, "%s: copy to %s",
                 constant.c_str(),
                 is_ndarray(object) ? "another one, such as numpy.empty_like(a)"
                                    : "a bytearray, or to numpy.empty(shape, dtype)");
    throw nb::python_error();
  }
  const std::string layout = layout_with_gaps(object);
  if (layout.empty()) throw nb::python_error();
  PyErr_Clear();
  const char* remedy = writable ? "copy to a contiguous array, and assign that"
                                : "numpy.ascontiguousarray makes a contiguous copy";
  throw nb::value_error(("ndarray is not contiguous: " + layout + "; " + remedy).c_str());
}

Buffer Buffer::open(PyObject* object, int flags) {
  Buffer buffer;
  if (PyObject_GetBuffer(object, &buffer.view_, flags) != 0) {
    buffer.view_ = {};
    throw_without_buffer(object, flags);
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
