// SPDX-License-Identifier: MIT
#include "bindings/host_node.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// Without the collector of cycles while this lives: it might end device memory, and on this thread
/// the driver may not be called.
class NoCollection {
 public:
  NoCollection() : was_on_(PyGC_Disable() != 0) {}
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;
  ~NoCollection() {
    if (was_on_) PyGC_Enable();
  }

 private:
  bool was_on_;
};

bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void CUDA_CB call_host_node(void* function) {
  // The interpreter's end waits for nobody, and its lock is nobody's any more.
  if (!nb::is_alive() || Py_IsInitialized() == 0 || interpreter_ends()) return;
  const nb::gil_scoped_acquire locked;
  const NoCollection uncollected;
  auto* const callable = static_cast<PyObject*>(function);
  const nb::object result = nb::steal(PyObject_CallNoArgs(callable));
  if (!result.is_valid()) PyErr_WriteUnraisable(callable);
}

}  // namespace pycuda::bindings
