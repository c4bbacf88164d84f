// SPDX-License-Identifier: MIT
// Host memory of copy descriptors, which are filled in first and executed later.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace pycuda::bindings {

/// The first byte of an object's memory, whatever its strides, held while this lives.
class HeldMemory {
 public:
  /// Raises TypeError for an object without memory and for Python objects, BufferError when `flags`
  /// ask for more than it has.
  HeldMemory(nanobind::handle object, int flags);
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() { PyBuffer_Release(&view_); }

  void* data() const { return view_.buf; }
  nanobind::handle owner() const { return view_.obj; }
  /// How many bytes there are from the first one on. A copy may go beyond a view of an array, to
  /// the end of the array that it is a view of.
  std::size_t extent() const;

 private:
  Py_buffer view_ = {};
};

}  // namespace pycuda::bindings
