// SPDX-License-Identifier: MIT
// Batches of memory operations over the driver's.
#include "cuda/stream_memory.h"

#include "cuda/capturing.h"
#include "cuda/context_stack.h"

namespace pycuda::cuda {

CUstreamBatchMemOpParams& MemoryOperations::add() { return operations_.emplace_back(); }

void MemoryOperations::write32(CUdeviceptr address, std::uint32_t value) {
  auto& write = add().writeValue;
  write.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  write.address = address;
  write.value = value;
}

void MemoryOperations::write64(CUdeviceptr address, std::uint64_t value) {
  auto& write = add().writeValue;
  write.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  write.address = address;
  write.value64 = value;
}

void MemoryOperations::wait32(CUdeviceptr address, std::uint32_t value, unsigned int flags) {
  auto& wait = add().waitValue;
  wait.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  wait.address = address;
  wait.value = value;
  wait.flags = flags;
}

void MemoryOperations::wait64(CUdeviceptr address, std::uint64_t value, unsigned int flags) {
  auto& wait = add().waitValue;
  wait.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
  wait.address = address;
  wait.value64 = value;
  wait.flags = flags;
}

void MemoryOperations::barrier(unsigned int flags) {
  auto& barrier = add().memoryBarrier;
  barrier.operation = CU_STREAM_MEM_OP_BARRIER;
  barrier.flags = flags;
}

void MemoryOperations::flush_remote_writes() {
  add().flushRemoteWrites.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
}

void MemoryOperations::enqueue(CUstream stream) const {
  const driver::DriverTable& driver = require_context()->driver();
  // The driver writes to what is its own in them.
  std::vector<CUstreamBatchMemOpParams> operations = operations_;
  driver.cuStreamBatchMemOp(stream_for_work(stream), static_cast<unsigned int>(operations.size()),
                            operations.data(), 0);
}

}  // namespace pycuda::cuda
