// SPDX-License-Identifier: MIT
// Stream-ordered memory and the pools that it comes from.
#include "cudart/call.h"

using namespace pycuda::cudart;

CUDART_API cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return with_context("cudaMallocAsync", [&](const DriverTable& driver) -> cudaError_t {
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    *devPtr = nullptr;
    return size == 0 ? cudaSuccess
                     : to_runtime(call(driver.cuMemAllocAsync, devPtr, size, hStream));
  });
}

CUDART_API cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                   cudaStream_t stream) {
  return with_context("cudaMallocFromPoolAsync", [&](const DriverTable& driver) -> cudaError_t {
    if (ptr == nullptr) return cudaErrorInvalidValue;
    *ptr = nullptr;
    return size == 0 ? cudaSuccess
                     : to_runtime(call(driver.cuMemAllocFromPoolAsync, ptr, size, memPool, stream));
  });
}

CUDART_API cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return with_context("cudaFreeAsync", [&](const DriverTable& driver) -> cudaError_t {
    return devPtr == nullptr ? cudaSuccess
                             : to_runtime(call(driver.cuMemFreeAsync, devPtr, hStream));
  });
}

CUDART_FORWARD(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * memPool, int device),
               cuDeviceGetDefaultMemPool, memPool, device)
CUDART_FORWARD(cudaDeviceSetMemPool, (int device, cudaMemPool_t memPool), cuDeviceSetMemPool,
               device, memPool)
CUDART_FORWARD(cudaDeviceGetMemPool, (cudaMemPool_t * memPool, int device), cuDeviceGetMemPool,
               memPool, device)
CUDART_FORWARD(cudaMemPoolTrimTo, (cudaMemPool_t memPool, size_t minBytesToKeep), cuMemPoolTrimTo,
               memPool, minBytesToKeep)
CUDART_FORWARD(cudaMemPoolSetAttribute, (cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value),
               cuMemPoolSetAttribute, memPool, attr, value)
CUDART_FORWARD(cudaMemPoolGetAttribute, (cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value),
               cuMemPoolGetAttribute, memPool, attr, value)
CUDART_FORWARD(cudaMemPoolSetAccess,
               (cudaMemPool_t memPool, const cudaMemAccessDesc* descList, size_t count),
               cuMemPoolSetAccess, memPool, descList, count)
CUDART_FORWARD(cudaMemPoolGetAccess,
               (cudaMemAccessFlags * flags, cudaMemPool_t memPool, cudaMemLocation* location),
               cuMemPoolGetAccess, flags, memPool, location)
CUDART_FORWARD(cudaMemPoolCreate, (cudaMemPool_t * memPool, const cudaMemPoolProps* poolProps),
               cuMemPoolCreate, memPool, poolProps)
CUDART_FORWARD(cudaMemPoolDestroy, (cudaMemPool_t memPool), cuMemPoolDestroy, memPool)
CUDART_FORWARD(cudaMemGetDefaultMemPool,
               (cudaMemPool_t * memPool, cudaMemLocation* location, cudaMemAllocationType type),
               cuMemGetDefaultMemPool, memPool, location, type)
CUDART_FORWARD(cudaMemGetMemPool,
               (cudaMemPool_t * memPool, cudaMemLocation* location, cudaMemAllocationType type),
               cuMemGetMemPool, memPool, location, type)
CUDART_FORWARD(cudaMemSetMemPool,
               (cudaMemLocation * location, cudaMemAllocationType type, cudaMemPool_t memPool),
               cuMemSetMemPool, location, type, memPool)
CUDART_FORWARD(cudaMemPoolExportToShareableHandle,
               (void* shareableHandle, cudaMemPool_t memPool,
                cudaMemAllocationHandleType handleType, unsigned int flags),
               cuMemPoolExportToShareableHandle, shareableHandle, memPool, handleType, flags)
CUDART_FORWARD(cudaMemPoolImportFromShareableHandle,
               (cudaMemPool_t * memPool, void* shareableHandle,
                cudaMemAllocationHandleType handleType, unsigned int flags),
               cuMemPoolImportFromShareableHandle, memPool, shareableHandle, handleType, flags)
CUDART_FORWARD(cudaMemPoolExportPointer, (cudaMemPoolPtrExportData * exportData, void* ptr),
               cuMemPoolExportPointer, exportData, ptr)
CUDART_FORWARD(cudaMemPoolImportPointer,
               (void** ptr, cudaMemPool_t memPool, cudaMemPoolPtrExportData* exportData),
               cuMemPoolImportPointer, ptr, memPool, exportData)
