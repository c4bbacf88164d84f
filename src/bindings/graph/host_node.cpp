// SPDX-License-Identifier: MIT
#include "bindings/graph/host_node.h"

#include "bindings/gil/no_collection.h"
#include "bindings/gil/on_driver_thread.h"

namespace nb = nanobind;

namespace pycuda::bindings {
void CUDA_CB call_host_node(void* function) {
  const GilOnDriverThread locked;
  if (!locked) return;
  const NoCollection uncollected;
  auto* const callable = static_cast<PyObject*>(function);
  const nb::object result = nb::steal(PyObject_CallNoArgs(callable));
  if (!result.is_valid()) PyErr_WriteUnraisable(callable);
}

}  // namespace pycuda::bindings
