// SPDX-License-Identifier: MIT
// Attributes that an object may lack.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// The attribute, or an invalid object where there is none. Throws what else looking for it raises.
inline nanobind::object optional_attribute(PyObject* object, PyObject* name) {
  nanobind::object found = nanobind::steal(PyObject_GetAttr(object, name));
  if (found.is_valid()) return found;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nanobind::python_error();
  PyErr_Clear();
  return found;
}

}  // namespace pycuda::bindings
