// SPDX-License-Identifier: MIT
#include "cpu/target/target.h"

namespace pycuda::cpu::target {

const char* host_instruction_set() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  return "SSE2";
}

}  // namespace pycuda::cpu::target
