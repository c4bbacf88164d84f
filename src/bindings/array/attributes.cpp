// SPDX-License-Identifier: MIT
#include "bindings/array/attributes.h"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "bindings/array/memory.h"
#include "bindings/array/type.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/device_memory.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::Layout;

template <class Body>
PyObject* getter(PyObject* self, Body&& body) {
  return python_entry([&] { return body(state_of_array(self)).release().ptr(); });
}

nb::object or_none(const nb::object& object) { return object.is_valid() ? object : nb::none(); }

PyObject* get_shape(PyObject* self, void*) {
  return getter(self, [](ArrayState& state) {
    if (!state.shape_tuple.is_valid()) {
      state.shape_tuple = tuple_of(state.layout.shape.data(), state.layout.ndim);
    }
    return nb::object(state.shape_tuple);
  });
}
PyObject* get_strides(PyObject* self, void*) {
  return getter(self, [](ArrayState& state) {
    if (!state.strides_tuple.is_valid()) {
      state.strides_tuple = tuple_of(state.layout.strides.data(), state.layout.ndim);
    }
    return nb::object(state.strides_tuple);
  });
}
PyObject* get_dtype(PyObject* self, void*) {
  return getter(self, [](ArrayState& state) { return or_none(state.dtype); });
}
/// What a derived class put in the place of a number that follows from shape and dtype (a size that
/// counts padding, say); null where it did not.
PyObject* overridden(PyObject* self, void* name) {
  PyObject* dict = reinterpret_cast<ArrayObject*>(self)->dict;
  if (dict == nullptr) return nullptr;
  return Py_XNewRef(PyDict_GetItemString(dict, static_cast<const char*>(name)));
}
int override_number(PyObject* self, PyObject* value, void* name) {
  const nb::object dict = nb::steal(PyObject_GenericGetDict(self, nullptr));
  if (!dict.is_valid()) return -1;
  const char* key = static_cast<const char*>(name);
  return value == nullptr ? PyDict_DelItemString(dict.ptr(), key)
                          : PyDict_SetItemString(dict.ptr(), key, value);
}
PyObject* get_size(PyObject* self, void* name) {
  if (PyObject* given = overridden(self, name)) return given;
  return PyLong_FromLongLong(state_of_array(self).size);
}
PyObject* get_ndim(PyObject* self, void*) {
  return PyLong_FromLong(state_of_array(self).layout.ndim);
}
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromLongLong(state_of_array(self).item_bytes);
}
PyObject* get_nbytes(PyObject* self, void* name) {
  if (PyObject* given = overridden(self, name)) return given;
  const ArrayState& state = state_of_array(self);
  return PyLong_FromLongLong(state.size * state.item_bytes);
}
PyObject* get_base(PyObject* self, void*) {
  return getter(self, [](ArrayState& state) { return or_none(state.base); });
}
PyObject* get_allocator(PyObject* self, void*) {
  return getter(self, [](ArrayState& state) {
    return state.allocator.is_valid()
               ? nb::object(state.allocator)
               : nb::object(nb::module_::import_("pycuda._driver").attr("mem_alloc"));
  });
}
PyObject* get_gpudata(PyObject* self, void*) {
  return getter(self, [self](ArrayState& state) -> nb::object {
    if (state.gpudata.is_valid()) return state.gpudata;
    if (state.block) {
      cuda::PooledDeviceMemory block = std::move(*state.block);
      state.block.reset();
      state.gpudata = memory_object(std::move(block));
      return state.gpudata;
    }
    if (state.size == 0) return nb::none();
    mark_escaped(self);
    return nb::int_(static_cast<unsigned long long>(state.address));
  });
}
PyObject* get_ptr(PyObject* self, void*) {
  return python_entry([&]() -> PyObject* {
    mark_escaped(self);
    const CUdeviceptr address = state_of_array(self).located().address;
    if (address == 0) {
      PyErr_SetString(PyExc_AttributeError, "an array without elements has no pointer");
      return nullptr;
    }
    return PyLong_FromUnsignedLongLong(address);
  });
}

template <class Body>
int setter(PyObject* value, const char* name, Body&& body) {
  if (value == nullptr) {
    PyErr_Format(PyExc_AttributeError, "%s of an array cannot be deleted", name);
    return -1;
  }
  return python_entry([&] {
           body(nb::handle(value));
           return Py_None;
         }) == nullptr
             ? -1
             : 0;
}
int set_gpudata(PyObject* self, PyObject* value, void*) {
  return setter(value, "gpudata", [&](nb::handle given) {
    ArrayState& state = state_of_array(self);
    if (state.block) {
      give_back(std::move(*state.block), state.escaped);
      state.block.reset();
    }
    state.address = 0;
    state.home = nullptr;
    state.gpudata = given.is_none() ? nb::object() : nb::borrow(given);
    state.given_memory = state.gpudata.is_valid();
  });
}
/// Gives `state` other elements of as many bytes, or, where a program has put memory of its own in
/// the array's place, as many as that holds. `refusal` says what else cannot be done.
void lay_out(ArrayState& state, const Layout& layout, std::int64_t item_bytes,
             const std::string& refusal) {
  if (!state.given_memory) throw array::ShapeMismatch(refusal);
  const array::Extent extent = array::extent_of(layout, item_bytes);
  const CUdeviceptr first =
      device_address(state.gpudata, "the array's gpudata") + static_cast<CUdeviceptr>(extent.first);
  const auto bytes = static_cast<std::size_t>(extent.last - extent.first);
  const std::string reason = layout.size() == 0 ? std::string() : cuda::refusal(first, bytes);
  if (!reason.empty()) throw array::ShapeMismatch(refusal + ": " + reason);
  state.layout = layout;
  state.item_bytes = item_bytes;
  state.size = layout.size();
  state.shape_tuple = nb::object();
  state.strides_tuple = nb::object();
}
int set_base(PyObject* self, PyObject* value, void*) {
  return setter(value, "base", [&](nb::handle given) {
    state_of_array(self).base = given.is_none() ? nb::object() : nb::borrow(given);
  });
}
int set_allocator(PyObject* self, PyObject* value, void*) {
  return setter(value, "allocator", [&](nb::handle given) {
    state_of_array(self).allocator = given.is_none() ? nb::object() : nb::borrow(given);
  });
}
int set_shape(PyObject* self, PyObject* value, void*) {
  return setter(value, "shape", [&](nb::handle given) {
    ArrayState& state = state_of_array(self);
    Layout layout;
    read_shape(given, layout);
    array::fill_dense_strides(layout, state.item_bytes);
    if (layout.size() != state.size || !array::is_c_contiguous(state.layout, state.item_bytes)) {
      lay_out(state, layout, state.item_bytes,
              "an array of shape " + array::shape_text(state.layout.shape_span()) +
                  " cannot be given shape " + array::shape_text(layout.shape_span()));
      return;
    }
    state.layout = layout;
    state.shape_tuple = nb::object();
    state.strides_tuple = nb::object();
  });
}
int set_strides(PyObject* self, PyObject* value, void*) {
  return setter(value, "strides", [&](nb::handle given) {
    ArrayState& state = state_of_array(self);
    read_strides(given, state.layout);
    state.strides_tuple = nb::object();
  });
}
int set_dtype(PyObject* self, PyObject* value, void*) {
  return setter(value, "dtype", [&](nb::handle given) {
    ArrayState& state = state_of_array(self);
    const nb::object dtype = as_numpy_dtype(given);
    const auto item_bytes = nb::cast<std::int64_t>(dtype.attr("itemsize"));
    if (item_bytes != state.item_bytes) {
      if (!state.given_memory) throw array::TypeMismatch("new type not compatible with array");
      lay_out(state, Layout(state.layout), item_bytes,
              "an array of " + state.description() + " cannot be given dtype " +
                  nb::cast<std::string>(nb::str(dtype)));
    }
    state.type = dtype_of(dtype);
    state.dtype = dtype;
  });
}

}  // namespace

PyGetSetDef* array_attributes() {
  static PyGetSetDef attributes[] = {
      {"shape", get_shape, set_shape, "Lengths of the axes.", nullptr},
      {"strides", get_strides, set_strides, "Steps of the axes in bytes.", nullptr},
      {"dtype", get_dtype, set_dtype, "NumPy's dtype.", nullptr},
      {"size", get_size, override_number, "Number of elements.", const_cast<char*>("size")},
      {"mem_size", get_size, override_number, "Number of elements.", const_cast<char*>("mem_size")},
      {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
      {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
      {"nbytes", get_nbytes, override_number, "Bytes of all elements.",
       const_cast<char*>("nbytes")},
      {"base", get_base, set_base, "The owner of the memory, for views.", nullptr},
      {"allocator", get_allocator, set_allocator, "Where memory comes from.", nullptr},
      {"gpudata", get_gpudata, set_gpudata, "The memory.", nullptr},
      {"ptr", get_ptr, nullptr, "The address as an integer.", nullptr},
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  return attributes;
}

}  // namespace pycuda::bindings
