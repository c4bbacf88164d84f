// SPDX-License-Identifier: MIT
// cuPointerGetAttribute: what kind of memory an address is.
#include <mutex>
#include <unordered_set>

#include "cpu/api/device_memory.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/memory_pool.h"
#include "cpu/api/virtual_memory.h"

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::AddressSpace;
using pycuda::cpu::exec::AddressTable;
using pycuda::cpu::exec::Allocation;
using pycuda::cpu::exec::MemoryKind;

namespace {

bool is_host(const Allocation& allocation) {
  return allocation.kind == MemoryKind::PageLocked || allocation.kind == MemoryKind::Registered ||
         allocation.kind == MemoryKind::HostPool || allocation.kind == MemoryKind::MappedHost;
}

bool is_managed(const Allocation& allocation) {
  return allocation.kind == MemoryKind::Managed || allocation.kind == MemoryKind::ManagedPool;
}

/// Whether cuIpcGetMemHandle has a handle for it.
bool can_share(const Allocation& allocation) {
  if (allocation.kind != MemoryKind::Device) return false;
  const Context* const owner = owner_of(allocation);
  return owner != nullptr &&
         owner->device().memory().can_share(reinterpret_cast<void*>(allocation.begin));
}

/// The blocks that programs have set CU_POINTER_ATTRIBUTE_SYNC_MEMOPS for, by their ids, which
/// never repeat. It is only remembered: synchronous operations always are so here.
struct SynchronousBlocks {
  std::mutex mutex;  ///< protects the rest
  std::unordered_set<std::uint64_t> ids;
};

SynchronousBlocks& synchronous_blocks() {
  static auto& all = *new SynchronousBlocks;
  return all;
}

bool is_synchronous(const Allocation& block) {
  SynchronousBlocks& all = synchronous_blocks();
  const std::lock_guard lock(all.mutex);
  return all.ids.contains(block.id);
}

void set_synchronous(const Allocation& block, bool value) {
  SynchronousBlocks& all = synchronous_blocks();
  const std::lock_guard lock(all.mutex);
  if (value) {
    all.ids.insert(block.id);
  } else {
    all.ids.erase(block.id);
  }
}

template <class Value>
CUresult answer(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return CUDA_SUCCESS;
}

CUresult attribute(void* data, CUpointer_attribute name, const Allocation& allocation,
                   CUdeviceptr address) {
  switch (name) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      const Context* owner = owner_of(allocation);
      return answer<CUcontext>(data, owner != nullptr ? owner->handle() : nullptr);
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer<unsigned>(data,
                              is_host(allocation) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer<CUdeviceptr>(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!is_host(allocation) && !is_managed(allocation)) return CUDA_ERROR_INVALID_VALUE;
      return answer<CUdeviceptr>(data, address);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return answer<unsigned>(data, is_synchronous(allocation) ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer<unsigned long long>(data, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer<unsigned>(data, is_managed(allocation) ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer<int>(data, allocation.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer<unsigned>(data, can_share(allocation));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer<CUdeviceptr>(data, is_mapped(allocation.kind)
                                           ? AddressSpace::instance().reservation(address).first
                                           : allocation.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer<std::size_t>(data, is_mapped(allocation.kind)
                                           ? AddressSpace::instance().reservation(address).second
                                           : allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer<unsigned>(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: {
      if (const auto mapping = AddressSpace::instance().find(address))
        return answer<unsigned long long>(
            data, mapping->memory != nullptr ? mapping->memory->facts().handle_types : 0);
      const MemoryPool* const pool =
          registry.pools.find(pool_of(reinterpret_cast<const void*>(allocation.begin)));
      const bool shared = pool != nullptr && pool->shared() != nullptr;
      return answer<unsigned long long>(
          data, shared ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE);
    }
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return answer<unsigned>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: {
      const auto mapping = AddressSpace::instance().find(address);
      return answer<unsigned>(
          data, mapping ? flags_of(mapping->allowed()) : CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    }
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer<CUmemoryPool>(data, pool_of(reinterpret_cast<const void*>(allocation.begin)));
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return answer<std::size_t>(data, allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return answer<CUdeviceptr>(data, allocation.begin);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer<unsigned long long>(data, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return answer<unsigned>(data, claimed_architecture().decompresses() ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      return CUDA_ERROR_NOT_SUPPORTED;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// What cuPointerGetAttributes says of memory that the driver does not know.
CUresult unknown_memory(void* data, CUpointer_attribute name) {
  switch (name) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer<unsigned long long>(data, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer<int>(data, CU_DEVICE_INVALID);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return answer<unsigned>(data, 0);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

extern "C" {

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute_name, CUdeviceptr ptr) {
  return with_driver([&]() -> CUresult {
    if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = AddressTable::instance().find(ptr);
    return found ? attribute(data, attribute_name, *found, ptr) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr ptr) {
  return with_driver([&]() -> CUresult {
    if (numAttributes == 0 || attributes == nullptr || data == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    const auto found = AddressTable::instance().find(ptr);
    for (unsigned i = 0; i < numAttributes; ++i) {
      if (data[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      CUresult status = found ? attribute(data[i], attributes[i], *found, ptr)
                              : unknown_memory(data[i], attributes[i]);
      // An attribute that this kind of memory does not have is no failure here, it reads as absent.
      if (found && status == CUDA_ERROR_INVALID_VALUE)
        status = unknown_memory(data[i], attributes[i]);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute_name,
                               CUdeviceptr ptr) {
  return with_driver([&]() -> CUresult {
    if (value == nullptr || attribute_name != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
      return CUDA_ERROR_INVALID_VALUE;
    const auto found = AddressTable::instance().find(ptr);
    if (!found || is_host(*found)) return CUDA_ERROR_INVALID_VALUE;
    set_synchronous(*found, *static_cast<const unsigned*>(value) != 0);
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
