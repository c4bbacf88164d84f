// SPDX-License-Identifier: MIT
// cuMemAlloc, cuMemFree and what can be asked about device memory; managed memory, which here is
// the same thing.
#include "cpu/api/device_memory.h"

#include "cpu/api/capture.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/memory_pool.h"
#include "cpu/exec/leaks.h"

namespace pycuda::cpu::api {

using exec::AddressTable;
using exec::MemoryKind;

namespace {

/// By cuMemFree, as a block of its context.
bool is_freed_here(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Managed || kind == MemoryKind::External;
}

}  // namespace

bool is_device_range(CUdeviceptr address, std::uint64_t bytes, HostPools host_pools) {
  auto found = AddressTable::instance().find(address);
  if (host_pools == HostPools::Refused && found && found->kind == MemoryKind::HostPool)
    return false;
  while (found && bytes > found->bytes - (address - found->begin)) {
    // What is mapped side by side is one range to a program.
    if (!is_mapped(found->kind)) return false;
    bytes -= found->bytes - (address - found->begin);
    address = found->begin + found->bytes;
    found = AddressTable::instance().find(address);
    if (found && !is_mapped(found->kind)) return false;
  }
  return found.has_value();
}

bool is_unified_range(CUdeviceptr address, std::uint64_t bytes) {
  return address != 0 &&
         (is_device_range(address, bytes) || !AddressTable::instance().find(address));
}

bool is_pageable(CUdeviceptr address) { return !AddressTable::instance().find(address); }

bool is_device_block(CUdeviceptr address) {
  const auto found = AddressTable::instance().find(address);
  return found && found->begin == address && is_freed_here(found->kind);
}

Context* owner_of(const exec::Allocation& allocation) {
  if (is_of_pool(allocation.kind)) return nullptr;
  if (allocation.kind == MemoryKind::DeviceHeap)
    return static_cast<Context*>(static_cast<exec::FaultSink*>(allocation.owner));
  return registry.contexts.find(static_cast<CUcontext>(allocation.owner));
}

bool free_device_block(CUdeviceptr address) {
  const auto found = AddressTable::instance().find(address);
  if (!found || found->begin != address) return false;
  if (!is_freed_here(found->kind)) return false;
  const ObjectPin pin;
  Context* const owner = owner_of(*found);
  return owner != nullptr && owner->release(reinterpret_cast<void*>(address));
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

CUresult allocate(CUdeviceptr* pointer, std::size_t bytes, MemoryKind kind) {
  return with_context([&](Context& context) -> CUresult {
    if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    void* memory = context.allocate(bytes, kind);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    pycuda::cpu::exec::note_allocation(memory);
    *pointer = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  return allocate(dptr, bytesize, MemoryKind::Device);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  return with_context([&](Context&) -> CUresult {
    if (pPitch == nullptr || WidthInBytes == 0 || Height == 0) return CUDA_ERROR_INVALID_VALUE;
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
      return CUDA_ERROR_INVALID_VALUE;
    constexpr std::size_t alignment = DeviceLimits::pitch_alignment;
    if (WidthInBytes > 0x7fffffff - alignment) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t pitch = (WidthInBytes + alignment - 1) / alignment * alignment;
    if (Height > SIZE_MAX / pitch) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult status = allocate(dptr, pitch * Height, MemoryKind::Device);
    if (status == CUDA_SUCCESS) *pPitch = pitch;
    return status;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) {
    return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  }
  return allocate(dptr, bytesize, MemoryKind::Managed);
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return with_context([&](Context& current) -> CUresult {
    if (dptr == 0) return CUDA_SUCCESS;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    const auto found = AddressTable::instance().find(dptr);
    if (!found || found->begin != dptr) return CUDA_ERROR_INVALID_VALUE;
    // Work that was launched before may still use the block.
    if (is_of_pool(found->kind)) {
      const CUresult status = current.synchronize();
      if (status != CUDA_SUCCESS) return status;
      if (const SharedAllocation of_graph = find_graph_allocation(dptr))
        return free_graph_allocation(of_graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
      return release_pool_block(reinterpret_cast<void*>(dptr)) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_INVALID_VALUE;
    }
    if (!is_freed_here(found->kind)) return CUDA_ERROR_INVALID_VALUE;
    Context* const owner = owner_of(*found);
    if (owner == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = owner->synchronize();
    if (status != CUDA_SUCCESS) return status;
    return free_device_block(dptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return with_context([&](Context& context) -> CUresult {
    if (free != nullptr) *free = context.device().memory().free_bytes();
    if (total != nullptr) *total = context.device().memory().total_bytes();
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  return with_context([&](Context&) -> CUresult {
    const auto found = AddressTable::instance().find(dptr);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    if (pbase != nullptr) *pbase = found->begin;
    if (psize != nullptr) *psize = found->bytes;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
