// SPDX-License-Identifier: MIT
// What other devices of the machine do with a GPU's memory: this device's is the host's own.
#include "cpu/api/device_memory.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope) {
  return with_context([&](Context&) -> CUresult {
    if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX ||
        (scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER &&
         scope != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES))
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;  // what others write to the host's memory is seen at once
  });
}

CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr dptr, size_t size,
                                       CUmemRangeHandleType handleType, unsigned long long) {
  return with_context([&](Context&) -> CUresult {
    if (handle == nullptr || handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || size == 0 ||
        !is_device_range(dptr, size))
      return CUDA_ERROR_INVALID_VALUE;
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "cuMemGetHandleForAddressRange: a DMA buffer is memory of a device on a bus, and "
                "the CPU driver's is the host's own; use cuMemExportToShareableHandle");
  });
}

}  // extern "C"
