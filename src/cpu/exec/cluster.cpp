// SPDX-License-Identifier: MIT
#include "cpu/exec/cluster.h"

#include "cpu/exec/block_run.h"

namespace pycuda::cpu::exec {

void Cluster::start(std::span<BlockRun* const> blocks) {
  *this = {};
  count_ = static_cast<std::uint32_t>(blocks.size());
  for (std::uint32_t rank = 0; rank < count_; ++rank) {
    runs_[rank] = blocks[rank];
    windows_[rank] = blocks[rank]->window();
    live_ += blocks[rank]->live_threads();
    blocks[rank]->join(*this, rank);
  }
  window_bytes_ = count_ != 0 ? blocks[0]->window_bytes() : 0;
}

std::optional<std::uint32_t> Cluster::owner(std::uint64_t address, std::uint64_t bytes) const {
  for (std::uint32_t rank = 0; rank < count_; ++rank) {
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(windows_[rank]);
    if (offset < window_bytes_ && bytes <= window_bytes_ - offset) return rank;
  }
  return std::nullopt;
}

bool Cluster::lives(std::uint32_t rank) const { return runs_[rank]->live_threads() != 0; }

std::uint32_t Cluster::arrive() {
  const std::uint32_t phase = phases_ + 1;
  ++arrived_;
  end_phase_if_complete();
  return phase;
}

void Cluster::exited(std::uint32_t phase) {
  --live_;
  if (phase == phases_ + 1) --arrived_;
  end_phase_if_complete();
}

void Cluster::end_phase_if_complete() {
  if (arrived_ == 0 || arrived_ != live_) return;
  ++phases_;
  arrived_ = 0;
  for (std::uint32_t rank = 0; rank < count_; ++rank) runs_[rank]->leave_cluster_barrier();
}

}  // namespace pycuda::cpu::exec
