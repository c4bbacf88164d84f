// SPDX-License-Identifier: MIT
// Remembers kernels that are slower than they look: their small launches go to the workers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::exec {

/// Kernels whose launches took longer than their length suggests (slow memory, calls of the run
/// time), and did so twice running: once may have been another process on the core. A direct-mapped
/// table: a collision costs speed, nothing else. Of kernels that have been quick for long only some
/// launches are timed: reading the clock twice takes as long as a small launch.
struct SlowKernels {
  struct Entry {
    std::atomic<const Kernel*> suspect{nullptr};
    std::atomic<const Kernel*> kernel{nullptr};
    std::atomic<std::uint64_t> blocks{0};  ///< so many were too many
    std::atomic<const Kernel*> quick{nullptr};
    std::atomic<std::uint64_t> quick_blocks{0};  ///< so many were not
    std::atomic<std::uint32_t> launches{0};      ///< of `quick`, roughly
  };
  std::array<Entry, 256> entries;

  Entry& of(const Kernel* kernel) {
    return entries[(reinterpret_cast<std::uintptr_t>(kernel) >> 4) % entries.size()];
  }
  void add(const Kernel* kernel, std::uint64_t blocks) {
    Entry& entry = of(kernel);
    entry.quick.store(nullptr, std::memory_order_relaxed);
    if (entry.suspect.exchange(kernel, std::memory_order_relaxed) != kernel) return;
    entry.blocks.store(blocks, std::memory_order_relaxed);
    entry.kernel.store(kernel, std::memory_order_relaxed);
  }
  void was_quick(const Kernel* kernel, std::uint64_t blocks) {
    Entry& entry = of(kernel);
    if (entry.suspect.load(std::memory_order_relaxed) == kernel)
      entry.suspect.store(nullptr, std::memory_order_relaxed);
    if (entry.quick.load(std::memory_order_relaxed) != kernel) {
      entry.quick_blocks.store(0, std::memory_order_relaxed);
      entry.launches.store(0, std::memory_order_relaxed);
      entry.quick.store(kernel, std::memory_order_relaxed);
    }
    if (entry.quick_blocks.load(std::memory_order_relaxed) < blocks)
      entry.quick_blocks.store(blocks, std::memory_order_relaxed);
  }
  bool worth_timing(const Kernel* kernel, std::uint64_t blocks) {
    constexpr std::uint32_t first = 16, every = 16;
    Entry& entry = of(kernel);
    if (entry.quick.load(std::memory_order_relaxed) != kernel ||
        blocks > entry.quick_blocks.load(std::memory_order_relaxed))
      return true;
    const std::uint32_t launches = entry.launches.load(std::memory_order_relaxed);
    entry.launches.store(launches + 1, std::memory_order_relaxed);
    return launches < first || launches % every == 0;
  }
  bool too_many(const Kernel* kernel, std::uint64_t blocks) {
    const Entry& entry = of(kernel);
    return entry.kernel.load(std::memory_order_relaxed) == kernel &&
           blocks * 2 > entry.blocks.load(std::memory_order_relaxed);
  }
};

SlowKernels& slow_kernels();

}  // namespace pycuda::cpu::exec
