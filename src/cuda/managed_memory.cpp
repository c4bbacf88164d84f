// SPDX-License-Identifier: MIT
// Managed memory over the driver's.
#include "cuda/managed_memory.h"

#include <algorithm>
#include <string>

#include "cuda/capturing.h"
#include "cuda/device_memory.h"

namespace pycuda::cuda {
namespace {

CUmemLocation location_of(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}

}  // namespace

ManagedMemory::ManagedMemory(std::size_t bytes, unsigned int flags)
    : memory_(require_context()), bytes_(bytes) {
  const CaptureTolerance tolerance(memory_.driver());
  const auto& allocate = memory_.driver().cuMemAllocManaged;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);
  CUresult code = allocate.status(memory_.out(), at_least_one, flags);
  if (code == CUDA_ERROR_OUT_OF_MEMORY && relieve_memory_pressure()) {
    const ContextScope scope(context());
    code = allocate.status(memory_.out(), at_least_one, flags);
  }
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    throw allocate.error(code, std::to_string(bytes) + " bytes");
  if (code == CUDA_ERROR_INVALID_VALUE && flags != CU_MEM_ATTACH_GLOBAL &&
      flags != CU_MEM_ATTACH_HOST) {
    throw allocate.error(code, "mem_flags=" + std::to_string(flags) +
                                   ": pass mem_attach_flags.GLOBAL or mem_attach_flags.HOST");
  }
  if (code != CUDA_SUCCESS) throw allocate.error(code);
}

void ManagedMemory::attach(unsigned int flags, CUstream stream) const {
  const ContextScope scope(context());
  memory_.driver().cuStreamAttachMemAsync(stream_for_work(stream), address(), 0, flags);
}

void ManagedMemory::prefetch(CUdevice device, CUstream stream) const {
  const ContextScope scope(context());
  driver::prefetch(memory_.driver(), address(), bytes_, location_of(device),
                   stream_for_work(stream));
}

void ManagedMemory::advise(CUmem_advise advice, CUdevice device) const {
  const ContextScope scope(context());
  driver::advise(memory_.driver(), address(), bytes_, advice, location_of(device));
}

}  // namespace pycuda::cuda
