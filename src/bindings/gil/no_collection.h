// SPDX-License-Identifier: MIT
// Python code on threads that must not call the driver.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// Without the collector of cycles while one of these lives: it might end device memory, and where
/// the driver calls the program, it may not be called. The GIL protects the members; a function may
/// release it, so that others come and end meanwhile.
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

}  // namespace pycuda::bindings
