// SPDX-License-Identifier: MIT
// Host memory of a Python object, by the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>

namespace pycuda::bindings {

/// Raises TypeError for an array of Python objects, or a memoryview of one: bytes from the device
/// taken for Python's pointers would end the process.
void refuse_objects(PyObject* buffer);

/// Throws the Python error that PyObject_GetBuffer has set, with what to do about it: for an object
/// without memory, one that is read-only, and an array that is not contiguous.
[[noreturn]] void throw_without_buffer(PyObject* object, int flags);

/// A contiguous (C or Fortran order) view of an object's memory, held for as long as this lives.
class Buffer {
 public:
  /// To read from. Raises TypeError for an object without memory and for Python objects, ValueError
  /// when it is not contiguous.
  static Buffer read(PyObject* object);
  /// To write to. Raises ValueError or BufferError besides when it is read-only.
  static Buffer write(PyObject* object);
  /// To read from, or nothing (and no Python error).
  static std::optional<Buffer> try_read(PyObject* object);

  Buffer(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  void* data() const { return view_.buf; }
  std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }

 private:
  Buffer() = default;
  static Buffer open(PyObject* object, int flags);
  Py_buffer view_ = {};
};

}  // namespace pycuda::bindings
