// SPDX-License-Identifier: MIT
#include "bindings/base/misspelt_attributes.h"

#include "bindings/base/limited_api.h"

namespace nb = nanobind;

namespace pycuda::bindings {

namespace {

bool is_private(PyObject* name) {
  return PyUnicode_GetLength(name) == 0 || PyUnicode_ReadChar(name, 0) == '_';
}

}  // namespace

PyObject* attribute_with_remedy(PyObject* self, PyObject* name) {
  PyObject* const found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0 || is_private(name))
    return found;
  nb::object remedy;
  {
    const nb::error_scope missing;
    const nb::object module = nb::steal(PyImport_ImportModule("pycuda._other_names"));
    const nb::object owner =
        nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), "__name__"));
    if (module.is_valid() && owner.is_valid())
      remedy = nb::steal(PyObject_CallMethod(module.ptr(), "remedy", "OO", owner.ptr(), name));
    PyErr_Clear();
    if (!remedy.is_valid() || PyObject_IsTrue(remedy.ptr()) != 1) remedy = nb::object();
    if (remedy.is_valid())
      remedy = nb::steal(PyUnicode_FromFormat("'%U' object has no attribute '%U'%U", owner.ptr(),
                                              name, remedy.ptr()));
  }
  if (remedy.is_valid()) {
    PyErr_Clear();
    PyErr_SetObject(PyExc_AttributeError, remedy.ptr());
  }
  return nullptr;
}

int set_attribute_with_warning(PyObject* self, PyObject* name, PyObject* value) {
  if (value != nullptr && PyUnicode_Check(name) && !is_private(name) &&
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
