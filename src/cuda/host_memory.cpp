// SPDX-License-Identifier: MIT
// Page-locked, registered and aligned host memory.
#include "cuda/host_memory.h"

#include <algorithm>
#include <bit>
#include <string>

#include "cuda/flag_refusal.h"

namespace pycuda::cuda {

CUdeviceptr device_address(const ContextPtr& context, void* host) {
  const ContextScope scope(context);
  CUdeviceptr address = 0;
  context->driver().cuMemHostGetDevicePointer(&address, host, 0);
  return address;
}

PageLockedMemory::PageLockedMemory(std::size_t bytes, unsigned int flags, OnPressure on_pressure)
    : memory_(require_context()), bytes_(bytes) {
  const CaptureTolerance tolerance(memory_.driver());
  const auto& allocate = memory_.driver().cuMemHostAlloc;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);
  CUresult code = allocate.status(memory_.out(), at_least_one, flags);
  if (code == CUDA_ERROR_OUT_OF_MEMORY && on_pressure == OnPressure::Relieve &&
      relieve_memory_pressure()) {
    const ContextScope scope(context());
    code = allocate.status(memory_.out(), at_least_one, flags);
  }
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    throw allocate.error(code, std::to_string(bytes) + " bytes");
  if (code != CUDA_SUCCESS) {
    throw flag_error(
        allocate, code, flags,
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED,
        "they are combined from those of host_alloc_flags");
  }
}

unsigned int PageLockedMemory::flags() const {
  const ContextScope scope(context());
  unsigned int flags = 0;
  memory_.driver().cuMemHostGetFlags(&flags, data());
  return flags;
}

RegisteredMemory::RegisteredMemory(void* data, std::size_t bytes, unsigned int flags)
    : memory_(require_context()), data_(data), bytes_(bytes) {
  const CaptureTolerance tolerance(memory_.driver());
  const auto& register_memory = memory_.driver().cuMemHostRegister;
  const CUresult code = register_memory.status(data, bytes, flags);
  if (code != CUDA_SUCCESS) {
    throw flag_error(register_memory, code, flags,
                     CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                         CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY,
                     "they are combined from those of mem_host_register_flags");
  }
  *memory_.out() = data;
}

AlignedMemory::AlignedMemory(std::size_t bytes, std::size_t alignment) : bytes_(bytes) {
  if (alignment == 0) {
    throw driver::DriverError("aligned_malloc", CUDA_ERROR_INVALID_VALUE,
                              "alignment must non-zero");
  }
  if (!std::has_single_bit(alignment)) {
    throw driver::DriverError("aligned_malloc", CUDA_ERROR_INVALID_VALUE,
                              "alignment must be a power of two");
  }
  void* data = nullptr;
  // The C library wants room for a pointer at least.
  const std::size_t granted = std::max(alignment, sizeof(void*));
  if (::posix_memalign(&data, granted, std::max<std::size_t>(bytes, 1)) != 0) {
    throw driver::DriverError("aligned_malloc", CUDA_ERROR_OUT_OF_MEMORY,
                              "aligned malloc failed: " + std::to_string(bytes) +
                                  " bytes at a multiple of " + std::to_string(alignment));
  }
  memory_.reset(data);
}

void AlignedMemory::free() {
  if (!memory_) {
    throw driver::DriverError("aligned_host_allocation::free", CUDA_ERROR_INVALID_HANDLE,
                              "it has been released before");
  }
  memory_.reset();
}

}  // namespace pycuda::cuda
