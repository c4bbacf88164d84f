// SPDX-License-Identifier: MIT
// The parts of bulk copies that copies by tensor maps have too.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// Looks at a piece that a bulk copy reads or writes, as the checks of the launch want it; faults.
void check_bulk_access(ThreadFrame* thread, const void* memory, std::uint32_t bytes, bool writes);

/// Tells an mbarrier (null: none) of bytes that have come.
void complete_bulk(ThreadFrame* thread, std::uint64_t* barrier, std::uint32_t bytes);

/// Combines `bytes` bytes element by element; `code` as in pycuda_cpu_bulk_reduce.
void reduce_bulk(void* to, const void* from, std::uint32_t bytes, std::uint32_t code);

/// Bytes of an element of a reduction.
std::uint32_t bulk_element_bytes(std::uint32_t code);

/// Ends the launch with a fault that names what is wrong.
[[noreturn]] void refuse_bulk(ThreadFrame* thread, FaultKind kind, std::uint64_t address,
                              const char* what);

/// Where the block of this rank has what `memory` is in its own; faults where it is in no block's
/// shared memory.
void* in_block(ThreadFrame* thread, void* memory, std::uint32_t rank);

/// Calls `each` with the rank of every block of the cluster whose bit is set in `blocks`; faults at
/// bits of blocks that the cluster does not have.
template <class Each>
void for_blocks(ThreadFrame* thread, std::uint32_t blocks, Each each);

std::uint32_t cluster_size_of(const ThreadFrame& thread);

template <class Each>
void for_blocks(ThreadFrame* thread, std::uint32_t blocks, Each each) {
  const std::uint32_t size = cluster_size_of(*thread);
  if (blocks >> size != 0)
    refuse_bulk(thread, FaultKind::IllegalAddress, 0,
                "a copy to a block that the cluster does not have");
  for (std::uint32_t rank = 0; rank < size; ++rank)
    if ((blocks >> rank & 1) != 0) each(rank);
}

}  // namespace pycuda::cpu::exec
