// SPDX-License-Identifier: MIT
// What nanobind's classes of functions and methods lack: bound methods compare equal where function
// and object are the same, and inspect.signature knows the parameters of all of them. Linked with
// --wrap=PyType_FromSpec: nanobind makes these classes by that function, and no one can change them
// afterwards.
#include <nanobind/nanobind.h>

#include <bit>
#include <cstdint>
#include <deque>
#include <string_view>
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

/// `device.compute_capability[0]` and `mem_get_info[0]`, without the call.
PyObject* item_of_function(PyObject* function, PyObject*) {
  const nb::object name = part_of(function, "__name__");
  if (name.is_valid()) {
    PyErr_Format(PyExc_TypeError, "%U is called before its result is indexed: %U()[...]",
                 name.ptr(), name.ptr());
  }
  return nullptr;
}

PyObject* print_function(PyObject* function) {
  const nb::object name = part_of(function, "__name__");
  return name.is_valid() ? PyUnicode_FromFormat("<function %U of pycuda.driver>", name.ptr())
                         : nullptr;
}

PyObject* print_method(PyObject* method) {
  const nb::object name = part_of(method, "__name__");
  const nb::object self = part_of(method, "__self__");
  if (!name.is_valid() || !self.is_valid()) return nullptr;
  return PyUnicode_FromFormat("<method %U of %R>", name.ptr(), self.ptr());
}

/// A function's parameters, as inspect.signature asks for them.
PyObject* signature(PyObject* function, void*) {
  const nb::object module = nb::steal(PyImport_ImportModule("pycuda._signatures"));
  if (!module.is_valid()) return nullptr;
  return PyObject_CallMethod(module.ptr(), "of_function", "O", function);
}

/// The same without `self`.
PyObject* bound_signature(PyObject* method, void*) {
  const nb::object module = nb::steal(PyImport_ImportModule("pycuda._signatures"));
  const nb::object function = part_of(method, "__func__");
  if (!module.is_valid() || !function.is_valid()) return nullptr;
  return PyObject_CallMethod(module.ptr(), "of_bound_method", "O", function.ptr());
}

/// The slots of a class with one more attribute. Both tables live as long as the process, since the
/// class refers to them.
std::vector<PyType_Slot>& with_signature(const PyType_Spec& spec, getter get) {
  static std::deque<std::vector<PyGetSetDef>> attributes;
  static std::deque<std::vector<PyType_Slot>> all_slots;
  auto& slots = all_slots.emplace_back();
  for (const PyType_Slot* slot = spec.slots; slot->slot != 0; ++slot) {
    slots.push_back(*slot);
    if (slot->slot != Py_tp_getset) continue;
    auto& extended = attributes.emplace_back();
    for (auto* one = static_cast<PyGetSetDef*>(slot->pfunc); one->name != nullptr; ++one) {
      extended.push_back(*one);
    }
    extended.push_back({"__signature__", get, nullptr, nullptr, nullptr});
    extended.push_back({});
    slots.back().pfunc = extended.data();
  }
  return slots;
}

}  // namespace

extern "C" PyObject* __real_PyType_FromSpec(PyType_Spec* spec);

/// `pool.allocate == pool.allocate`, and both are one key of a dictionary. nanobind compares such
/// methods by where they lie, and each look-up makes a new one.
extern "C" PyObject* __wrap_PyType_FromSpec(PyType_Spec* spec) {
  const std::string_view name = spec->name;
  const bool bound = name == "nanobind.nb_bound_method";
  if (!bound && name != "nanobind.nb_func" && name != "nanobind.nb_method") {
    return __real_PyType_FromSpec(spec);
  }
  auto& slots = with_signature(*spec, bound ? bound_signature : signature);
  if (bound) {
    slots.push_back({Py_tp_richcompare, reinterpret_cast<void*>(compare)});
    slots.push_back({Py_tp_hash, reinterpret_cast<void*>(hash)});
  }
  const bool is_shown = bound || name == "nanobind.nb_func";
  if (is_shown) {
    slots.push_back({Py_mp_subscript, reinterpret_cast<void*>(item_of_function)});
    slots.push_back({Py_tp_repr, reinterpret_cast<void*>(bound ? print_method : print_function)});
  }
  slots.push_back({0, nullptr});
  PyType_Spec extended = *spec;
  extended.slots = slots.data();
  // Python's errors show the name.
  if (is_shown) extended.name = bound ? "pycuda.driver.method" : "pycuda.driver.function";
  return __real_PyType_FromSpec(&extended);
}
