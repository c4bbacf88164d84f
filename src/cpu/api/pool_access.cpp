// SPDX-License-Identifier: MIT
// cuMemPoolSetAccess, cuMemPoolGetAccess, and what follows from them for copies.
#include "cpu/api/pool_access.h"

#include <string>

#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/memory_pool.h"
#include "cpu/api/virtual_device.h"
#include "cpu/exec/address_table.h"

namespace pycuda::cpu::api {
namespace {

/// Where access can be had from at all.
bool is_place_of_access(CUmemLocationType type) {
  return type == CU_MEM_LOCATION_TYPE_DEVICE || type == CU_MEM_LOCATION_TYPE_HOST ||
         type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
}

/// The type and, of a device, its number.
std::pair<int, int> key_of(const CUmemLocation& from) {
  return {from.type, from.type == CU_MEM_LOCATION_TYPE_DEVICE ? from.id : 0};
}

/// Whether the block at the address, of a pool of device memory, may be used by another device.
bool is_reached_from(int device, const exec::Allocation& block) {
  if (const SharedAllocation of_graph = find_graph_allocation(block.begin))
    return of_graph->is_reached_from(device);
  const std::shared_ptr<const MemoryPool> pool =
      find_pool_of(reinterpret_cast<const void*>(block.begin));
  if (pool == nullptr) return true;  // freed meanwhile: the copy itself will tell
  CUmemLocation from{};
  from.type = CU_MEM_LOCATION_TYPE_DEVICE;
  from.id = device;
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return pool->get_access(from, &flags) != CUDA_SUCCESS || flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

}  // namespace

const VirtualDevice* current_device() {
  Context* const context = registry.contexts.find(this_thread.current);
  return context != nullptr ? &context->device() : nullptr;
}

CUresult check_pool_access(const VirtualDevice* device,
                           std::initializer_list<CUdeviceptr> addresses) {
  if (device == nullptr || device_count() == 1) return CUDA_SUCCESS;
  for (const CUdeviceptr address : addresses) {
    const auto block = exec::AddressTable::instance().find(address);
    if (!block || block->kind != exec::MemoryKind::Pool || block->device == device->ordinal() ||
        is_reached_from(device->ordinal(), *block))
      continue;
    return fail(CUDA_ERROR_INVALID_VALUE, "device " + std::to_string(device->ordinal()) +
                                              " has no access to memory of a pool of device " +
                                              std::to_string(block->device) +
                                              " (cuMemPoolSetAccess)");
  }
  return CUDA_SUCCESS;
}

CUresult MemoryPool::get_access(const CUmemLocation& from, CUmemAccess_flags* flags) const {
  if (!is_place_of_access(from.type)) return CUDA_ERROR_INVALID_VALUE;
  const bool from_device = from.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (from_device && find_device(from.id) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(mutex_);
  bool own = false;
  switch (kind()) {
    case exec::MemoryKind::Pool:
      own = from_device && from.id == device_.ordinal();
      break;
    case exec::MemoryKind::HostPool:
      own = !from_device;
      break;
    default:
      own = from.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
  }
  const auto set = access_.find(key_of(from));
  if (set != access_.end()) {
    *flags = set->second;
  } else {
    *flags = own ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  return CUDA_SUCCESS;
}

CUresult MemoryPool::check_access(const CUmemAccessDesc& access) const {
  const CUmemLocation& from = access.location;
  const bool from_device = from.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (access.flags == CU_MEM_ACCESS_FLAGS_PROT_READ) return CUDA_ERROR_NOT_SUPPORTED;
  const bool none = access.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
  if (!none && access.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return CUDA_ERROR_INVALID_VALUE;
  if (from_device && find_device(from.id) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (kind() == exec::MemoryKind::Pool) {
    if (!from_device) return CUDA_ERROR_NOT_SUPPORTED;
    // The pool's own device always has access.
    return none && from.id == device_.ordinal() ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
  }
  if (!is_place_of_access(from.type)) return CUDA_ERROR_INVALID_VALUE;
  // The host cannot be kept out of its own memory.
  const bool of_host = kind() == exec::MemoryKind::HostPool && !from_device;
  return of_host && none ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

void MemoryPool::set_access(const CUmemAccessDesc& access) {
  const std::lock_guard lock(mutex_);
  access_[key_of(access.location)] = access.flags;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                            CUmemLocation* location) {
  return with_driver([&]() -> CUresult {
    const MemoryPool* const found = registry.pools.find(memPool);
    if (found == nullptr || flags == nullptr || location == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    return found->get_access(*location, flags);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count) {
  return with_driver([&]() -> CUresult {
    MemoryPool* const found = registry.pools.find(pool);
    if (found == nullptr || (map == nullptr && count != 0)) return CUDA_ERROR_INVALID_VALUE;
    // All or nothing.
    for (std::size_t i = 0; i < count; ++i) {
      if (const CUresult status = found->check_access(map[i]); status != CUDA_SUCCESS)
        return status;
    }
    for (std::size_t i = 0; i < count; ++i) found->set_access(map[i]);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
