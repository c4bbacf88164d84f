// SPDX-License-Identifier: MIT
// Counts arrivals per warp, so that exited lanes can be told from missing ones.
#include "cpu/exec/named_barrier.h"

#include <bit>

namespace pycuda::cpu::exec {

void NamedBarrier::arrive(unsigned warp, unsigned lane, std::uint32_t expected, bool waits) {
  if (arrivals_ == 0) expected_ = expected;
  ++arrivals_;
  const std::uint32_t bit = 1u << lane;
  if ((arrived_[warp] & bit) != 0) ++repeated_;
  arrived_[warp] |= bit;
  if (waits) waiting_[warp] |= bit;
}

void NamedBarrier::arrive_reducing(unsigned warp, unsigned lane, std::uint32_t expected,
                                   bool predicate) {
  arrive(warp, lane, expected, true);
  ++reducing_;
  if (predicate) ++true_predicates_;
}

bool NamedBarrier::complete(const LiveLanes& live, unsigned warps) {
  if (arrivals_ == 0) return false;
  if (expected_ == 0) {
    for (unsigned i = 0; i < warps; ++i) {
      const unsigned warp = (late_warp_ + i) % warps;
      if ((live[warp] & ~arrived_[warp]) == 0) continue;
      late_warp_ = warp;
      return false;
    }
    return true;
  }
  std::uint32_t total = repeated_;
  for (unsigned warp = 0; warp < warps; ++warp) {
    if (arrived_[warp] == 0) continue;
    total += static_cast<std::uint32_t>(std::popcount(arrived_[warp] | ~live[warp]));
  }
  return total >= expected_;
}

std::uint64_t NamedBarrier::reduction(BarrierReduce kind) const {
  switch (kind) {
    case BarrierReduce::Popc:
      return true_predicates_;
    case BarrierReduce::And:
      return true_predicates_ == reducing_ ? 1 : 0;
    case BarrierReduce::Or:
      return true_predicates_ != 0 ? 1 : 0;
  }
  return 0;
}

}  // namespace pycuda::cpu::exec
