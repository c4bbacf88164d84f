// SPDX-License-Identifier: MIT
// cuStreamWriteValue32, cuStreamWaitValue32, their relatives of 64 bits and cuStreamBatchMemOp.
#include "cpu/api/stream_memory.h"

#include <string>

#include "cpu/api/capture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/stream_guard.h"
#include "cpu/exec/fault_message.h"

namespace pycuda::cpu::api {
namespace {

/// As NVIDIA's driver.
constexpr unsigned most_operations = 256;

bool is_wait(CUstreamBatchMemOpType operation) {
  return operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

std::uint8_t word_bytes(CUstreamBatchMemOpType operation) {
  return operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 || operation == CU_STREAM_MEM_OP_WRITE_VALUE_64
             ? 8
             : 4;
}

CUresult check_word(CUdeviceptr address, std::uint8_t bytes) {
  if (address % bytes != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE, "stream memory operation: the address " +
                                              exec::hexadecimal(address) +
                                              " is not a multiple of " + std::to_string(bytes));
  }
  const auto found = exec::AddressTable::instance().find(address);
  const bool managed = found && (found->kind == exec::MemoryKind::Managed ||
                                 found->kind == exec::MemoryKind::ManagedPool);
  if (managed) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "stream memory operation: " + exec::hexadecimal(address) +
                    " is managed memory, which streams do not write or wait for");
  }
  if (!is_device_range(address, bytes, HostPools::Refused)) {
    return fail(CUDA_ERROR_INVALID_VALUE, "stream memory operation: there is no device memory at " +
                                              exec::hexadecimal(address));
  }
  return CUDA_SUCCESS;
}

CUresult check(const CUstreamBatchMemOpParams& operation) {
  switch (operation.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      // What other devices write is here at once: there is nothing to flush.
      if ((operation.waitValue.flags & ~unsigned{CU_STREAM_WAIT_VALUE_FLUSH}) >
          CU_STREAM_WAIT_VALUE_NOR)
        return CUDA_ERROR_INVALID_VALUE;
      return check_word(operation.waitValue.address, word_bytes(operation.operation));
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      // Writes without a barrier were a part of the first version of these functions alone.
      if (operation.writeValue.flags != CU_STREAM_WRITE_VALUE_DEFAULT)
        return CUDA_ERROR_INVALID_VALUE;
      return check_word(operation.writeValue.address, word_bytes(operation.operation));
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return operation.flushRemoteWrites.flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_STREAM_MEM_OP_BARRIER:
      return operation.memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

exec::MemoryCondition condition_of(const CUstreamBatchMemOpParams& operation) {
  using Comparison = exec::MemoryCondition::Comparison;
  const auto& wait = operation.waitValue;
  constexpr Comparison comparisons[] = {Comparison::AtLeast, Comparison::Equal, Comparison::AnyBit,
                                        Comparison::AnyMissing};
  const std::uint8_t bytes = word_bytes(operation.operation);
  return {wait.address, bytes == 8 ? wait.value64 : wait.value, bytes,
          comparisons[wait.flags & CU_STREAM_WAIT_VALUE_NOR]};
}

struct Write {
  CUdeviceptr address;
  std::uint64_t value;
  std::uint8_t bytes;

  void operator()(exec::FaultSink& faults) const {
    if (exec::write_word(address, value, bytes)) return;
    exec::Fault fault;
    fault.kind = FaultKind::IllegalAddress;
    fault.address = address;
    fault.message = "illegal memory access at address " + exec::hexadecimal(address) + ", " +
                    exec::describe_address(address) + ", in a stream's write of a value";
    faults.report(fault);
  }
};

/// What an operation is to the executor; nothing for those that order what is in order anyway.
template <class Writes, class Waits>
void dispatch(const CUstreamBatchMemOpParams& operation, Writes&& write, Waits&& wait) {
  if (is_wait(operation.operation)) {
    wait(condition_of(operation));
  } else if (operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
             operation.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64) {
    const std::uint8_t bytes = word_bytes(operation.operation);
    write(Write{operation.writeValue.address,
                bytes == 8 ? operation.writeValue.value64 : operation.writeValue.value, bytes});
  }
}

CUresult run(Stream& stream, MemoryOperations operations) {
  if (const CUresult status = check_memory_operations(operations); status != CUDA_SUCCESS)
    return status;
  if (stream.in_capture()) {
    return capture(stream,
                   MemoryOperationsAction{
                       stream.context().handle(), {operations.begin(), operations.end()}, 0});
  }
  enqueue_memory_operations(stream, operations);
  return CUDA_SUCCESS;
}

CUresult run_one(CUstream handle, const CUstreamBatchMemOpParams& operation) {
  return with_stream(handle, [&](Stream& stream) { return run(stream, {&operation, 1}); });
}

CUresult run_all(CUstream handle, unsigned count, const CUstreamBatchMemOpParams* operations,
                 unsigned flags) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (flags != 0 || count > most_operations || (operations == nullptr && count != 0))
      return CUDA_ERROR_INVALID_VALUE;
    return run(stream, {operations, count});
  });
}

CUstreamBatchMemOpParams write_of(CUstreamBatchMemOpType type, CUdeviceptr address,
                                  cuuint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = type;
  operation.writeValue.address = address;
  operation.writeValue.value64 = value;
  operation.writeValue.flags = flags;
  return operation;
}

CUstreamBatchMemOpParams wait_of(CUstreamBatchMemOpType type, CUdeviceptr address, cuuint64_t value,
                                 unsigned flags) {
  CUstreamBatchMemOpParams operation{};
  operation.waitValue.operation = type;
  operation.waitValue.address = address;
  operation.waitValue.value64 = value;
  operation.waitValue.flags = flags;
  return operation;
}

}  // namespace

CUresult check_memory_operations(MemoryOperations operations) {
  if (operations.size() > most_operations) return CUDA_ERROR_INVALID_VALUE;
  for (const CUstreamBatchMemOpParams& operation : operations) {
    if (const CUresult status = check(operation); status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

void enqueue_memory_operations(Stream& stream, MemoryOperations operations) {
  exec::Stream& queue = stream.ordered();
  exec::FaultSink& faults = stream.context();
  for (const CUstreamBatchMemOpParams& operation : operations) {
    dispatch(
        operation,
        [&](const Write& write) {
          if (!queue.run_if_idle([&] { write(faults); }))
            queue.enqueue([write, &faults] { write(faults); });
        },
        [&](const exec::MemoryCondition& condition) { queue.wait(condition); });
  }
}

void append_memory_operations(MemoryOperations operations, exec::Sequence* sequence) {
  for (const CUstreamBatchMemOpParams& operation : operations) {
    dispatch(
        operation,
        [&](const Write& write) { sequence->steps.emplace_back(exec::Sequence::Task{write}); },
        [&](const exec::MemoryCondition& condition) { sequence->steps.emplace_back(condition); });
  }
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
  return run_one(stream, write_of(CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags));
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
  return run_one(stream, write_of(CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags));
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
  return run_one(stream, wait_of(CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags));
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
  return run_one(stream, wait_of(CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags));
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* paramArray, unsigned int flags) {
  return run_all(stream, count, paramArray, flags);
}

}  // extern "C"
