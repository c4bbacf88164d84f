// SPDX-License-Identifier: MIT
#include "bindings/array/type.h"

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <array>
#include <cstddef>
#include <new>
#include <vector>

#include "bindings/array/attributes.h"
#include "bindings/array/keeping.h"
#include "bindings/array/memory.h"
#include "bindings/array/protocols.h"
#include "bindings/array/reductions.h"
#include "bindings/base/limited_api.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/block_use.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;
using array::Layout;

PyTypeObject* array_type = nullptr;
PyTypeObject* plain_type = nullptr;  // GPUArray
PyObject* default_init = nullptr;    // GPUArray.__init__ as the package defines it

PyObject* create(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (self == nullptr) return nullptr;
  auto* object = reinterpret_cast<ArrayObject*>(self);
  new (object->storage) ArrayState;
  object->alive = true;
  return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  auto* object = reinterpret_cast<ArrayObject*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object->dict);
  if (!object->alive) return 0;
  ArrayState& state = object->state();
  for (const nb::object* owned : {&state.allocator, &state.base, &state.gpudata}) {
    Py_VISIT(owned->ptr());
  }
  return 0;
}

int clear(PyObject* self) {
  auto* object = reinterpret_cast<ArrayObject*>(self);
  Py_CLEAR(object->dict);
  if (!object->alive) return 0;
  ArrayState& state = object->state();
  state.allocator = nb::object();
  state.base = nb::object();
  state.gpudata = nb::object();
  state.address = 0;
  return 0;
}

/// While the driver checks every access, a pool's block goes back to it at once, and it waits for
/// all work, which may wait for the GIL. Checks may begin meanwhile: what is asked once decides.
void give_back_memory(ArrayState& state) {
  const bool is_checked = cuda::checks_accesses(state.block->context()->driver());
  if (state.escaped || is_checked) {
    give_back(std::move(*state.block), state.escaped);
  } else {
    state.block->give_back(is_checked);
  }
  state.block.reset();
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* object = reinterpret_cast<ArrayObject*>(self);
  PyObject_GC_UnTrack(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  if (object->alive) {
    ArrayState& state = object->state();
    if (state.block) give_back_memory(state);
    state.~ArrayState();
    object->alive = false;
  }
  Py_CLEAR(object->dict);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/// A Python error as such: launches pass it on as it is.
[[noreturn]] void raise_value_error(const std::string& text) {
  PyErr_SetString(PyExc_ValueError, text.c_str());
  throw nb::python_error();
}

void check_home(const ArrayState& state) {
  const cuda::ContextPtr current = cuda::require_context();
  if (state.home->valid() && (state.home == current || state.home->handle() == current->handle())) {
    return;
  }
  const std::string of = "the array of " + state.description();
  if (!state.home->valid())
    raise_value_error(of + " belongs to a context that is gone: make it again");
  const bool same_device = state.home->device().handle() == current->device().handle();
  raise_value_error(of + " belongs to another context" +
                    (same_device ? ""
                                 : ", of device " + std::to_string(state.home->device().handle()) +
                                       "; the current one is of device " +
                                       std::to_string(current->device().handle())) +
                    ": make that context current, or copy the array through the host");
}

/// Memory from an array's allocator. It is the current context's, as far as can be known.
void allocate_elsewhere(ArrayState& state, std::int64_t bytes) {
  state.gpudata = state.allocator(nb::int_(bytes));
  state.home = cuda::current_context();
}

/// Memory of the current context for an array that is described already.
void allocate_block(ArrayState& state, std::int64_t bytes) {
  try {
    const auto context = array::ArrayContext::current();
    state.block.emplace(context->allocate(bytes));
    state.home = context->context();
    state.address = state.block->pointer();
  } catch (const driver::DriverError& failure) {
    if (failure.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    const nb::gil_scoped_acquire locked;
    throw driver::DriverError(failure.routine(), failure.code(),
                              "failed to free memory for allocation of " + std::to_string(bytes) +
                                  " bytes, an array of " + state.description());
  }
}

nb::object allocator_argument(PyObject* object) {
  if (PyCallable_Check(object) != 0) return nb::borrow(object);
  const bool is_pool = PyObject_HasAttrString(object, "allocate") != 0;
  PyErr_Format(PyExc_TypeError, "an allocator is a function of the size in bytes, not %s%s",
               type_name(object).c_str(), is_pool ? ": give its allocate" : "");
  throw nb::python_error();
}

/// _setup(shape, dtype, strides or None, fortran, allocator or None, base or None, gpudata or None)
PyObject* setup(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return python_entry([&]() -> PyObject* {
    if (count != 7) {
      PyErr_SetString(PyExc_TypeError, "_setup takes 7 arguments");
      return nullptr;
    }
    ArrayState& state = state_of_array(self);
    Layout& layout = state.layout;
    read_shape(arguments[0], layout);
    state.dtype = nb::borrow(arguments[1]);
    state.type = dtype_of(state.dtype);
    state.item_bytes = nb::cast<std::int64_t>(state.dtype.attr("itemsize"));
    std::int64_t bytes = state.item_bytes;
    bool empty = false;
    for (const std::int64_t length : layout.shape_span()) {
      empty = empty || length == 0;
      if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(length, 1), &bytes)) {
        raise_out_of_range("the array's size", arguments[0]);
      }
    }
    state.size = empty ? 0 : layout.size();
    state.shape_tuple = nb::object();
    state.strides_tuple = nb::object();
    if (arguments[2] != Py_None) {
      read_strides(arguments[2], layout);
    } else {
      array::fill_dense_strides(layout, state.item_bytes, PyObject_IsTrue(arguments[3]) == 1);
    }
    if (arguments[4] != Py_None) state.allocator = allocator_argument(arguments[4]);
    if (arguments[5] != Py_None) state.base = nb::borrow(arguments[5]);
    state.block.reset();
    if (arguments[6] != Py_None) {
      state.gpudata = nb::borrow(arguments[6]);
      state.given_memory = true;
      Py_RETURN_NONE;
    }
    state.gpudata = nb::object();
    state.given_memory = false;
    if (state.size == 0 || bytes == 0) Py_RETURN_NONE;
    const array::Extent extent = array::extent_of(layout, state.item_bytes);
    if (extent.first < 0) {
      PyErr_SetString(PyExc_ValueError, "an array with negative strides needs gpudata");
      return nullptr;
    }
    if (state.allocator.is_valid()) {
      allocate_elsewhere(state, extent.last);
    } else {
      without_gil([&] { allocate_block(state, extent.last); });
    }
    Py_RETURN_NONE;
  });
}

// What `__getattr__` would do, without its cost for attributes that are there.
PyObject* attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  static PyObject* const instead = PyUnicode_InternFromString("_missing_attribute");
  PyErr_Clear();
  const nb::object method = nb::steal(PyObject_GenericGetAttr(self, instead));
  return method.is_valid() ? PyObject_CallFunctionObjArgs(method.ptr(), name, nullptr) : nullptr;
}

PyTypeObject* make_type() {
  static PyMethodDef methods[] = {
      {"_setup", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(setup)), METH_FASTCALL,
       nullptr},
      {"_reduce_all", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_reduce_all)),
       METH_FASTCALL, nullptr},
      {"__array_ufunc__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_ufunc)),
       METH_FASTCALL | METH_KEYWORDS, nullptr},
      {"__array_function__",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(array_function)), METH_FASTCALL,
       nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyMemberDef members[] = {
      {"__dictoffset__", T_PYSSIZET, offsetof(ArrayObject, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  std::vector<PyType_Slot> slots = {
      {Py_tp_new, reinterpret_cast<void*>(create)},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
      {Py_tp_setattro, reinterpret_cast<void*>(set_attribute_with_warning)},
      {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
      {Py_tp_richcompare, reinterpret_cast<void*>(array_compare)},
      {Py_mp_subscript, reinterpret_cast<void*>(array_subscript)},
      {Py_sq_item, reinterpret_cast<void*>(array_item)},
      {Py_bf_getbuffer, reinterpret_cast<void*>(array_buffer)},
      {Py_bf_releasebuffer, reinterpret_cast<void*>(release_array_buffer)},
      {Py_tp_getset, array_attributes()},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
  };
  std::size_t count = 0;
  const PyType_Slot* numbers = array_number_slots(count);
  slots.insert(slots.end(), numbers, numbers + count);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"pycuda.gpuarray.GPUArray", sizeof(ArrayObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

/// Whether arrays of the class are made without running Python code.
bool plain_class(PyTypeObject* type) {
  static PyObject* const name = PyUnicode_InternFromString("__init__");
  return class_attribute(type, name) == default_init;
}

/// What is made of an array of a class: a class with a constructor of its own, which may want other
/// arguments, gets plain arrays.
PyTypeObject* class_of_results(PyTypeObject* type) { return plain_class(type) ? type : plain_type; }

nb::object bare(PyTypeObject* type) {
  nb::object made = nb::steal(create(type, nullptr, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

}  // namespace

array::ArrayRef ArrayState::ref() const {
  if (home != nullptr && home.get() != cuda::internal::on_thread.current) check_home(*this);
  keep_if_captured(*this);
  return located();
}

std::string ArrayState::description() const {
  return "shape " + array::shape_text(layout.shape_span()) +
         (dtype.is_valid() ? " and dtype " + nb::cast<std::string>(nb::str(dtype))
                           : " and no dtype");
}

std::string ArrayState::byte_order_advice() const {
  if (!dtype.is_valid() || !is_byte_swapped(dtype)) return {};
  return ", whose byte order is not the device's: convert it on the host, before to_gpu, with "
         "astype(" +
         native_name(dtype) + ")";
}

array::ArrayRef ArrayState::located() const {
  array::ArrayRef array{address, type, item_bytes, &layout};
  if (gpudata.is_valid()) {
    array.address = device_address(gpudata, "the array's gpudata");
  } else if (base.is_valid() && is_array(base.ptr())) {
    // A view knows its address, but its owner knows whether the memory is still there.
    const ArrayState& owner = state_of_array(base.ptr());
    if (owner.gpudata.is_valid()) device_address(owner.gpudata, "the gpudata of the array's base");
  }
  if (array.address == 0 && size * item_bytes != 0) [[unlikely]] {
    raise_value_error("the array of " + description() +
                      " has no memory: its constructor did not end, or its gpudata was taken away");
  }
  return array;
}

void ArrayState::check_writable() const {
  if (!read_only) return;
  throw array::ShapeMismatch("an array of " + description() +
                             " is read-only memory of another package: write to a copy");
}

array::ArrayRef ArrayState::written() const {
  check_writable();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(layout.ndim); ++axis) {
    if (layout.shape[axis] > 1 && layout.strides[axis] == 0) {
      throw array::ShapeMismatch("an array of " + description() + " whose stride along axis " +
                                 std::to_string(axis) +
                                 " is 0 shows elements more than once and cannot be written");
    }
  }
  return ref();
}

PyTypeObject* array_base_type() { return array_type; }

bool is_array(PyObject* object) {
  return PyObject_TypeCheck(object, array_type) != 0 &&
         reinterpret_cast<ArrayObject*>(object)->alive;
}

PyObject* require_array(nb::handle object, const char* what) {
  if (is_array(object.ptr())) return object.ptr();
  PyErr_Format(PyExc_TypeError, "%s must be a GPUArray, not %s", what,
               type_name(object.ptr()).c_str());
  throw nb::python_error();
}

nb::object new_result(PyObject* model, const Layout& layout, DType type, nb::handle dtype,
                      std::int64_t item_bytes) {
  if (plain_class(Py_TYPE(model)) || !layout.same_shape(state_of_array(model).layout)) {
    return new_array(model, layout, type, dtype, item_bytes);
  }
  nb::object made = nb::handle(model).attr("_new_like_me")(dtype);
  if (!is_array(made.ptr()) || !state_of_array(made.ptr()).layout.same_shape(layout) ||
      state_of_array(made.ptr()).type != type) {
    throw array::TypeMismatch("_new_like_me gave no array of shape " +
                              array::shape_text(layout.shape_span()) + " and the dtype asked for");
  }
  return made;
}

namespace {

/// An array without memory, of the class and with the allocator that results of `model` have.
nb::object without_memory(PyObject* model, const Layout& layout, DType type, nb::handle dtype,
                          std::int64_t item_bytes) {
  nb::object made = bare(class_of_results(Py_TYPE(model)));
  ArrayState& state = state_of_array(made.ptr());
  state.layout = layout;
  state.type = type;
  state.dtype = nb::borrow(dtype);
  state.item_bytes = item_bytes;
  state.size = layout.size();
  state.allocator = state_of_array(model).allocator;
  return made;
}

}  // namespace

nb::object new_array(PyObject* model, const Layout& layout, DType type, nb::handle dtype,
                     std::int64_t item_bytes) {
  nb::object made = without_memory(model, layout, type, dtype, item_bytes);
  ArrayState& state = state_of_array(made.ptr());
  const std::int64_t bytes = state.size * item_bytes;
  if (bytes == 0) return made;
  if (state.allocator.is_valid()) {
    allocate_elsewhere(state, bytes);
  } else {
    allocate_block(state, bytes);
  }
  return made;
}

nb::object new_view(PyObject* owner, std::int64_t offset_bytes, const Layout& layout, DType type,
                    nb::handle dtype, std::int64_t item_bytes) {
  const ArrayState& from = state_of_array(owner);
  // The chain of views stays short: the owner of the memory is what counts.
  const bool chained = from.base.is_valid() && is_array(from.base.ptr());
  const nb::object base = chained ? from.base : nb::borrow(owner);
  const CUdeviceptr address =
      layout.size() == 0 ? 0 : from.located().address + static_cast<CUdeviceptr>(offset_bytes);
  nb::object made = without_memory(owner, layout, type, dtype, item_bytes);
  ArrayState& state = state_of_array(made.ptr());
  state.base = base;
  state.home = from.home;
  state.address = address;
  state.read_only = from.read_only;
  return made;
}

bool has_escaped(PyObject* object) {
  const ArrayState& state = state_of_array(object);
  if (state.escaped || state.gpudata.is_valid()) return true;
  return state.base.is_valid() && state.base.ptr() != object && is_array(state.base.ptr()) &&
         has_escaped(state.base.ptr());
}

void mark_escaped(PyObject* object) {
  ArrayState& state = state_of_array(object);
  state.escaped = true;
  if (state.base.is_valid() && state.base.ptr() != object && is_array(state.base.ptr())) {
    mark_escaped(state.base.ptr());
  }
}

void read_shape(nb::handle shape, Layout& layout) {
  const auto add = [&](nb::handle length) {
    if (layout.ndim == array::max_dims) {
      throw array::ShapeMismatch("arrays have at most " + std::to_string(array::max_dims) +
                                 " axes");
    }
    const auto value = as_integer<std::int64_t>(length, "a length of the shape");
    if (value < 0) raise_out_of_range("a length of the shape", length);
    layout.shape[static_cast<std::size_t>(layout.ndim++)] = value;
  };
  layout.ndim = 0;
  if (PyIndex_Check(shape.ptr()) && !PySequence_Check(shape.ptr())) {
    add(shape);
  } else {
    for (nb::handle length : nb::iter(shape)) add(length);
  }
}

void read_strides(nb::handle strides, Layout& layout) {
  int axis = 0;
  for (nb::handle stride : nb::iter(strides)) {
    if (axis == layout.ndim) break;
    layout.strides[static_cast<std::size_t>(axis++)] = as_integer<std::int64_t>(stride, "a stride");
  }
  if (axis != layout.ndim || nb::len(strides) != static_cast<std::size_t>(layout.ndim)) {
    throw array::ShapeMismatch("strides must be one for each axis of shape " +
                               array::shape_text(layout.shape_span()) + ", not " +
                               nb::cast<std::string>(nb::str(strides)));
  }
}

nb::object tuple_of(const std::int64_t* values, int count) {
  nb::object tuple = nb::steal(PyTuple_New(count));
  if (!tuple.is_valid()) throw nb::python_error();
  for (int i = 0; i < count; ++i) {
    PyObject* value = PyLong_FromLongLong(values[i]);
    if (value == nullptr) throw nb::python_error();
    NB_TUPLE_SET_ITEM(tuple.ptr(), i, value);
  }
  return tuple;
}

void bind_array_object(nb::module_& m) {
  bind_array_memory(m);
  array_type = make_type();
  refuse_as_address(array_type);
  m.attr("_ArrayBase") = nb::borrow(reinterpret_cast<PyObject*>(array_type));
  m.def("_set_array_class", [](nb::object type) {
    default_init = nb::object(type.attr("__init__")).release().ptr();
    plain_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());
  });
}

}  // namespace pycuda::bindings
