// SPDX-License-Identifier: MIT
// The shared memory window of a block that is running.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pycuda::cpu::exec {

/// A window followed by more than 4 GiB of inaccessible addresses, so that whatever a kernel adds
/// to address 0 of the .shared space faults when it is outside. Used by one block at a time.
class SharedArena {
 public:
  /// Null when the address space is exhausted.
  static std::unique_ptr<SharedArena> create();
  ~SharedArena();
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;

  /// Makes the first `bytes` accessible; false when memory is exhausted. Contents are undefined.
  bool prepare(std::uint64_t bytes) { return bytes <= accessible_ || grow(bytes); }
  /// Overwrites the first `bytes`, so that nothing of an earlier block can be read.
  void scrub(std::uint64_t bytes);
  std::byte* base() const { return base_; }

 private:
  explicit SharedArena(std::byte* base) : base_(base) {}
  bool grow(std::uint64_t bytes);
  std::byte* base_;
  std::uint64_t accessible_ = 0;
};

/// The calling thread's own arena, for blocks that run from start to end in one go; null when
/// memory is exhausted.
SharedArena* thread_arena();

}  // namespace pycuda::cpu::exec
