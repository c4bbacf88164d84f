// SPDX-License-Identifier: MIT
// The attributes of pycuda._driver._ArrayBase.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// For the slot Py_tp_getset.
PyGetSetDef* array_attributes();

}  // namespace pycuda::bindings
