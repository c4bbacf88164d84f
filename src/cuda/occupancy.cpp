// SPDX-License-Identifier: MIT
// The driver's occupancy calculator.
#include "cuda/occupancy.h"

#include <string>

namespace pycuda::cuda {
namespace {

template <class Routine>
void check(CUresult code, const Routine& routine, int threads) {
  if (code == CUDA_SUCCESS) return;
  if (threads > 0) throw routine.error(code);
  throw routine.error(
      code, "a block of " + std::to_string(threads) + " threads: blocks have at least one thread");
}

}  // namespace

int active_blocks_per_multiprocessor(const Kernel& kernel, int threads, std::size_t shared_bytes,
                                     unsigned int flags) {
  const ContextScope scope(kernel.context());
  int blocks = 0;
  const auto& routine = kernel.driver().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags;
  check(routine.status(&blocks, kernel.handle(), threads, shared_bytes, flags), routine, threads);
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
  const auto& routine = kernel.driver().cuOccupancyAvailableDynamicSMemPerBlock;
  check(routine.status(&bytes, kernel.handle(), blocks, threads), routine, threads);
  return bytes;
}

}  // namespace pycuda::cuda
