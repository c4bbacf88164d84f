// SPDX-License-Identifier: MIT
// Stream memory operations: streams write words of device memory and wait for values.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/cuda_types.h"

namespace pycuda::cuda {

/// Operations that a stream, or a node of a graph, does one after the other.
class MemoryOperations {
 public:
  void write32(CUdeviceptr address, std::uint32_t value);
  void write64(CUdeviceptr address, std::uint64_t value);
  /// `flags` are CU_STREAM_WAIT_VALUE_*.
  void wait32(CUdeviceptr address, std::uint32_t value, unsigned int flags);
  void wait64(CUdeviceptr address, std::uint64_t value, unsigned int flags);
  /// `flags` are CU_STREAM_MEMORY_BARRIER_TYPE_*.
  void barrier(unsigned int flags);
  /// What other devices wrote by PCI Express is visible to what comes later.
  void flush_remote_writes();

  const std::vector<CUstreamBatchMemOpParams>& all() const { return operations_; }
  /// Puts all of them into the stream. Does not block.
  void enqueue(CUstream stream) const;

 private:
  CUstreamBatchMemOpParams& add();
  std::vector<CUstreamBatchMemOpParams> operations_;
};

}  // namespace pycuda::cuda
