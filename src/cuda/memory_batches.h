// SPDX-License-Identifier: MIT
// Advice about ranges of managed memory, and many ranges or copies by one call.
#pragma once

#include <cstddef>
#include <vector>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

struct MemoryRange {
  CUdeviceptr address;
  std::size_t bytes;
};

/// Moves the range to a place in the stream's order.
void prefetch(const MemoryRange& range, const CUmemLocation& place, CUstream stream);
void advise(const MemoryRange& range, CUmem_advise advice, const CUmemLocation& place);
/// Of those attributes that are one number.
int range_attribute(const MemoryRange& range, CUmem_range_attribute attribute);

/// Not for the legacy default stream, as all batches.
void prefetch_all(const std::vector<MemoryRange>& ranges, const CUmemLocation& place,
                  CUstream stream);
/// Their contents are not wanted any more.
void discard_all(const std::vector<MemoryRange>& ranges, CUstream stream);
void discard_and_prefetch_all(const std::vector<MemoryRange>& ranges, const CUmemLocation& place,
                              CUstream stream);

/// Copies that do not depend on each other; either end may be the host's.
class CopyBatch {
 public:
  void add(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);
  void enqueue(CUstream stream);

 private:
  std::vector<CUdeviceptr> to_, from_;
  std::vector<std::size_t> bytes_;
};

}  // namespace pycuda::cuda
