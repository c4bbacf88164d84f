// SPDX-License-Identifier: MIT
// Instructions of the processor that the tests run on, which the compiler does not look into.
#pragma once

#include <cstdint>

namespace pycuda::cpu::exec::tests {

/// Four bytes, at whatever address.
inline void store_by_instruction(std::uintptr_t address) {
#if defined(__x86_64__)
  asm volatile("movl $1, (%0)" ::"r"(address) : "memory");
#elif defined(__aarch64__)
  asm volatile("str %w0, [%1]" ::"r"(1), "r"(address) : "memory");
#endif
}

/// One that no processor has.
inline void undefined_instruction() {
#if defined(__x86_64__)
  asm volatile("ud2");
#elif defined(__aarch64__)
  asm volatile("udf #0");
#endif
}

}  // namespace pycuda::cpu::exec::tests
