// SPDX-License-Identifier: MIT
// cuOccupancy*: arithmetic over the advertised limits.
#include "cpu/api/occupancy.h"

#include <algorithm>

#include "cpu/api/function_guard.h"

namespace pycuda::cpu::api {
namespace {

using Limits = DeviceLimits;

constexpr unsigned register_granularity = 256;  // registers of a warp come in such portions

unsigned round_up(unsigned value, unsigned to) { return (value + to - 1) / to * to; }

unsigned warps_of(unsigned threads) {
  return (threads + Limits::warp_lanes - 1) / Limits::warp_lanes;
}

unsigned blocks_by_registers(unsigned registers, unsigned threads) {
  const unsigned per_warp =
      round_up(std::max(registers, 1u) * Limits::warp_lanes, register_granularity);
  return Limits::registers_per_processor / per_warp / warps_of(threads);
}

}  // namespace

unsigned blocks_per_processor(const KernelFacts& facts, unsigned registers, unsigned threads,
                              std::size_t dynamic_shared_bytes) {
  if (threads > Limits::threads_per_block) return 0;
  const std::size_t declared = facts.declared_shared_bytes();
  const ClaimedArchitecture& device = claimed_architecture();
  const std::size_t most = device.shared_bytes_per_block_optin;
  if (declared > most || dynamic_shared_bytes > most - declared) return 0;
  const unsigned shared_of_block =
      round_up(static_cast<unsigned>(declared + dynamic_shared_bytes), device.shared_granularity) +
      device.shared_bytes_reserved_per_block;
  const unsigned by_threads =
      device.threads_per_processor / (warps_of(threads) * Limits::warp_lanes);
  unsigned blocks =
      std::min({device.blocks_per_processor, by_threads, blocks_by_registers(registers, threads)});
  // Before 8.0 nothing is reserved, and a block may need no shared memory at all.
  if (shared_of_block != 0)
    blocks = std::min(blocks, device.shared_bytes_per_processor / shared_of_block);
  return blocks;
}

namespace {

CUresult max_active_blocks(int* blocks, CUfunction handle, int threads, std::size_t shared_bytes,
                           unsigned flags) {
  return with_function(handle, [&](Function& function) -> CUresult {
    if (blocks == nullptr || threads <= 0 ||
        (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *blocks = static_cast<int>(blocks_per_processor(function.facts(), function.registers(),
                                                    static_cast<unsigned>(threads), shared_bytes));
    return CUDA_SUCCESS;
  });
}

CUresult potential_block_size(int* grid, int* block, CUfunction handle,
                              CUoccupancyB2DSize shared_of, std::size_t shared_bytes, int limit,
                              unsigned flags) {
  return with_function(handle, [&](Function& function) -> CUresult {
    if (grid == nullptr || block == nullptr || limit < 0 ||
        (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const KernelFacts& facts = function.facts();
    unsigned largest = std::min(Limits::threads_per_block, facts.max_threads);
    if (limit != 0) largest = std::min(largest, static_cast<unsigned>(limit));
    unsigned best_threads = 0;  // resident on a multiprocessor
    unsigned best_block = 0;
    unsigned best_blocks = 0;
    // From large to small, so that of equally good ones the largest wins.
    for (unsigned threads = largest; threads != 0;) {
      const std::size_t shared =
          shared_of != nullptr ? shared_of(static_cast<int>(threads)) : shared_bytes;
      const unsigned blocks = blocks_per_processor(facts, function.registers(), threads, shared);
      if (blocks * threads > best_threads) {
        best_threads = blocks * threads;
        best_block = threads;
        best_blocks = blocks;
      }
      const unsigned below = (threads - 1) / Limits::warp_lanes * Limits::warp_lanes;
      threads = below;
    }
    *block = static_cast<int>(best_block);
    *grid = static_cast<int>(best_blocks) * function.module().context().device().processor_count();
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using pycuda::cpu::KernelFacts;
using namespace pycuda::cpu::api;

extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return max_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags) {
  return max_active_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit) {
  return potential_block_size(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                              dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags) {
  return potential_block_size(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                              dynamicSMemSize, blockSizeLimit, flags);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize) {
  return with_function(func, [&](Function& function) -> CUresult {
    if (dynamicSmemSize == nullptr || numBlocks <= 0 || blockSize <= 0)
      return CUDA_ERROR_INVALID_VALUE;
    const KernelFacts& facts = function.facts();
    const auto blocks = static_cast<unsigned>(numBlocks);
    if (blocks_per_processor(facts, function.registers(), static_cast<unsigned>(blockSize), 0) <
        blocks) {
      *dynamicSmemSize = 0;
      return CUDA_SUCCESS;
    }
    const ClaimedArchitecture& device = claimed_architecture();
    const unsigned share = device.shared_bytes_per_processor / blocks / device.shared_granularity *
                           device.shared_granularity;
    const unsigned taken = device.shared_bytes_reserved_per_block + facts.declared_shared_bytes();
    const unsigned free = share > taken ? share - taken : 0;
    *dynamicSmemSize = std::min(free, function.max_dynamic_shared_bytes());
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
