// SPDX-License-Identifier: MIT
// cuIpc*MemHandle: device memory that processes share.
#include "cpu/api/ipc_memory.h"

#include <algorithm>
#include <bit>

#include "cpu/api/capture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"

namespace pycuda::cpu::api {

using exec::AddressTable;
using exec::MemoryKind;
using exec::PagesFailure;

CUresult refuse_pages(const PagesFailure& failure, CUresult no_name) {
  using Reason = PagesFailure::Reason;
  const auto result = [&] {
    switch (failure.reason) {
      case Reason::NoName:
        return no_name;
      case Reason::Own:
        return CUDA_ERROR_INVALID_CONTEXT;
      case Reason::Gone:
        return CUDA_ERROR_INVALID_VALUE;
      case Reason::NotPermitted:
        return CUDA_ERROR_MAP_FAILED;
      case Reason::NoRoom:
        return CUDA_ERROR_OUT_OF_MEMORY;
      case Reason::NotThere:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_ERROR_UNKNOWN;
  }();
  return fail(result, failure.message);
}

CUresult OpenedMemory::open(const exec::PagesName& name, CUdeviceptr* pointer) {
  // Held to the end: two threads that open the same block get one mapping.
  const std::lock_guard lock(mutex_);
  const auto known =
      std::ranges::find_if(blocks_, [&](const auto& entry) { return entry.second.name == name; });
  if (known != blocks_.end()) {
    ++known->second.times;
    *pointer = known->first;
    return CUDA_SUCCESS;
  }
  const auto opened = context_.open(name);
  if (!opened) return refuse_pages(opened.error(), CUDA_ERROR_INVALID_VALUE);
  *pointer = reinterpret_cast<CUdeviceptr>(*opened);
  blocks_.emplace(*pointer, Block{name, 1});
  return CUDA_SUCCESS;
}

CUresult OpenedMemory::close(CUdeviceptr pointer) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return CUDA_ERROR_INVALID_VALUE;
    if (--found->second.times != 0) return CUDA_SUCCESS;
    blocks_.erase(found);
  }
  // Work that was launched before may still use the block.
  const CUresult status = context_.synchronize();
  context_.release(reinterpret_cast<void*>(pointer));
  return status;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;
using pycuda::cpu::exec::PagesName;

namespace {

CUresult open(CUdeviceptr* pointer, const CUipcMemHandle& handle, unsigned flags) {
  return with_context([&](Context& context) -> CUresult {
    if (pointer == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
      return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    return context.opened_memory().open(std::bit_cast<PagesName>(handle), pointer);
  });
}

}  // namespace

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  return with_context([&](Context&) -> CUresult {
    const auto found = AddressTable::instance().find(dptr);
    if (pHandle == nullptr || !found || found->kind != MemoryKind::Device)
      return CUDA_ERROR_INVALID_VALUE;
    Context* const owner = owner_of(*found);
    if (owner == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // What is at work on the block would meet pages that can only be read for a while.
    if (const CUresult status = owner->synchronize(); status != CUDA_SUCCESS) return status;
    const auto name = owner->device().memory().share(reinterpret_cast<void*>(found->begin));
    if (!name) return refuse_pages(name.error(), CUDA_ERROR_INVALID_VALUE);
    *pHandle = std::bit_cast<CUipcMemHandle>(*name);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return open(pdptr, handle, Flags);
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return open(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return with_context([&](Context&) -> CUresult {
    if (const CUresult status = check_unsafe_call(); status != CUDA_SUCCESS) return status;
    const auto found = AddressTable::instance().find(dptr);
    if (!found || found->kind != MemoryKind::Opened) return CUDA_ERROR_INVALID_VALUE;
    Context* const owner = owner_of(*found);
    return owner != nullptr ? owner->opened_memory().close(dptr) : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // extern "C"
