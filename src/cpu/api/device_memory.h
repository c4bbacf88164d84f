// SPDX-License-Identifier: MIT
// Ranges of memory that kernels may touch: asking about them, and freeing blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/device.h"

namespace pycuda::cpu::api {

class Context;

/// A copy or fill this small takes no longer than handing it to a worker.
constexpr std::size_t small_transfer_bytes = std::size_t{64} * 1024;

/// Copies that name "the device" as an end, and stream memory operations, take no memory of the
/// host's pools. What takes addresses of any kind does.
enum class HostPools : bool { Refused, Taken };

/// Whether [address, address + bytes) lies in one live allocation of any kind.
bool is_device_range(CUdeviceptr address, std::uint64_t bytes,
                     HostPools host_pools = HostPools::Taken);
/// Whether a copy may have that end: inside an allocation it must stay there; outside of all, it is
/// the host's own memory.
bool is_unified_range(CUdeviceptr address, std::uint64_t bytes);
/// Whether the driver knows nothing of the memory at `address`: then it is the host's own, not
/// page-locked, and the program may free or change it once an asynchronous copy's call has
/// returned.
bool is_pageable(CUdeviceptr address);
/// Whether `address` is the start of a block that cuMemAlloc, cuMemAllocPitch or cuMemAllocManaged
/// gave.
bool is_device_block(CUdeviceptr address);
/// Frees such a block without waiting for anything. False if it is none.
bool free_device_block(CUdeviceptr address);
/// Whether a fill of at least one value may be done: alignment, pitch and range. The element size
/// is 1, 2 or 4.
CUresult check_fill(const CUDA_MEMSET_NODE_PARAMS& spec);
/// Whether cuMemMap put it there.
constexpr bool is_mapped(exec::MemoryKind kind) {
  return kind == exec::MemoryKind::Mapped || kind == exec::MemoryKind::MappedHost;
}
/// Whether a pool or a graph's node gave the memory.
constexpr bool is_of_pool(exec::MemoryKind kind) {
  return kind == exec::MemoryKind::Pool || kind == exec::MemoryKind::ManagedPool ||
         kind == exec::MemoryKind::HostPool;
}
/// The context an allocation was made in; null for pools.
Context* owner_of(const exec::Allocation& allocation);

}  // namespace pycuda::cpu::api
