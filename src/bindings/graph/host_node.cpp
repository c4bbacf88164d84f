// SPDX-License-Identifier: MIT
#include "bindings/graph/host_node.h"

#include "bindings/gil/no_collection.h"
#include "bindings/gil/on_driver_thread.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

void call(PyObject* callable) {
  const NoCollection uncollected;
  const nb::object result = nb::steal(PyObject_CallNoArgs(callable));
  if (!result.is_valid()) PyErr_WriteUnraisable(callable);
}

}  // namespace

void CUDA_CB call_host_node(void* function) {
  const GilOnDriverThread locked;
  if (locked) call(static_cast<PyObject*>(function));
}

void CUDA_CB call_host_function_once(void* function) {
  const GilOnDriverThread locked;
  if (!locked) return;
  const nb::object last = nb::steal(static_cast<PyObject*>(function));
  call(last.ptr());
}

}  // namespace pycuda::bindings
