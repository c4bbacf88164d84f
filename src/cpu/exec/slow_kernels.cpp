// SPDX-License-Identifier: MIT
#include "cpu/exec/slow_kernels.h"

namespace pycuda::cpu::exec {

SlowKernels& slow_kernels() {
  static SlowKernels* const kernels = new SlowKernels;
  return *kernels;
}

}  // namespace pycuda::cpu::exec
