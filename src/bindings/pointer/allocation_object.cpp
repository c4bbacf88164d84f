// SPDX-License-Identifier: MIT
#include "bindings/pointer/allocation_object.h"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <utility>

#include "bindings/base/errors.h"
#include "bindings/base/misspelt_attributes.h"
#include "bindings/convert/integers.h"
#include "cuda/device_traits.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* allocation_type = nullptr;

/// On an H200 4 KiB take 2 us and 1 MiB 20 us, also while a kernel runs.
constexpr std::size_t quick_allocation_bytes = std::size_t{1} << 20;
AllocationObject* as_object(PyObject* self) { return reinterpret_cast<AllocationObject*>(self); }
DeviceAllocation& self_of(PyObject* self) { return *as_object(self)->allocation; }

/// The memory of dead objects of `allocation_type`, for the next ones: Python's allocator takes
/// longer when it hands out one object's memory again and again. Protected by the GIL.
struct SpareObjects {
  static constexpr int most = 32;
  PyObject* objects[most];
  int count = 0;
};
SpareObjects spare;

/// Without memory yet.
AllocationObject* new_object(PyTypeObject* type) {
  PyObject* object = type == allocation_type && spare.count > 0
                         ? PyObject_Init(spare.objects[--spare.count], type)
                         : reinterpret_cast<PyObject*>(PyObject_GC_New(AllocationObject, type));
  if (object == nullptr) throw nb::python_error();
  as_object(object)->dict = nullptr;
  as_object(object)->weak_references = nullptr;
  as_object(object)->allocation = nullptr;
  return as_object(object);
}

void free_object(PyObject* object, PyTypeObject* type) {
  if (type == allocation_type && spare.count < SpareObjects::most) {
    spare.objects[spare.count++] = object;
  } else {
    PyObject_GC_Del(object);
  }
  Py_DECREF(type);
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  AllocationObject* object = as_object(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(object->dict);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  if (reinterpret_cast<unsigned char*>(object->allocation) == object->storage) {
    // What lies in the object is of this very class.
    object->allocation->DeviceAllocation::~DeviceAllocation();
  } else {
    delete object->allocation;
  }
  free_object(self, type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_object(self)->dict);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(as_object(self)->dict);
  return 0;
}

// Python's collector need not know of memory that no program has put attributes on: making and
// freeing it stays cheap.
void track_if_it_has_attributes(PyObject* self) {
  if (as_object(self)->dict != nullptr && !PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const int status = PyObject_GenericSetAttr(self, name, value);
  track_if_it_has_attributes(self);
  return status;
}

PyObject* attributes(PyObject* self, void* context) {
  PyObject* dict = PyObject_GenericGetDict(self, context);
  track_if_it_has_attributes(self);
  return dict;
}

int set_attributes(PyObject* self, PyObject* value, void* context) {
  const int status = PyObject_GenericSetDict(self, value, context);
  track_if_it_has_attributes(self);
  return status;
}

PyObject* address(PyObject* self) {
  return python_entry([&] { return PyLong_FromUnsignedLongLong(self_of(self).address()); });
}
PyObject* address_method(PyObject* self, PyObject*) { return address(self); }

/// Memory is no number, and has no elements: what programs mean is written otherwise.
PyObject* add(PyObject* left, PyObject* right) {
  const bool is_left = PyObject_TypeCheck(left, allocation_type) != 0;
  if (!PyLong_Check(is_left ? right : left)) return Py_NewRef(Py_NotImplemented);
  PyErr_SetString(PyExc_TypeError,
                  "device memory is no number: int(memory) + bytes is an address in it");
  return nullptr;
}

PyObject* item(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "device memory has no elements: GPUArray(shape, dtype, gpudata=memory) is an "
                  "array in it, memcpy_dtoh(array, memory) copies it to the host");
  return nullptr;
}

PyObject* free_memory(PyObject* self, PyObject*) {
  return python_entry([&]() -> PyObject* {
    if (self_of(self).views != 0) {
      PyErr_SetString(PyExc_BufferError, "cannot free memory while views of it exist");
      throw nb::python_error();
    }
    without_gil([&] { self_of(self).free(); });
    Py_RETURN_NONE;
  });
}

PyObject* as_buffer(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return python_entry([&]() -> PyObject* {
    static const char* names[] = {"size", "offset", nullptr};
    PyObject* size = nullptr;
    PyObject* offset = nullptr;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:as_buffer",
                                     const_cast<char**>(names), &size, &offset)) {
      throw nb::python_error();
    }
    const CUdeviceptr start = self_of(self).address();
    const std::size_t skipped = offset == nullptr ? 0 : as_integer<std::size_t>(offset, "offset");
    const auto bytes = as_integer<std::size_t>(size, "size");
    const std::size_t all = self_of(self).bytes();
    if (skipped > all || bytes > all - skipped) {
      PyErr_Format(PyExc_ValueError, "%zu bytes from byte %zu on: the memory has %zu bytes", bytes,
                   skipped, all);
      throw nb::python_error();
    }
    // To a GPU's own memory the host has no access: such a view is an address for other libraries.
    const bool reached = PyObject_CheckBuffer(self) != 0 || cuda::current_device_traits().is_cpu;
    int* const views = reached ? &self_of(self).views : nullptr;
    return memory_view(self, start + skipped, bytes, views).release().ptr();
  });
}

PyObject* mem_alloc(PyObject*, PyObject* const* arguments, Py_ssize_t count,
                    PyObject* keyword_names) {
  return python_entry([&]() -> PyObject* {
    const bool named =
        keyword_names != nullptr && NB_TUPLE_GET_SIZE(keyword_names) == 1 &&
        PyUnicode_CompareWithASCIIString(NB_TUPLE_GET_ITEM(keyword_names, 0), "bytes") == 0;
    const Py_ssize_t keywords = keyword_names == nullptr ? 0 : NB_TUPLE_GET_SIZE(keyword_names);
    if (count + keywords != 1 || (keywords == 1 && !named)) {
      PyErr_SetString(PyExc_TypeError, "mem_alloc() takes one argument, the size in bytes");
      throw nb::python_error();
    }
    const auto bytes = as_integer<std::size_t>(arguments[0], "the size in bytes");
    nb::object owner = nb::steal(reinterpret_cast<PyObject*>(new_object(allocation_type)));
    AllocationObject* object = as_object(owner.ptr());
    const auto allocate = [&] {
      object->allocation = new (object->storage) DeviceAllocation(bytes);
    };
    // Releasing the GIL and taking it again costs more than a small allocation. But a thread that
    // gives memory back waits for kernels, NVIDIA's driver lets nobody allocate meanwhile, and a
    // kernel may wait for what another thread does with the GIL.
    if (bytes <= quick_allocation_bytes && GilReleaseCount::threads() == 0) {
      allocate();
    } else {
      without_gil(allocate);
    }
    return owner.release().ptr();
  });
}

template <class Method>
PyCFunction as_method(Method* method) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

PyTypeObject* make_type() {
  static PyMethodDef methods[] = {
      {"free", free_memory, METH_NOARGS,
       "free($self)\n--\n\n"
       "Free the memory now. Using it afterwards raises LogicError; freeing it twice does too. "
       "BufferError while a view of `as_buffer` exists that the host can use."},
      {"as_buffer", as_method(as_buffer), METH_VARARGS | METH_KEYWORDS,
       "as_buffer($self, size, offset=0)\n--\n\n"
       "A view of memory that the host can read, `size` bytes from `offset` on: managed or mapped "
       "memory, and all memory of the CPU driver."},
      {"__long__", address_method, METH_NOARGS, "The address."},
      {nullptr, nullptr, 0, nullptr},
  };
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(AllocationObject, weak_references), READONLY,
       nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(AllocationObject, dict), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static PyGetSetDef properties[] = {
      {"__dict__", attributes, set_attributes, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("Device memory; `int()` gives its address. It is freed when "
                                    "the last reference goes, by any thread.")},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_getattro, reinterpret_cast<void*>(attribute_with_remedy)},
      {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {Py_nb_int, reinterpret_cast<void*>(address)},
      {Py_nb_index, reinterpret_cast<void*>(address)},
      {Py_nb_add, reinterpret_cast<void*>(add)},
      {Py_mp_subscript, reinterpret_cast<void*>(item)},
      {0, nullptr},
  };
  static PyType_Spec spec = {"pycuda.driver.DeviceAllocation", sizeof(AllocationObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

DeviceAllocation* allocation_of(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type != allocation_type && !PyType_IsSubtype(type, allocation_type)) return nullptr;
  return as_object(object)->allocation;
}

nb::object make_allocation(cuda::DeviceMemory memory) {
  AllocationObject* object = new_object(allocation_type);
  object->allocation = new (object->storage) DeviceAllocation(std::move(memory));
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

nb::object make_allocation(PyTypeObject* type, std::unique_ptr<DeviceAllocation> allocation) {
  AllocationObject* object = new_object(type);
  object->allocation = allocation.release();
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

PyTypeObject* derive_allocation_type(const char* qualified_name, PyType_Slot* slots) {
  PyType_Spec spec = {qualified_name, sizeof(AllocationObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(allocation_type));
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

void bind_allocation_object(nb::module_& m) {
  allocation_type = make_type();
  m.attr("DeviceAllocation") = nb::borrow(reinterpret_cast<PyObject*>(allocation_type));
  static PyMethodDef function = {"mem_alloc", as_method(mem_alloc), METH_FASTCALL | METH_KEYWORDS,
                                 "mem_alloc(bytes)\n--\n\n"
                                 "Allocate device memory in the current context.\n"
                                 "\n"
                                 "Parameters\n"
                                 "----------\n"
                                 "bytes : int\n"
                                 "    At least 1.\n"
                                 "\n"
                                 "Returns\n"
                                 "-------\n"
                                 "DeviceAllocation\n"
                                 "    Its contents are undefined.\n"
                                 "\n"
                                 "Raises\n"
                                 "------\n"
                                 "MemoryError\n"
                                 "    When there is not that much, even after collecting garbage.\n"
                                 "LogicError\n"
                                 "    For 0 bytes, or without a context."};
  const nb::object name = nb::str("pycuda._driver");
  m.attr("mem_alloc") = nb::steal(PyCFunction_NewEx(&function, nullptr, name.ptr()));
}

}  // namespace pycuda::bindings
