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
/// to address 0 faults when it is outside. So does the system's part, except for kernels that ask
/// for its place: nothing of theirs lies there.
class SharedArena {
 public:
  /// So much before the block's own bytes belongs to the arena.
  static constexpr std::uint64_t guard_bytes = 4096;

  /// Null when the address space is exhausted.
  static std::unique_ptr<SharedArena> create();
  ~SharedArena();
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;

  /// Makes `bytes` of the block's own accessible, and the system's part or not; false when memory
  /// is exhausted. Contents are undefined.
  bool prepare(std::uint64_t bytes, bool with_reserved) {
    return (bytes <= accessible_ || grow(bytes)) &&
           (with_reserved == reserved_accessible_ || open_reserved(with_reserved));
  }
  /// Overwrites the block's first `bytes`, so that nothing of an earlier block can be read.
  void scrub(std::uint64_t bytes);
  /// Address 0 of the .shared space.
  std::byte* window() const { return own_ - reserved_shared_bytes; }
  /// Where the block's own bytes begin.
  std::byte* own() const { return own_; }

 private:
  explicit SharedArena(std::byte* own) : own_(own) {}
  bool grow(std::uint64_t bytes);
  bool open_reserved(bool accessible);
  std::byte* own_;  ///< behind an inaccessible page, at whose end the system's part lies
  std::uint64_t accessible_ = 0;
  bool reserved_accessible_ = false;
};

/// The calling thread's own arena, for blocks that run from start to end in one go; null when
/// memory is exhausted.
SharedArena* thread_arena();

}  // namespace pycuda::cpu::exec
