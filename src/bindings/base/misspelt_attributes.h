// SPDX-License-Identifier: MIT
// Attributes that programs set on objects of ours, and that may be misspelt.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// As PyObject_GenericSetAttr: an attribute that the class lacks is kept. Where its name is almost
/// that of one it has, with a UserWarning (pycuda._misspelt).
int set_attribute_with_warning(PyObject* self, PyObject* name, PyObject* value);

/// The same as slots of a class.
inline PyType_Slot slots_that_warn_of_misspelling[] = {
    {Py_tp_setattro, reinterpret_cast<void*>(set_attribute_with_warning)},
    {0, nullptr},
};

/// As PyObject_GenericGetAttr: of a name that other packages' objects have, AttributeError says
/// what this one has (pycuda._other_names).
PyObject* attribute_with_remedy(PyObject* self, PyObject* name);

inline PyType_Slot slots_that_tell_of_other_names[] = {
    {Py_tp_getattro, reinterpret_cast<void*>(attribute_with_remedy)},
    {0, nullptr},
};

}  // namespace pycuda::bindings
