// SPDX-License-Identifier: MIT
#include "bindings/bound_methods.h"

#include <bit>
#include <cstdint>

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// A method's function or object; invalid, with Python's error set, where it has none.
nb::object part_of(PyObject* method, const char* name) {
  return nb::steal(PyObject_GetAttrString(method, name));
}

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(left) != Py_TYPE(right))
    Py_RETURN_NOTIMPLEMENTED;
  bool same = true;
  for (const char* name : {"__self__", "__func__"}) {
    const nb::object one = part_of(left, name), other = part_of(right, name);
    if (!one.is_valid() || !other.is_valid()) return nullptr;
    same = same && one.is(other);
  }
  return PyBool_FromLong(same == (operation == Py_EQ));
}

Py_hash_t hash(PyObject* method) {
  std::uintptr_t mixed = 0;
  for (const char* name : {"__self__", "__func__"}) {
    const nb::object part = part_of(method, name);
    if (!part.is_valid()) return -1;
    // Objects lie at multiples of 16.
    mixed = mixed * 31 + std::rotr(reinterpret_cast<std::uintptr_t>(part.ptr()), 4);
  }
  const auto result = static_cast<Py_hash_t>(mixed);
  return result == -1 ? -2 : result;
}

}  // namespace

void compare_bound_methods(nb::module_& m) {
  // The class has no name that could be asked for; any method has it, bound to whatever object.
  const nb::object function = m.attr("Stream").attr("synchronize");
  const descrgetfunc bind = Py_TYPE(function.ptr())->tp_descr_get;
  const nb::object bound = nb::steal(bind(function.ptr(), m.ptr(), nullptr));
  PyTypeObject* const type = Py_TYPE(bound.ptr());
  type->tp_richcompare = compare;
  type->tp_hash = hash;
  PyType_Modified(type);
}

}  // namespace pycuda::bindings
