// SPDX-License-Identifier: MIT
// How a thread's arithmetic treats subnormal numbers, and which NaNs it makes.
#pragma once

#if defined(__x86_64__)
#include "cpu/processor/x86/float_control.h"
#elif defined(__aarch64__)
#include "cpu/processor/aarch64/float_control.h"
#endif

namespace pycuda::cpu::processor {

/// Around what computes with floats and is called by code that may have the processor flush
/// subnormal numbers (KernelFacts::processor_flushes).
class UsualFloats {
 public:
  UsualFloats() : control_(float_control()) {
    if ((control_ & flush_subnormals) != 0) set_float_control(control_ & ~flush_subnormals);
  }
  ~UsualFloats() {
    if ((control_ & flush_subnormals) != 0) set_float_control(control_);
  }
  UsualFloats(const UsualFloats&) = delete;
  UsualFloats& operator=(const UsualFloats&) = delete;

 private:
  const unsigned control_;
};

}  // namespace pycuda::cpu::processor
