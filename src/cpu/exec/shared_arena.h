// SPDX-License-Identifier: MIT
// The shared memory window of a block that is running.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// Memory for the .shared space of one block at a time: the system's reserved_shared_bytes, the
/// block's own bytes, and more than 4 GiB of inaccessible addresses, so that whatever a kernel adds
/// to address 0 faults when it is outside. Before address 0 there are `guard_bytes` of these, too.
/// The system's part can be read and written, as on an H100: in the beginning it is zero.
class SharedArena {
 public:
  static constexpr std::uint64_t guard_bytes = 4096;

  /// Null when the address space is exhausted.
  static std::unique_ptr<SharedArena> create();
  ~SharedArena();
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;

  /// Makes `bytes` of the block's own accessible; false when memory is exhausted. Contents are
  /// undefined.
  bool prepare(std::uint64_t bytes) {
    // The page of the system's part would hide that a block without memory of its own uses some.
    return bytes == 0 || prepare_with_system(bytes);
  }
  /// The same with the system's part, for kernels that read it, even if `bytes` are 0.
  bool prepare_with_system(std::uint64_t bytes) {
    return reserved_shared_bytes + bytes <= accessible_ || grow(reserved_shared_bytes + bytes);
  }
  /// Overwrites the block's first `bytes`, so that nothing of an earlier block can be read.
  void scrub(std::uint64_t bytes);
  /// Address 0 of the .shared space.
  std::byte* window() const { return window_; }
  /// Where the block's own bytes begin.
  std::byte* own() const { return window_ + reserved_shared_bytes; }

 private:
  explicit SharedArena(std::byte* window) : window_(window) {}
  bool grow(std::uint64_t bytes);
  std::byte* window_;
  std::uint64_t accessible_ = 0;  ///< from the window's start
};

/// The calling thread's own arena, for blocks that run from start to end without a wait; null when
/// memory is exhausted.
SharedArena* thread_arena();

}  // namespace pycuda::cpu::exec
