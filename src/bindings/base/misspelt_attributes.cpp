// SPDX-License-Identifier: MIT
#include "bindings/base/misspelt_attributes.h"

#include "bindings/base/limited_api.h"

namespace nb = nanobind;

namespace pycuda::bindings {

int set_attribute_with_warning(PyObject* self, PyObject* name, PyObject* value) {
  if (value != nullptr && PyUnicode_Check(name) &&
      class_attribute(Py_TYPE(self), name) == nullptr) {
    const nb::object module = nb::steal(PyImport_ImportModule("pycuda._misspelt"));
    if (!module.is_valid()) return -1;
    const nb::object warned =
        nb::steal(PyObject_CallMethod(module.ptr(), "warn_of_attribute", "OO", self, name));
    if (!warned.is_valid()) return -1;
  }
  return PyObject_GenericSetAttr(self, name, value);
}

}  // namespace pycuda::bindings
