// SPDX-License-Identifier: MIT
// Rounds over all gangs: after each one, all that are left wait at the barrier, so it opens.
#include "cpu/exec/gang_block.h"

#include <cstdint>
#include <cstring>

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t alignment = 256;

}  // namespace

GangBlock& GangBlock::of_this_thread() {
  thread_local GangBlock own;
  return own;
}

GangBlock* GangBlock::prepare(const Kernel& kernel, const Dim3& block, bool in_tiles) {
  GangBlock& own = of_this_thread();
  return own.fit(kernel, block, in_tiles) ? &own : nullptr;
}

FrameStack* GangBlock::frames_of(const ThreadFrame& gang) {
  GangBlock& own = of_this_thread();
  const auto offset =
      reinterpret_cast<std::uintptr_t>(&gang) - reinterpret_cast<std::uintptr_t>(own.gangs_.data());
  const std::size_t number = offset / sizeof(ThreadFrame);
  return number < own.gangs_.size() ? &own.frames_[number] : nullptr;
}

bool GangBlock::fit(const Kernel& kernel, const Dim3& block, bool in_tiles) {
  kernel_ = &kernel;
  tiles_ = in_tiles;
  if (tiles_) {
    const std::size_t tiles = std::size_t{block.x / kernel.facts.tile_columns} *
                              (block.y / kernel.facts.tile_rows) * block.z;
    return reserve_states_and_frames(tiles, kernel.facts.tile_frame_bytes);
  }
  const std::uint32_t lanes = kernel.facts.gang_lanes;
  const std::size_t per_row = (block.x + lanes - 1) / lanes;
  const std::size_t count = per_row * block.y * block.z;
  if (kernel.facts.gang_frame_bytes != 0)
    return reserve_states_and_frames(count, kernel.facts.gang_frame_bytes);
  gangs_.resize(count);
  frames_.resize(count);
  stride_ = (kernel.gang_bytes + alignment - 1) & ~(alignment - 1);
  return reserve(stride_ * count);
}

bool GangBlock::reserve_states_and_frames(std::size_t gangs, std::uint64_t frame_bytes) {
  const std::uint64_t states = (gangs * sizeof(std::uint32_t) + alignment - 1) & ~(alignment - 1);
  return reserve(states + gangs * frame_bytes);
}

bool GangBlock::reserve(std::uint64_t wanted) {
  if (wanted <= capacity_) return true;
  memory_.reset();
  capacity_ = 0;
  memory_ = LocalArea::instance().allocate(wanted);
  if (memory_ == nullptr) return false;
  capacity_ = wanted;
  return true;
}

void GangBlock::run(KernelEntry& entry, BlockFrame& block, ThreadFrame& thread) {
  for (std::uint64_t& sum : block.barrier_sums) sum = 0;
  if (tiles_ || kernel_->run_gangs != nullptr) {
    thread.scratch = reinterpret_cast<std::uint64_t>(memory_.get());
    (tiles_ ? kernel_->run_tiles : kernel_->run_gangs)(&block, &thread);
    return;
  }
  const Dim3 size = block.launch->rows;
  const std::uint32_t lanes = kernel_->facts.gang_lanes;
  std::size_t left = 0;
  std::size_t number = 0;
  std::uint32_t row = 0;
  for (std::uint32_t z = 0; z < size.z; ++z) {
    for (std::uint32_t y = 0; y < size.y; ++y, ++row) {
      for (std::uint32_t x = 0; x < size.x; x += lanes, ++number) {
        ThreadFrame& gang = gangs_[number];
        gang = {};
        gang.block = &block;
        gang.tid = {x, y, z};
        gang.linear = row * size.x + x;
        gang.mask = size.x - x < lanes ? size.x - x : lanes;
        frames_[number].clear();
        entry.enter(&gang);
        const ThreadFunction start = gang.mask == lanes ? kernel_->start_gang : kernel_->start_tail;
        start(&gang, memory_.get() + stride_ * number);
        entry.leave();  // the next gang's frames may give memory back, which takes locks
        left += gang.state != ThreadState::Exited ? 1 : 0;
      }
    }
  }
  while (left != 0) {
    for (ThreadFrame& gang : gangs_) {
      if (gang.state == ThreadState::Exited) continue;
      entry.enter(&gang);
      ResumeFunction resume;
      std::memcpy(static_cast<void*>(&resume), gang.coroutine, sizeof resume);
      resume(gang.coroutine);
      left -= gang.state == ThreadState::Exited ? 1 : 0;
    }
  }
}

}  // namespace pycuda::cpu::exec
