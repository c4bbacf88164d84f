// SPDX-License-Identifier: MIT
// Threads and gangs that suspend keep their memory in the block's record; others use the OS
// thread's.
#include "cpu/exec/local_memory.h"

#include "cpu/exec/block_run.h"
#include "cpu/exec/gang_block.h"
#include "cpu/exec/kernel_entry.h"

namespace pycuda::cpu::exec {
namespace {

/// The frames of the one thread of a plain kernel that this OS thread runs now.
struct PlainFrames {
  FrameStack stack;
  std::uint64_t grid_id = 0;
  Dim3 block{};
  std::uint32_t linear = 0;
};

PlainFrames& plain_frames_of(const ThreadFrame& thread) {
  static thread_local PlainFrames frames;
  const BlockFrame& block = *thread.block;
  const bool same = frames.grid_id == block.launch->grid_id && frames.linear == thread.linear &&
                    frames.block.x == block.ctaid.x && frames.block.y == block.ctaid.y &&
                    frames.block.z == block.ctaid.z;
  if (!same) {
    // The thread before may have ended anywhere, its frames still pushed.
    frames.stack.clear();
    frames.grid_id = block.launch->grid_id;
    frames.block = block.ctaid;
    frames.linear = thread.linear;
  }
  return frames;
}

}  // namespace

FrameStack& frames_of(const ThreadFrame& thread) {
  if (auto* const run = static_cast<BlockRun*>(thread.block->block)) return run->frames_of(thread);
  if (FrameStack* const frames = GangBlock::frames_of(thread)) return *frames;
  return plain_frames_of(thread).stack;
}

bool in_local_memory(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes) {
  const KernelEntry& entry = KernelEntry::of_this_thread();
  const std::uint64_t low = entry.stack_low();
  if (address >= low && address < entry.stack_entry() && bytes <= entry.stack_entry() - address) {
    return true;
  }
  if (entry.local_stack().holds(address, bytes)) return true;
  const auto* const run = static_cast<const BlockRun*>(thread.block->block);
  if (run != nullptr) return run->owns(thread, address, bytes);
  return plain_frames_of(thread).stack.holds(address, bytes);
}

bool in_local_variable(const ThreadFrame& thread, std::uint64_t address, std::uint64_t bytes) {
  return frames_of(thread).holds_in_variable(address, bytes);
}

std::uint64_t most_frame_bytes(const ThreadFrame& thread) {
  constexpr std::uint64_t longer = 64;
  return FrameStack::default_most_bytes + longer * thread.block->launch->stack_bytes;
}

}  // namespace pycuda::cpu::exec
