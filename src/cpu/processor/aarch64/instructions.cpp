// SPDX-License-Identifier: MIT
#include "cpu/processor/instructions.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace pycuda::cpu::processor {

// YIELD does nothing on most of these processors; ISB waits for as long as x86's PAUSE.
void pause_core() { __asm__ volatile("isb"); }

std::uint64_t ticks() {
  std::uint64_t count = 0;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
}

// These processors notice that whole lines are overwritten, and do not read them first.
void stream_copy(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void stream_fill(unsigned char* to, std::uint32_t pattern, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof pattern)
    std::memcpy(to + at, &pattern, std::min(sizeof pattern, bytes - at));
}

void end_streaming() { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace pycuda::cpu::processor
