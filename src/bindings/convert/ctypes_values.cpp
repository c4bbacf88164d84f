// SPDX-License-Identifier: MIT
#include "bindings/convert/ctypes_values.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// ctypes if the program uses it.
nb::object loaded_ctypes() {
  PyObject* const modules = PyImport_GetModuleDict();
  return nb::borrow(PyDict_GetItemString(modules, "ctypes"));
}

bool is_instance(PyObject* object, const nb::object& ctypes, const char* name) {
  return PyObject_IsInstance(object, nb::object(ctypes.attr(name)).ptr()) == 1;
}

}  // namespace

std::optional<nb::object> ctypes_number(PyObject* object) {
  const nb::object ctypes = loaded_ctypes();
  if (!ctypes.is_valid() || !is_instance(object, ctypes, "_SimpleCData")) return std::nullopt;
  nb::object value = nb::handle(object).attr("value");
  if (value.is_none() && is_instance(object, ctypes, "c_void_p")) return nb::int_(0);
  if (!nb::isinstance<nb::int_>(value) && !nb::isinstance<nb::float_>(value)) return std::nullopt;
  return value;
}

bool is_ctypes_aggregate(PyObject* object) {
  const nb::object ctypes = loaded_ctypes();
  if (!ctypes.is_valid()) return false;
  return is_instance(object, ctypes, "Structure") || is_instance(object, ctypes, "Union") ||
         is_instance(object, ctypes, "Array");
}

}  // namespace pycuda::bindings
