// SPDX-License-Identifier: MIT
// Device, host, managed and pitched memory; what a pointer points to; memory sets.
#include "cudart/call.h"

namespace pycuda::cudart {
namespace {

cudaError_t allocate_pitched(const DriverTable& driver, void** pointer, size_t* pitch, size_t width,
                             size_t height) {
  if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  if (width == 0 || height == 0) {
    *pointer = nullptr;
    *pitch = 0;
    return cudaSuccess;
  }
  // The widest access: rows are then aligned for every type.
  constexpr unsigned element_bytes = 16;
  return to_runtime(call(driver.cuMemAllocPitch, pointer, pitch, width, height, element_bytes));
}

/// Of memory that the driver knows; cudaErrorInvalidValue of other.
cudaError_t known_attributes(const DriverTable& driver, CUdeviceptr pointer,
                             cudaPointerAttributes* attributes) {
  const auto read = [&](void* value, CUpointer_attribute which) {
    return driver.cuPointerGetAttribute.status(value, which, pointer);
  };
  unsigned type = 0;
  CUresult code = read(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  if (code != CUDA_SUCCESS) return to_runtime(code);
  unsigned managed = 0;
  int device = 0;
  CUdeviceptr on_device = 0;
  void* on_host = nullptr;
  (void)read(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED);
  (void)read(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  if (read(&on_device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER) != CUDA_SUCCESS) on_device = 0;
  const bool host = type == CU_MEMORYTYPE_HOST || managed != 0;
  if (host && read(static_cast<void*>(&on_host), CU_POINTER_ATTRIBUTE_HOST_POINTER) != CUDA_SUCCESS)
    on_host = nullptr;
  attributes->type = managed != 0                 ? cudaMemoryTypeManaged
                     : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                  : cudaMemoryTypeDevice;
  attributes->device = device;
  attributes->devicePointer = as<void*>(on_device);
  attributes->hostPointer = on_host;
  return cudaSuccess;
}

cudaError_t set_rows(const DriverTable& driver, CUdeviceptr start, size_t pitch, int value,
                     size_t width, size_t height, const cudaStream_t* stream) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && width > pitch) return cudaErrorInvalidPitchValue;
  const auto byte = static_cast<unsigned char>(value);
  return to_runtime(
      stream != nullptr
          ? driver.cuMemsetD2D8Async.status(start, pitch, byte, width, height, *stream)
          : driver.cuMemsetD2D8.status(start, pitch, byte, width, height));
}

cudaError_t set_box(const DriverTable& driver, cudaPitchedPtr box, int value, cudaExtent extent,
                    const cudaStream_t* stream) {
  const auto start = as<CUdeviceptr>(box.ptr);
  if (extent.height == box.ysize) {
    return set_rows(driver, start, box.pitch, value, extent.width, extent.height * extent.depth,
                    stream);
  }
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    const cudaError_t status = set_rows(driver, start + slice * box.pitch * box.ysize, box.pitch,
                                        value, extent.width, extent.height, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaMalloc(void** devPtr, size_t size) {
  return with_context("cudaMalloc", [&](const DriverTable& driver) -> cudaError_t {
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    *devPtr = nullptr;
    return size == 0 ? cudaSuccess : to_runtime(call(driver.cuMemAlloc, devPtr, size));
  });
}

CUDART_API cudaFree(void* devPtr) {
  return with_context("cudaFree", [&](const DriverTable& driver) -> cudaError_t {
    return devPtr == nullptr ? cudaSuccess : to_runtime(call(driver.cuMemFree, devPtr));
  });
}

CUDART_API cudaMallocHost(void** ptr, size_t size) {
  return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

CUDART_API cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return with_context("cudaHostAlloc", [&](const DriverTable& driver) -> cudaError_t {
    if (pHost == nullptr) return cudaErrorInvalidValue;
    *pHost = nullptr;
    // With unified addresses every such block is portable and mapped.
    return size == 0 ? cudaSuccess
                     : to_runtime(driver.cuMemHostAlloc.status(pHost, size,
                                                               flags | CU_MEMHOSTALLOC_PORTABLE));
  });
}

CUDART_API cudaFreeHost(void* ptr) {
  return with_context("cudaFreeHost", [&](const DriverTable& driver) -> cudaError_t {
    return ptr == nullptr ? cudaSuccess : to_runtime(driver.cuMemFreeHost.status(ptr));
  });
}

CUDART_API cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return with_context("cudaMallocManaged", [&](const DriverTable& driver) -> cudaError_t {
    if (devPtr == nullptr || size == 0) return cudaErrorInvalidValue;
    return to_runtime(call(driver.cuMemAllocManaged, devPtr, size, flags));
  });
}

CUDART_API cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return with_context("cudaMallocPitch", [&](const DriverTable& driver) {
    return allocate_pitched(driver, devPtr, pitch, width, height);
  });
}

CUDART_API cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  return with_context("cudaMalloc3D", [&](const DriverTable& driver) -> cudaError_t {
    if (pitchedDevPtr == nullptr) return cudaErrorInvalidValue;
    size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) {
      return cudaErrorMemoryAllocation;
    }
    cudaPitchedPtr box{nullptr, 0, extent.width, extent.height};
    const cudaError_t status = allocate_pitched(driver, &box.ptr, &box.pitch, extent.width, rows);
    if (status == cudaSuccess) *pitchedDevPtr = box;
    return status;
  });
}

CUDART_FORWARD(cudaHostRegister, (void* ptr, size_t size, unsigned int flags), cuMemHostRegister,
               ptr, size, flags)
CUDART_FORWARD(cudaHostUnregister, (void* ptr), cuMemHostUnregister, ptr)
CUDART_FORWARD(cudaHostGetDevicePointer, (void** pDevice, void* pHost, unsigned int flags),
               cuMemHostGetDevicePointer, pDevice, pHost, flags)
CUDART_FORWARD(cudaHostGetFlags, (unsigned int* pFlags, void* pHost), cuMemHostGetFlags, pFlags,
               pHost)
CUDART_FORWARD(cudaMemGetInfo, (size_t* free, size_t* total), cuMemGetInfo, free, total)

CUDART_FORWARD(cudaMemRangeGetAttribute,
               (void* data, size_t dataSize, cudaMemRangeAttribute attribute, const void* devPtr,
                size_t count),
               cuMemRangeGetAttribute, data, dataSize, attribute, devPtr, count)
CUDART_FORWARD(cudaMemRangeGetAttributes,
               (void** data, size_t* dataSizes, cudaMemRangeAttribute* attributes,
                size_t numAttributes, const void* devPtr, size_t count),
               cuMemRangeGetAttributes, data, dataSizes, attributes, numAttributes, devPtr, count)
CUDART_FORWARD(cudaMemPrefetchBatchAsync,
               (void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
                size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                cudaStream_t stream),
               cuMemPrefetchBatchAsync, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
               numPrefetchLocs, flags, stream)
CUDART_FORWARD(cudaMemDiscardBatchAsync,
               (void** dptrs, size_t* sizes, size_t count, unsigned long long flags,
                cudaStream_t stream),
               cuMemDiscardBatchAsync, dptrs, sizes, count, flags, stream)
CUDART_FORWARD(cudaMemDiscardAndPrefetchBatchAsync,
               (void** dptrs, size_t* sizes, size_t count, cudaMemLocation* prefetchLocs,
                size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                cudaStream_t stream),
               cuMemDiscardAndPrefetchBatchAsync, dptrs, sizes, count, prefetchLocs,
               prefetchLocIdxs, numPrefetchLocs, flags, stream)

CUDART_API cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return with_context("cudaPointerGetAttributes", [&](const DriverTable& driver) -> cudaError_t {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    // Only the fields that CUDA 12's shorter struct has as well.
    const cudaError_t status = known_attributes(driver, as<CUdeviceptr>(ptr), attributes);
    if (status != cudaErrorInvalidValue) return status;
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->devicePointer = nullptr;
    attributes->hostPointer = const_cast<void*>(ptr);
    return cudaSuccess;
  });
}

CUDART_API cudaMemset(void* devPtr, int value, size_t count) {
  return with_context("cudaMemset", [&](const DriverTable& driver) -> cudaError_t {
    if (count == 0) return cudaSuccess;
    return to_runtime(call(driver.cuMemsetD8, devPtr, value, count));
  });
}

CUDART_API cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return with_context("cudaMemsetAsync", [&](const DriverTable& driver) -> cudaError_t {
    if (count == 0) return cudaSuccess;
    return to_runtime(call(driver.cuMemsetD8Async, devPtr, value, count, stream));
  });
}

CUDART_API cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height) {
  return with_context("cudaMemset2D", [&](const DriverTable& driver) {
    return set_rows(driver, as<CUdeviceptr>(devPtr), pitch, value, width, height, nullptr);
  });
}

CUDART_API cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream) {
  return with_context("cudaMemset2DAsync", [&](const DriverTable& driver) {
    return set_rows(driver, as<CUdeviceptr>(devPtr), pitch, value, width, height, &stream);
  });
}

CUDART_API cudaMemset3D(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent) {
  return with_context("cudaMemset3D", [&](const DriverTable& driver) {
    return set_box(driver, pitchedDevPtr, value, extent, nullptr);
  });
}

CUDART_API cudaMemset3DAsync(cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent,
                             cudaStream_t stream) {
  return with_context("cudaMemset3DAsync", [&](const DriverTable& driver) {
    return set_box(driver, pitchedDevPtr, value, extent, &stream);
  });
}
