// SPDX-License-Identifier: MIT
// How many blocks of a kernel fit on a multiprocessor.
#pragma once

#include <cstddef>

#include "cuda/kernel.h"

namespace pycuda::cuda {

/// Blocks of `threads` threads with so much dynamic shared memory that run at once on one
/// multiprocessor.
int active_blocks_per_multiprocessor(const Kernel& kernel, int threads, std::size_t shared_bytes,
                                     unsigned int flags = CU_OCCUPANCY_DEFAULT);

/// A block size that fills the device, and the least grid that does so with it.
struct SuggestedShape {
  int threads;
  int blocks;
};
/// `limit` bounds the block size; 0 means the kernel's own bound.
SuggestedShape suggest_block_size(const Kernel& kernel, std::size_t shared_bytes, int limit = 0,
                                  unsigned int flags = CU_OCCUPANCY_DEFAULT);

/// Dynamic shared memory per block that leaves room for so many blocks on a multiprocessor.
std::size_t available_shared_bytes(const Kernel& kernel, int blocks, int threads);

}  // namespace pycuda::cuda
