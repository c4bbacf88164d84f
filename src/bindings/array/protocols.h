// SPDX-License-Identifier: MIT
// NumPy's function protocols: np.exp(a), np.add(a, 2) and np.sum(a) are dispatched to the array;
// and Python's buffer protocol.
// Plain calls of known functions need no Python code; the Python package handles all others.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// __array_ufunc__(ufunc, method, *inputs, **kwargs): METH_FASTCALL | METH_KEYWORDS
PyObject* array_ufunc(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* keywords);
/// __array_function__(func, types, args, kwargs): METH_FASTCALL
PyObject* array_function(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

/// bf_getbuffer: a copy of the array's bytes, or the package's refusal, which says what to do
/// instead; Python would only say that there is no buffer.
int array_buffer(PyObject* self, Py_buffer* view, int flags);
/// bf_releasebuffer: the copy lives until then. NumPy goes by whether there is this function.
void release_array_buffer(PyObject* self, Py_buffer* view);

/// What the package knows: {ufunc: operation's name}, what answers other calls of ufuncs,
/// {function: what answers it}, and what finds an answer to functions that are not there.
void set_array_protocols(const nanobind::dict& ufuncs, nanobind::object other_ufuncs,
                         nanobind::dict functions, nanobind::object find_function);

}  // namespace pycuda::bindings
