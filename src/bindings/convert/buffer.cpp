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

/// Throws the Python error that is set. NumPy says that an array is not contiguous; what to do
/// about it is added here.
[[noreturn]] void throw_without_buffer(PyObject* object, bool writable) {
  const std::string layout = layout_with_gaps(object);
  if (layout.empty()) {
    const std::string what =
        PyErr_ExceptionMatches(PyExc_TypeError) != 0 ? on_device(object) : std::string();
    if (!what.empty()) {
      PyErr_Clear();
      const std::string text = "an object of the host's memory is needed, not " + what +
                               ": memcpy_htod(dest, src) copies to the device, "
                               "memcpy_dtoh(dest, src) from it";
      throw nb::type_error(text.c_str());
    }
    const bool is_value = PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object);
    if (is_value || PyList_Check(object) || PyTuple_Check(object)) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError,
                   "a bytes-like object is required, not '%s': numpy.array(..., dtype) makes one",
                   type_name(object).c_str());
    }
    throw nb::python_error();
  }
  PyErr_Clear();
  const char* remedy = writable ? "copy to a contiguous array, and assign that"
                                : "numpy.ascontiguousarray makes a contiguous copy";
  throw nb::value_error(("ndarray is not contiguous: " + layout + "; " + remedy).c_str());
}

}  // namespace

Buffer Buffer::open(PyObject* object, int flags) {
  Buffer buffer;
  if (PyObject_GetBuffer(object, &buffer.view_, flags) != 0) {
    buffer.view_ = {};
    throw_without_buffer(object, (flags & PyBUF_WRITABLE) != 0);
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
