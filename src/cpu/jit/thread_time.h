// SPDX-License-Identifier: MIT
// The processor time of compiling: of one thread, so that a busy machine does not change it.
#pragma once

#include <chrono>
#include <ctime>

namespace pycuda::cpu::jit {

/// The processor time of the calling thread so far. A system call: for logs alone.
inline std::chrono::nanoseconds thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

inline double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace pycuda::cpu::jit
