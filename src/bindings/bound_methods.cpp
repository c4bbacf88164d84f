// SPDX-License-Identifier: MIT
// Linked with --wrap=PyType_FromSpec: nanobind makes its class of bound methods by that function,
// and no one can change the class afterwards.
#include <nanobind/nanobind.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace nb = nanobind;

namespace {

/// A method's function or object; invalid, with Python's error set, where it has none.
nb::object part_of(PyObject* method, const char* name) {
  return nb::steal(PyObject_GetAttrString(method, name));
}

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(left) != Py_TYPE(right)) {
    return Py_NewRef(Py_NotImplemented);
  }
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

extern "C" PyObject* __real_PyType_FromSpec(PyType_Spec* spec);

/// `pool.allocate == pool.allocate`, and both are one key of a dictionary: equal where function and
/// object are the same. nanobind compares such methods by where they lie, and each look-up makes a
/// new one.
extern "C" PyObject* __wrap_PyType_FromSpec(PyType_Spec* spec) {
  if (std::strcmp(spec->name, "nanobind.nb_bound_method") != 0) return __real_PyType_FromSpec(spec);
  std::vector<PyType_Slot> slots = {{Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                                    {Py_tp_hash, reinterpret_cast<void*>(hash)}};
  for (const PyType_Slot* slot = spec->slots; slot->slot != 0; ++slot) slots.push_back(*slot);
  slots.push_back({0, nullptr});
  PyType_Spec with_comparison = *spec;
  with_comparison.slots = slots.data();
  return __real_PyType_FromSpec(&with_comparison);
}
