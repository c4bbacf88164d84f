// SPDX-License-Identifier: MIT
// The driver's occupancy calculator.
#include "cuda/occupancy.h"

namespace pycuda::cuda {

int active_blocks_per_multiprocessor(const Kernel& kernel, int threads, std::size_t shared_bytes,
                                     unsigned int flags) {
  const ContextScope scope(kernel.context());
  int blocks = 0;
  kernel.driver().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      &blocks, kernel.handle(), threads, shared_bytes, flags);
  return blocks;
}

SuggestedShape suggest_block_size(const Kernel& kernel, std::size_t shared_bytes, int limit,
                                  unsigned int flags) {
  const ContextScope scope(kernel.context());
  SuggestedShape shape{};
  kernel.driver().cuOccupancyMaxPotentialBlockSizeWithFlags(
      &shape.blocks, &shape.threads, kernel.handle(), nullptr, shared_bytes, limit, flags);
  return shape;
}

std::size_t available_shared_bytes(const Kernel& kernel, int blocks, int threads) {
  const ContextScope scope(kernel.context());
  std::size_t bytes = 0;
  kernel.driver().cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel.handle(), blocks, threads);
  return bytes;
}

}  // namespace pycuda::cuda
