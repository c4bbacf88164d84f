// SPDX-License-Identifier: MIT
// cuMemPoolExportToShareableHandle, cuMemPoolExportPointer and their counterparts: pools whose
// blocks other processes map, one by one.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/api/device_memory.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/ipc_memory.h"
#include "cpu/api/memory_pool.h"
#include "cpu/api/virtual_device.h"

namespace pycuda::cpu::api {

using exec::PagesName;
using exec::SharedPages;

CUresult MemoryPool::become_shared() {
  PagesName name;
  name.purpose = is_of_device_memory() ? exec::pool_pages : exec::host_pool_pages;
  name.page_bytes = 4096;
  name.bytes = static_cast<std::uint64_t>(device_.ordinal());
  auto pages = SharedPages::make(name);
  if (!pages) return refuse_pages(pages.error(), CUDA_ERROR_INVALID_VALUE);
  shared_.emplace(std::move(*pages));
  return CUDA_SUCCESS;
}

CUresult MemoryPool::open(const PagesName& block, void** memory) {
  if (!origin_ || block.maker() != origin_->maker() || block.group != origin_->chance) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "cuMemPoolImportPointer: the block is not of the pool that was imported");
  }
  const auto opened = this->memory().open(block, nullptr, kind());
  if (!opened) return refuse_pages(opened.error(), CUDA_ERROR_INVALID_VALUE);
  *memory = *opened;
  const std::lock_guard lock(mutex_);
  used_bytes_ += block.bytes;
  used_high_bytes_ = std::max(used_high_bytes_, used_bytes_);
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::AddressTable;
using pycuda::cpu::exec::PagesFailure;
using pycuda::cpu::exec::PagesName;
using pycuda::cpu::exec::SharedPages;

namespace {

/// The name of the pool, of either kind, that a descriptor stands for.
pycuda::base::Result<PagesName, PagesFailure> find_pool_name(int descriptor) {
  const auto of_device = SharedPages::of_descriptor(descriptor, pycuda::cpu::exec::pool_pages);
  if (of_device) return of_device->name();
  const auto of_host = SharedPages::of_descriptor(descriptor, pycuda::cpu::exec::host_pool_pages);
  if (!of_host) return of_host.error();
  return of_host->name();
}

}  // namespace

extern "C" {

CUresult cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    MemoryPool* const found = registry.pools.find(pool);
    if (handle_out == nullptr || found == nullptr || flags != 0 ||
        handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return CUDA_ERROR_INVALID_VALUE;
    if (found->shared() == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "cuMemPoolExportToShareableHandle: the pool was made without this type in "
                  "handleTypes");
    }
    const int descriptor = found->shared()->duplicate();
    if (descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    found->note_export();
    *static_cast<int*>(handle_out) = descriptor;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  return with_driver([&]() -> CUresult {
    if (pool_out == nullptr || flags != 0 || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return CUDA_ERROR_INVALID_VALUE;
    const auto name = find_pool_name(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
    if (!name) return refuse_pages(name.error(), CUDA_ERROR_UNKNOWN);
    // A process may see fewer devices than the one that made the pool; memory is the same.
    VirtualDevice* device = find_device(static_cast<CUdevice>(name->bytes));
    if (device == nullptr) device = find_device(0);
    *pool_out = import_pool(*device, *name);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
  return with_driver([&]() -> CUresult {
    const auto found = AddressTable::instance().find(ptr);
    if (shareData_out == nullptr || !found || found->begin != ptr) return CUDA_ERROR_INVALID_VALUE;
    void* const memory = reinterpret_cast<void*>(found->begin);
    const MemoryPool* const pool = registry.pools.find(pool_of(memory));
    if (pool == nullptr || pool->shared() == nullptr) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "cuMemPoolExportPointer: the memory is of no pool that can be exported");
    }
    if (!pool->is_exported()) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "cuMemPoolExportPointer: the memory's pool has not been exported yet "
                  "(cuMemPoolExportToShareableHandle)");
    }
    // What is at work on the block would meet pages that can only be read for a while.
    if (Context* const context = registry.contexts.find(this_thread.current)) {
      if (const CUresult status = context->synchronize(); status != CUDA_SUCCESS) return status;
    }
    const auto name = pool->memory().share(memory, pool->shared()->name().chance);
    if (!name) return refuse_pages(name.error(), CUDA_ERROR_INVALID_VALUE);
    *shareData_out = std::bit_cast<CUmemPoolPtrExportData>(*name);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData* shareData) {
  return with_driver([&]() -> CUresult {
    MemoryPool* const found = registry.pools.find(pool);
    if (ptr_out == nullptr || shareData == nullptr || found == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    return import_pool_block(*found, std::bit_cast<PagesName>(*shareData), ptr_out);
  });
}

}  // extern "C"
