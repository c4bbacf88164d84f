// SPDX-License-Identifier: MIT
#include "bindings/graph/host_node.h"

#include "bindings/gil/on_driver_thread.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// Without the collector of cycles while one of these lives: it might end device memory, and on
/// this thread the driver may not be called. The GIL protects the members; a function may release
/// it, so that others come and end meanwhile.
class NoCollection {
 public:
  NoCollection() {
    if (inside_++ == 0) was_on_ = PyGC_Disable() != 0;
  }
  NoCollection(const NoCollection&) = delete;
  NoCollection& operator=(const NoCollection&) = delete;
  ~NoCollection() {
    if (--inside_ == 0 && was_on_) PyGC_Enable();
  }

 private:
  inline static int inside_ = 0;
  inline static bool was_on_ = false;
};

}  // namespace

void CUDA_CB call_host_node(void* function) {
  const GilOnDriverThread locked;
  if (!locked) return;
  const NoCollection uncollected;
  auto* const callable = static_cast<PyObject*>(function);
  const nb::object result = nb::steal(PyObject_CallNoArgs(callable));
  if (!result.is_valid()) PyErr_WriteUnraisable(callable);
}

}  // namespace pycuda::bindings
