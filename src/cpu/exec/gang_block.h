// SPDX-License-Identifier: MIT
// The gangs of one block of a kernel with barriers: each is run from barrier to barrier, by the
// kernel's own code or, where it has none for that, as a coroutine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/exec/frame_stack.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/local_area.h"
#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::exec {

/// Frames for the gangs of a block, kept from block to block. Of one OS thread.
class GangBlock {
 public:
  /// The calling thread's own; null when memory for such blocks is exhausted. `in_tiles`: they run
  /// in tiles, not in rows of gangs.
  static GangBlock* prepare(const Kernel& kernel, const Dim3& block, bool in_tiles);

  /// The variables of the gang that `gang` is the frame of; null if it is none of those that the
  /// calling thread runs as coroutines.
  static FrameStack* frames_of(const ThreadFrame& gang);

  /// Runs one block; `thread` is a frame that it may use. Leaves by a jump when a thread faults;
  /// holds nothing then.
  void run(KernelEntry& entry, BlockFrame& block, ThreadFrame& thread);

 private:
  static GangBlock& of_this_thread();
  bool fit(const Kernel& kernel, const Dim3& block, bool in_tiles);
  bool reserve_states_and_frames(std::size_t gangs, std::uint64_t frame_bytes);
  bool reserve(std::uint64_t bytes);

  const Kernel* kernel_ = nullptr;
  std::vector<ThreadFrame> gangs_;
  std::vector<FrameStack> frames_;  ///< by gang
  /// Local arrays lie in it.
  LocalArea::Memory memory_;
  std::uint64_t capacity_ = 0;
  std::uint64_t stride_ = 0;
  bool tiles_ = false;  ///< the kernel's form for tiles runs
};

}  // namespace pycuda::cpu::exec
