// SPDX-License-Identifier: MIT
// A clock that costs a few nanoseconds to read.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <chrono>
#endif

namespace pycuda::cpu::exec {

/// Counts on at a steady rate, of one to five a nanosecond: for lengths of time that need be known
/// roughly. Not the same on all cores to the last tick.
using Ticks = std::uint64_t;

inline Ticks ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// So long, roughly.
constexpr Ticks microseconds_in_ticks(std::uint64_t time) { return time * 2500; }

}  // namespace pycuda::cpu::exec
