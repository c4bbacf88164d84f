// SPDX-License-Identifier: MIT
// Methods of Function that ask how a kernel fits on the device: METH_VARARGS | METH_KEYWORDS.
#pragma once

#include <Python.h>

namespace pycuda::bindings {

/// max_active_blocks(block, shared=0)
PyObject* max_active_blocks(PyObject* self, PyObject* arguments, PyObject* keywords);
/// suggested_block_size(shared=0, limit=0)
PyObject* suggested_block_size(PyObject* self, PyObject* arguments, PyObject* keywords);
/// available_shared_memory(blocks, block)
PyObject* available_shared_memory(PyObject* self, PyObject* arguments, PyObject* keywords);

}  // namespace pycuda::bindings
