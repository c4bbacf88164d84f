// SPDX-License-Identifier: MIT
// How this thread's arithmetic treats subnormal numbers. Some kernels have the processor flush them
// (KernelFacts::processor_flushes); what they call must not notice.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pycuda::cpu::exec {

#if defined(__x86_64__)
/// MXCSR's FTZ and DAZ: results become zeros of their sign, operands count as such.
inline constexpr unsigned flush_subnormals = 0x8040;

/// Around what a kernel calls that computes with floats.
class UsualFloats {
 public:
  UsualFloats() : control_(_mm_getcsr()) {
    if ((control_ & flush_subnormals) != 0) _mm_setcsr(control_ & ~flush_subnormals);
  }
  ~UsualFloats() {
    if ((control_ & flush_subnormals) != 0) _mm_setcsr(control_);
  }
  UsualFloats(const UsualFloats&) = delete;
  UsualFloats& operator=(const UsualFloats&) = delete;

 private:
  const unsigned control_;
};
#else
class UsualFloats {
 public:
  UsualFloats() {}
  ~UsualFloats() {}
};
#endif

}  // namespace pycuda::cpu::exec
