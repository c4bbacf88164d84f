// SPDX-License-Identifier: MIT
// Where kernels' local arrays lie: addresses of their own, far from everything that is not theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pycuda::cpu::exec {

/// Memory between two wide ranges of inaccessible addresses. An index that leaves a local array
/// meets another local array, as on a GPU, or faults; it never meets a return address, the heap or
/// what the executor keeps. Any thread; lives as long as the process.
class LocalArea {
 public:
  static LocalArea& instance();

  struct Free {
    std::uint64_t bytes = 0;
    void operator()(std::byte* memory) const;
  };
  using Memory = std::unique_ptr<std::byte, Free>;

  /// Memory of at least `bytes` (as many as its deleter says), aligned to a page. Contents are
  /// undefined. Null when memory or the area is exhausted.
  Memory allocate(std::uint64_t bytes);

  /// Whether the area or the addresses around it that no access may touch hold `address`. Also in
  /// signal handlers.
  bool spans(std::uintptr_t address) const {
    return address >= low_ && address - low_ < reserved_bytes_;
  }

  LocalArea(const LocalArea&) = delete;
  LocalArea& operator=(const LocalArea&) = delete;

 private:
  LocalArea();
  void release(std::byte* memory, std::uint64_t bytes);

  struct State;
  std::unique_ptr<State> state_;
  std::uintptr_t low_ = 0;
  std::uint64_t reserved_bytes_ = 0;
};

}  // namespace pycuda::cpu::exec
