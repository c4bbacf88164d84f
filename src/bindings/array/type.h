// SPDX-License-Identifier: MIT
// pycuda._driver._ArrayBase: what every array on the device holds. GPUArray derives from it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "array/elementwise.h"
#include "bindings/base/errors.h"
#include "cuda/context.h"
#include "cuda/memory_pool.h"

namespace pycuda::bindings {

/// A plain extension type and not one of nanobind's: an operation on a small array must cost little
/// more than its launch.
struct ArrayState {
  array::Layout layout;
  array::DType type = array::DType::Raw;
  std::int64_t item_bytes = 1;
  std::int64_t size = 1;  ///< no axes and no memory until the constructor says more
  /// Of the first element; with `gpudata` set, that object is asked instead.
  CUdeviceptr address = 0;
  /// Memory from the context's pool that no Python object stands for yet.
  std::optional<cuda::PooledDeviceMemory> block;
  /// Whose memory it is; none where others allocated it.
  cuda::ContextPtr home;
  /// The address is known to others, whose work may be in other streams.
  bool escaped = false;
  /// Memory of another package that says it must not be written to.
  bool read_only = false;
  /// `gpudata` is memory that the program has put in the place of the array's.
  bool given_memory = false;
  nanobind::object dtype;
  nanobind::object allocator;  ///< invalid: the pool
  nanobind::object base;
  nanobind::object gpudata;  ///< invalid: `block`, or a view of `base`
  nanobind::object shape_tuple;
  nanobind::object strides_tuple;

  /// The memory for work in the current context. Raises ValueError for memory of another one.
  array::ArrayRef ref() const;
  /// The same to write to: ValueError too where several indices show the same element, or others
  /// forbid it.
  array::ArrayRef written() const;
  /// The same for those who only ask where it is, and for copies from and to the host.
  array::ArrayRef located() const;
  /// Raises ValueError for memory that must not be written to.
  void check_writable() const;
  /// "shape (3, 4) and dtype float32"
  std::string description() const;
  /// What to do about numbers in the other byte order, which no operation takes; else empty.
  std::string byte_order_advice() const;
};

struct ArrayObject {
  PyObject_HEAD bool alive;
  alignas(ArrayState) unsigned char storage[sizeof(ArrayState)];
  PyObject* dict;
  PyObject* weak_references;

  ArrayState& state() { return *reinterpret_cast<ArrayState*>(storage); }
};

/// The class of everything with an ArrayState.
PyTypeObject* array_base_type();
/// Whether `object` is an array with a state.
bool is_array(PyObject* object);
/// The object if it is an array; else TypeError, about `what`.
PyObject* require_array(nanobind::handle object, const char* what);
inline ArrayState& state_of_array(PyObject* object) {
  return reinterpret_cast<ArrayObject*>(object)->state();
}

/// NumPy's dtype of a type, and back: Raw for types that kernels do not know.
nanobind::handle numpy_dtype(array::DType type);
array::DType dtype_of(nanobind::handle numpy_dtype);
/// The same for NumPy's own objects of these types alone, with little cost: Raw for all others.
array::DType builtin_dtype(nanobind::handle numpy_dtype);
/// numpy.dtype(given)
nanobind::object as_numpy_dtype(nanobind::handle given);

/// How a new array lies in memory: its state's layout has shape and strides.
/// A new array like `model` (its class, its allocator) with memory of its own, dense. Of a class
/// with a constructor of its own it is a plain GPUArray.
nanobind::object new_array(PyObject* model, const array::Layout& layout, array::DType type,
                           nanobind::handle dtype, std::int64_t item_bytes);
/// The same for an operation's result: a class with a constructor of its own makes the results of
/// its shape itself, in its `_new_like_me`.
nanobind::object new_result(PyObject* model, const array::Layout& layout, array::DType type,
                            nanobind::handle dtype, std::int64_t item_bytes);
/// A view: other shape, strides and type of the memory of `owner`, which it keeps alive.
nanobind::object new_view(PyObject* owner, std::int64_t offset_bytes, const array::Layout& layout,
                          array::DType type, nanobind::handle dtype, std::int64_t item_bytes);

/// Work of another stream may use the memory from now on: it is waited for before reuse.
void mark_escaped(PyObject* array);
/// Whether work of other streams may be using the memory.
bool has_escaped(PyObject* array);

/// Reads a shape: an integer or a sequence of integers.
void read_shape(nanobind::handle shape, array::Layout& layout);
/// Reads strides in bytes, as many as the layout has axes.
void read_strides(nanobind::handle strides, array::Layout& layout);
nanobind::object tuple_of(const std::int64_t* values, int count);

/// Slots of the type that compute (array_operators.cpp) and those that index (array_indexing.cpp).
PyObject* array_compare(PyObject* left, PyObject* right, int operation);
const PyType_Slot* array_number_slots(std::size_t& count);
PyObject* array_subscript(PyObject* self, PyObject* index);
/// self[index] for those who walk along the first axis. There is no __iter__: programs tell arrays
/// from lists of arrays by asking for an Iterable.
PyObject* array_item(PyObject* self, Py_ssize_t index);

void bind_array_object(nanobind::module_& m);

}  // namespace pycuda::bindings
