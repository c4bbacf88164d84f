// SPDX-License-Identifier: MIT
#include "bindings/convert/held_memory.h"

#include <algorithm>

#include "bindings/convert/buffer.h"
#include "bindings/convert/numpy_types.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// The address after the last byte of a strided view.
const std::byte* end_of(const Py_buffer& view) {
  const auto* end = static_cast<const std::byte*>(view.buf);
  if (view.len == 0) return end;
  for (int axis = 0; axis < view.ndim; ++axis) {
    end += std::max<Py_ssize_t>(0, (view.shape[axis] - 1) * view.strides[axis]);
  }
  return end + view.itemsize;
}

/// The array whose memory an array is a view of, or the object itself.
nb::object outermost(nb::handle object) {
  nb::object outer = nb::borrow(object);
  while (is_ndarray(outer.ptr())) {
    nb::object base = outer.attr("base");
    if (!is_ndarray(base.ptr())) break;
    outer = std::move(base);
  }
  return outer;
}

}  // namespace

HeldMemory::HeldMemory(nb::handle object, int flags) {
  refuse_objects(object.ptr());
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0)
    throw_without_buffer(object.ptr(), flags);
}

std::size_t HeldMemory::extent() const {
  const auto* start = static_cast<const std::byte*>(view_.buf);
  const std::byte* end = end_of(view_);
  const nb::object outer = outermost(view_.obj);
  if (!outer.is(view_.obj)) {
    Py_buffer whole;
    if (PyObject_GetBuffer(outer.ptr(), &whole, PyBUF_STRIDED_RO) != 0) throw nb::python_error();
    end = std::max(end, end_of(whole));
    PyBuffer_Release(&whole);
  }
  return static_cast<std::size_t>(end - start);
}

}  // namespace pycuda::bindings
