// SPDX-License-Identifier: MIT
// array[index] for integers, slices, an ellipsis and new axes: always a view.
#include <algorithm>
#include <optional>
#include <string>

#include "bindings/array/type.h"
#include "bindings/base/limited_api.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::Layout;

/// Reads one index after the other and builds the view's layout.
class ViewBuilder {
 public:
  explicit ViewBuilder(const Layout& from) : from_(from) {}

  bool add(PyObject* index) {
    if (index == Py_None) {
      append(1, 0);
    } else if (PySlice_Check(index)) {
      add_slice(index);
    } else if (PyIndex_Check(index)) {
      add_integer(index);
    } else {
      return false;
    }
    return true;
  }
  void add_whole(int axes) {
    for (int i = 0; i < axes; ++i, ++axis_) append(length(), stride());
  }
  int axis() const { return axis_; }
  const Layout& layout() const { return view_; }
  std::int64_t offset_bytes() const { return offset_; }

 private:
  std::int64_t length() const { return from_.shape[static_cast<std::size_t>(axis_)]; }
  std::int64_t stride() const { return from_.strides[static_cast<std::size_t>(axis_)]; }

  void append(std::int64_t length, std::int64_t stride) {
    if (view_.ndim == array::max_dims) throw array::ShapeMismatch("too many axes");
    view_.shape[static_cast<std::size_t>(view_.ndim)] = length;
    view_.strides[static_cast<std::size_t>(view_.ndim++)] = stride;
  }
  void check_axis() const {
    if (axis_ < from_.ndim) return;
    throw nb::index_error(
        ("too many axes in index: the array has shape " + array::shape_text(from_.shape_span()))
            .c_str());
  }
  void add_slice(PyObject* slice) {
    check_axis();
    Py_ssize_t start = 0;
    Py_ssize_t stop = 0;
    Py_ssize_t step = 0;
    if (PySlice_Unpack(slice, &start, &stop, &step) != 0) throw nb::python_error();
    const Py_ssize_t count = PySlice_AdjustIndices(length(), &start, &stop, step);
    if (count > 0) offset_ += start * stride();
    append(count, stride() * step);
    ++axis_;
  }
  void add_integer(PyObject* index) {
    check_axis();
    const Py_ssize_t given = PyNumber_AsSsize_t(index, PyExc_IndexError);
    if (given == -1 && PyErr_Occurred()) throw nb::python_error();
    const Py_ssize_t position = given < 0 ? given + length() : given;
    if (position < 0 || position >= length()) {
      throw nb::index_error(("subindex in axis " + std::to_string(axis_) +
                             " out of range: " + std::to_string(given) + " in shape " +
                             array::shape_text(from_.shape_span()))
                                .c_str());
    }
    offset_ += position * stride();
    ++axis_;
  }

  const Layout& from_;
  Layout view_;
  int axis_ = 0;
  std::int64_t offset_ = 0;
};

/// Lists and arrays of integers or truth values: the package's part.
PyObject* select(PyObject* self, PyObject* index) {
  static PyObject* const name = PyUnicode_InternFromString("_select");
  return PyObject_CallMethodObjArgs(self, name, index, nullptr);
}

/// Loops and list() ask for a[0], and take an IndexError for an end: the sum of a 0-d array would
/// be 0. The class has no __iter__ that could tell them (_missing_attribute).
[[gnu::cold, gnu::noinline]] void refuse_walk(PyObject* index) {
  if (!PyIndex_Check(index)) return;
  throw nb::type_error(
      "iteration over a 0-d array, or an index into one: float(a) and a.get() have its value");
}

bool is_whole_number_or_view(PyObject* index) {
  return index == Py_None || index == Py_Ellipsis || PySlice_Check(index) ||
         (PyIndex_Check(index) && !PyBool_Check(index) && !PySequence_Check(index) &&
          !is_array(index));
}

}  // namespace

PyObject* array_subscript(PyObject* self, PyObject* index) {
  PyObject* const* items = &index;
  Py_ssize_t count = 1;
  std::optional<TupleItems> several;
  if (PyTuple_Check(index)) {
    several.emplace(index);
    items = several->data();
    count = several->size();
  }
  if (!std::all_of(items, items + count, is_whole_number_or_view)) return select(self, index);
  return python_entry([&]() -> PyObject* {
    const ArrayState& state = state_of_array(self);
    if (state.layout.ndim == 0) refuse_walk(index);
    const auto uses_axis = [](PyObject* item) { return item != Py_None && item != Py_Ellipsis; };
    const auto used = static_cast<int>(std::count_if(items, items + count, uses_axis));
    if (std::count(items, items + count, Py_Ellipsis) > 1) {
      throw nb::index_error("more than one ellipsis not allowed in index");
    }
    ViewBuilder view(state.layout);
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (items[i] == Py_Ellipsis) {
        view.add_whole(std::max(0, state.layout.ndim - used));
      } else if (!view.add(items[i])) {
        throw nb::index_error(("invalid subindex in axis " + std::to_string(view.axis()) +
                               ": integers, slices, None and ... are allowed")
                                  .c_str());
      }
    }
    view.add_whole(state.layout.ndim - view.axis());
    return new_view(self, view.offset_bytes(), view.layout(), state.type, state.dtype,
                    state.item_bytes)
        .release()
        .ptr();
  });
}

PyObject* array_item(PyObject* self, Py_ssize_t index) {
  return python_entry([&] {
    const nb::object number = nb::steal(PyLong_FromSsize_t(index));
    return array_subscript(self, number.ptr());
  });
}

}  // namespace pycuda::bindings
