// SPDX-License-Identifier: MIT
#include "cpu/processor/instructions.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace pycuda::cpu::processor {

void pause_core() {}

std::uint64_t ticks() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void stream_copy(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void stream_fill(unsigned char* to, std::uint32_t pattern, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof pattern)
    std::memcpy(to + at, &pattern, std::min(sizeof pattern, bytes - at));
}

void end_streaming() { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace pycuda::cpu::processor
