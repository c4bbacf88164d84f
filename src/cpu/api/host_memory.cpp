// SPDX-License-Identifier: MIT
// cuMemHost*: page-locked memory. Kernels reach it at the address the host has for it.
#include <sys/mman.h>

#include "cpu/api/capture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/exec/leaks.h"

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::AddressTable;
using pycuda::cpu::exec::Allocation;
using pycuda::cpu::exec::MemoryKind;

namespace {

constexpr unsigned allocate_flags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned register_flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                    CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

void enter_registered(Context& context, void* memory, std::size_t bytes, unsigned flags) {
  Allocation allocation;
  allocation.begin = reinterpret_cast<std::uintptr_t>(memory);
  allocation.bytes = bytes;
  allocation.kind = MemoryKind::Registered;
  allocation.device = context.device().ordinal();
  allocation.owner = context.handle();
  AddressTable::instance().insert(allocation);
  context.own_host(memory, {false, flags});
}

CUresult allocate(void** pointer, std::size_t bytes, unsigned flags) {
  return with_context([&](Context& context) -> CUresult {
    if (pointer == nullptr || (flags & ~allocate_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (bytes == 0) {
      *pointer = nullptr;
      return CUDA_SUCCESS;
    }
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    constexpr std::size_t page = 4096;
    void* memory = context.device().host_memory().allocate(bytes, MemoryKind::PageLocked,
                                                           context.handle(), page);
    if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    context.own_host(memory, {true, flags});
    pycuda::cpu::exec::note_allocation(memory);
    *pointer = memory;
    return CUDA_SUCCESS;
  });
}

// The page-locked or registered allocation that holds `address`.
std::optional<Allocation> find_host(const void* address) {
  const auto found = AddressTable::instance().find(reinterpret_cast<std::uintptr_t>(address));
  if (!found || (found->kind != MemoryKind::PageLocked && found->kind != MemoryKind::Registered))
    return std::nullopt;
  return found;
}

/// Whether the host has memory at every address of the range.
bool is_mapped(std::uintptr_t begin, std::size_t bytes) {
  constexpr std::uintptr_t page = 4096;
  const std::uintptr_t first = begin / page * page;
  // Linux starts nothing for MS_ASYNC, but looks through the process's mappings.
  return msync(reinterpret_cast<void*>(first), begin + bytes - first, MS_ASYNC) == 0;
}

bool overlaps_another(std::uintptr_t begin, std::size_t bytes) {
  const AddressTable& table = AddressTable::instance();
  if (table.find(begin) || table.find(begin + bytes - 1)) return true;
  const auto nearest = table.nearest(begin + bytes / 2);
  return nearest && nearest->begin < begin + bytes && begin < nearest->begin + nearest->bytes;
}

}  // namespace

extern "C" {

CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
  return allocate(pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  return allocate(pp, bytesize, Flags);
}

CUresult cuMemFreeHost(void* p) {
  return with_context([&](Context&) -> CUresult {
    if (p == nullptr) return CUDA_SUCCESS;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    const auto found = find_host(p);
    if (!found || found->begin != reinterpret_cast<std::uintptr_t>(p) ||
        found->kind != MemoryKind::PageLocked) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    Context* const owner = owner_of(*found);
    if (owner == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = owner->synchronize();
    if (status != CUDA_SUCCESS) return status;
    return owner->release_host(p, true) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  return with_context([&](Context&) -> CUresult {
    if (pdptr == nullptr || Flags != 0 || !find_host(p)) return CUDA_ERROR_INVALID_VALUE;
    *pdptr = reinterpret_cast<CUdeviceptr>(p);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  return with_context([&](Context&) -> CUresult {
    const auto found = find_host(p);
    if (pFlags == nullptr || !found) return CUDA_ERROR_INVALID_VALUE;
    const Context* const owner = owner_of(*found);
    if (owner == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto block = owner->find_host(reinterpret_cast<void*>(found->begin));
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    *pFlags = block->flags | CU_MEMHOSTALLOC_DEVICEMAP;  // all of it is mapped, asked for or not
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  return with_context([&](Context& context) -> CUresult {
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    if (p == nullptr || bytesize == 0 || (Flags & ~register_flags) != 0 ||
        bytesize > UINTPTR_MAX - begin) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if ((Flags & CU_MEMHOSTREGISTER_IOMEMORY) != 0) return CUDA_ERROR_NOT_PERMITTED;
    if (overlaps_another(begin, bytesize)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!is_mapped(begin, bytesize))
      return fail(CUDA_ERROR_INVALID_VALUE, "memory: the host has none at some addresses of it");
    enter_registered(context, p, bytesize, Flags);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags) {
  return cuMemHostRegister_v2(p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void* p) {
  return with_context([&](Context&) -> CUresult {
    const auto found = find_host(p);
    if (!found) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    if (found->begin != reinterpret_cast<std::uintptr_t>(p) ||
        found->kind != MemoryKind::Registered) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    Context* const owner = owner_of(*found);
    if (owner == nullptr) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    const CUresult status = owner->synchronize();
    if (status != CUDA_SUCCESS) return status;
    return owner->release_host(p, false) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}

}  // extern "C"
