// SPDX-License-Identifier: MIT
// A direct-mapped table: a collision costs speed, nothing else.
#include "cpu/exec/block_times.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace pycuda::cpu::exec {
namespace {

struct Entry {
  std::atomic<const Kernel*> kernel{nullptr};
  std::atomic<std::uint64_t> nanoseconds{0};
};

Entry& entry_of(const Kernel& kernel) {
  static std::array<Entry, 256>* const entries = new std::array<Entry, 256>;
  return (*entries)[(reinterpret_cast<std::uintptr_t>(&kernel) >> 4) % entries->size()];
}

}  // namespace

std::uint64_t expected_block_time(const Kernel& kernel) {
  const Entry& entry = entry_of(kernel);
  if (entry.kernel.load(std::memory_order_acquire) != &kernel) return 0;
  return entry.nanoseconds.load(std::memory_order_relaxed);
}

void note_block_time(const Kernel& kernel, std::uint64_t blocks, std::chrono::nanoseconds time) {
  // A longer time counts at once, shorter ones step by step: one short launch among long ones must
  // not make the next long one a single chunk.
  constexpr std::uint64_t forget = 8;
  Entry& entry = entry_of(kernel);
  const auto total = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 1));
  std::uint64_t each = std::max<std::uint64_t>(total / std::max<std::uint64_t>(blocks, 1), 1);
  if (entry.kernel.load(std::memory_order_relaxed) == &kernel) {
    const std::uint64_t before = entry.nanoseconds.load(std::memory_order_relaxed);
    if (each < before) each = std::max(each, before - (before + forget - 1) / forget);
  } else {
    // In between the entry is nobody's: a reader should not take the other kernel's time for this
    // one's.
    entry.kernel.store(nullptr, std::memory_order_relaxed);
  }
  entry.nanoseconds.store(each, std::memory_order_relaxed);
  entry.kernel.store(&kernel, std::memory_order_release);
}

}  // namespace pycuda::cpu::exec
