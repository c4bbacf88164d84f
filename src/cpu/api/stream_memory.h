// SPDX-License-Identifier: MIT
// Batches of stream memory operations: words that streams write and wait for.
#pragma once

#include <span>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::api {

class Stream;

using MemoryOperations = std::span<const CUstreamBatchMemOpParams>;

/// INVALID_VALUE for operations, flags and addresses that there are not.
CUresult check_memory_operations(MemoryOperations operations);

/// Puts operations that were checked into a stream.
void enqueue_memory_operations(Stream& stream, MemoryOperations operations);

/// One step of a graph for each.
void append_memory_operations(MemoryOperations operations, exec::Sequence* sequence);

}  // namespace pycuda::cpu::api
