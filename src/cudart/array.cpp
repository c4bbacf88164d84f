// SPDX-License-Identifier: MIT
// CUDA arrays, plain and mipmapped.
#include "cudart/array_format.h"

namespace pycuda::cudart {
namespace {

cudaError_t shape_of(const cudaChannelFormatDesc* desc, cudaExtent extent, unsigned flags,
                     CUDA_ARRAY3D_DESCRIPTOR* shape) {
  if (desc == nullptr) return cudaErrorInvalidValue;
  *shape = {};
  shape->Width = extent.width;
  shape->Height = extent.height;
  shape->Depth = extent.depth;
  shape->Flags = flags;
  return to_format(*desc, &shape->Format, &shape->NumChannels);
}

cudaError_t create_array(const DriverTable& driver, cudaArray_t* array,
                         const cudaChannelFormatDesc* desc, cudaExtent extent, unsigned flags) {
  if (array == nullptr) return cudaErrorInvalidValue;
  CUDA_ARRAY3D_DESCRIPTOR shape;
  const cudaError_t status = shape_of(desc, extent, flags, &shape);
  if (status != cudaSuccess) return status;
  return to_runtime(call(driver.cuArray3DCreate, array, &shape));
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                           size_t height, unsigned int flags) {
  return with_context("cudaMallocArray", [&](const DriverTable& driver) {
    return create_array(driver, array, desc, {width, height, 0}, flags);
  });
}

CUDART_API cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                             cudaExtent extent, unsigned int flags) {
  return with_context("cudaMalloc3DArray", [&](const DriverTable& driver) {
    return create_array(driver, array, desc, extent, flags);
  });
}

CUDART_API cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                    const cudaChannelFormatDesc* desc, cudaExtent extent,
                                    unsigned int numLevels, unsigned int flags) {
  return with_context("cudaMallocMipmappedArray", [&](const DriverTable& driver) -> cudaError_t {
    if (mipmappedArray == nullptr) return cudaErrorInvalidValue;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    const cudaError_t status = shape_of(desc, extent, flags, &shape);
    if (status != cudaSuccess) return status;
    return to_runtime(call(driver.cuMipmappedArrayCreate, mipmappedArray, &shape, numLevels));
  });
}

CUDART_API cudaFreeArray(cudaArray_t array) {
  return with_context("cudaFreeArray", [&](const DriverTable& driver) -> cudaError_t {
    return array == nullptr ? cudaSuccess : to_runtime(call(driver.cuArrayDestroy, array));
  });
}

CUDART_API cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
  return with_context("cudaFreeMipmappedArray", [&](const DriverTable& driver) -> cudaError_t {
    return mipmappedArray == nullptr
               ? cudaSuccess
               : to_runtime(call(driver.cuMipmappedArrayDestroy, mipmappedArray));
  });
}

CUDART_API cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned int* flags,
                            cudaArray_t array) {
  return with_context("cudaArrayGetInfo", [&](const DriverTable& driver) -> cudaError_t {
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    const CUresult code = call(driver.cuArray3DGetDescriptor, &shape, array);
    if (code != CUDA_SUCCESS) return to_runtime(code);
    if (desc != nullptr) {
      const cudaError_t status = to_description(shape.Format, shape.NumChannels, desc);
      if (status != cudaSuccess) return status;
    }
    if (extent != nullptr) *extent = {shape.Width, shape.Height, shape.Depth};
    if (flags != nullptr) *flags = shape.Flags;
    return cudaSuccess;
  });
}

CUDART_API cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return desc == nullptr ? record("cudaGetChannelDesc", cudaErrorInvalidValue)
                         : cudaArrayGetInfo(desc, nullptr, nullptr, const_cast<cudaArray_t>(array));
}

extern "C" __attribute__((visibility("default"))) cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

CUDART_FORWARD(cudaGetMipmappedArrayLevel,
               (cudaArray_t * levelArray, cudaMipmappedArray_const_t mipmappedArray,
                unsigned int level),
               cuMipmappedArrayGetLevel, levelArray, mipmappedArray, level)
CUDART_FORWARD(cudaArrayGetPlane,
               (cudaArray_t * pPlaneArray, cudaArray_t hArray, unsigned int planeIdx),
               cuArrayGetPlane, pPlaneArray, hArray, planeIdx)
CUDART_FORWARD(cudaArrayGetMemoryRequirements,
               (cudaArrayMemoryRequirements * memoryRequirements, cudaArray_t array, int device),
               cuArrayGetMemoryRequirements, memoryRequirements, array, device)
CUDART_FORWARD(cudaMipmappedArrayGetMemoryRequirements,
               (cudaArrayMemoryRequirements * memoryRequirements, cudaMipmappedArray_t mipmap,
                int device),
               cuMipmappedArrayGetMemoryRequirements, memoryRequirements, mipmap, device)
CUDART_FORWARD(cudaArrayGetSparseProperties,
               (cudaArraySparseProperties * sparseProperties, cudaArray_t array),
               cuArrayGetSparseProperties, sparseProperties, array)
CUDART_FORWARD(cudaMipmappedArrayGetSparseProperties,
               (cudaArraySparseProperties * sparseProperties, cudaMipmappedArray_t mipmap),
               cuMipmappedArrayGetSparseProperties, sparseProperties, mipmap)

CUDART_API cudaDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements,
                                                const cudaChannelFormatDesc* fmtDesc, int device) {
  return with_context("cudaDeviceGetTexture1DLinearMaxWidth",
                      [&](const DriverTable& driver) -> cudaError_t {
                        if (fmtDesc == nullptr) return cudaErrorInvalidValue;
                        CUarray_format format{};
                        unsigned channels = 0;
                        const cudaError_t status = to_format(*fmtDesc, &format, &channels);
                        if (status != cudaSuccess) return status;
                        return to_runtime(driver.cuDeviceGetTexture1DLinearMaxWidth.status(
                            maxWidthInElements, format, channels, device));
                      });
}
