// SPDX-License-Identifier: MIT
// Texture and surface objects.
#include <algorithm>

#include "cudart/array_format.h"

namespace pycuda::cudart {
namespace {

cudaError_t to_driver(const cudaResourceDesc& desc, CUDA_RESOURCE_DESC* same) {
  *same = {};
  same->resType = as<CUresourcetype>(desc.resType);
  switch (desc.resType) {
    case cudaResourceTypeArray:
      same->res.array.hArray = as<CUarray>(desc.res.array.array);
      return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
      same->res.mipmap.hMipmappedArray = as<CUmipmappedArray>(desc.res.mipmap.mipmap);
      return cudaSuccess;
    case cudaResourceTypeLinear:
      same->res.linear.devPtr = as<CUdeviceptr>(desc.res.linear.devPtr);
      same->res.linear.sizeInBytes = desc.res.linear.sizeInBytes;
      return to_format(desc.res.linear.desc, &same->res.linear.format,
                       &same->res.linear.numChannels);
    case cudaResourceTypePitch2D:
      same->res.pitch2D.devPtr = as<CUdeviceptr>(desc.res.pitch2D.devPtr);
      same->res.pitch2D.width = desc.res.pitch2D.width;
      same->res.pitch2D.height = desc.res.pitch2D.height;
      same->res.pitch2D.pitchInBytes = desc.res.pitch2D.pitchInBytes;
      return to_format(desc.res.pitch2D.desc, &same->res.pitch2D.format,
                       &same->res.pitch2D.numChannels);
    default:
      return cudaErrorInvalidValue;
  }
}

/// Writes no field that CUDA 12's shorter struct lacks.
cudaError_t to_runtime_desc(const CUDA_RESOURCE_DESC& desc, cudaResourceDesc* same) {
  same->resType = as<cudaResourceType>(desc.resType);
  switch (desc.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      same->res.array.array = as<cudaArray_t>(desc.res.array.hArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      same->res.mipmap.mipmap = as<cudaMipmappedArray_t>(desc.res.mipmap.hMipmappedArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
      same->res.linear.devPtr = as<void*>(desc.res.linear.devPtr);
      same->res.linear.sizeInBytes = desc.res.linear.sizeInBytes;
      return to_description(desc.res.linear.format, desc.res.linear.numChannels,
                            &same->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
      same->res.pitch2D.devPtr = as<void*>(desc.res.pitch2D.devPtr);
      same->res.pitch2D.width = desc.res.pitch2D.width;
      same->res.pitch2D.height = desc.res.pitch2D.height;
      same->res.pitch2D.pitchInBytes = desc.res.pitch2D.pitchInBytes;
      return to_description(desc.res.pitch2D.format, desc.res.pitch2D.numChannels,
                            &same->res.pitch2D.desc);
    default:
      return cudaErrorInvalidValue;
  }
}

CUDA_TEXTURE_DESC to_driver(const cudaTextureDesc& desc) {
  CUDA_TEXTURE_DESC same{};
  for (int i = 0; i < 3; ++i) same.addressMode[i] = as<CUaddress_mode>(desc.addressMode[i]);
  same.filterMode = as<CUfilter_mode>(desc.filterMode);
  if (desc.readMode == cudaReadModeElementType) same.flags |= CU_TRSF_READ_AS_INTEGER;
  if (desc.normalizedCoords != 0) same.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (desc.sRGB != 0) same.flags |= CU_TRSF_SRGB;
  if (desc.disableTrilinearOptimization != 0) {
    same.flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  }
  if (desc.seamlessCubemap != 0) same.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  same.maxAnisotropy = desc.maxAnisotropy;
  same.mipmapFilterMode = as<CUfilter_mode>(desc.mipmapFilterMode);
  same.mipmapLevelBias = desc.mipmapLevelBias;
  same.minMipmapLevelClamp = desc.minMipmapLevelClamp;
  same.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
  std::copy_n(desc.borderColor, 4, same.borderColor);
  return same;
}

cudaTextureDesc to_runtime_desc(const CUDA_TEXTURE_DESC& desc) {
  cudaTextureDesc same{};
  const auto flag = [&](unsigned bit) { return (desc.flags & bit) != 0 ? 1 : 0; };
  for (int i = 0; i < 3; ++i) same.addressMode[i] = as<cudaTextureAddressMode>(desc.addressMode[i]);
  same.filterMode = as<cudaTextureFilterMode>(desc.filterMode);
  same.readMode =
      flag(CU_TRSF_READ_AS_INTEGER) != 0 ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  same.normalizedCoords = flag(CU_TRSF_NORMALIZED_COORDINATES);
  same.sRGB = flag(CU_TRSF_SRGB);
  same.disableTrilinearOptimization = flag(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  same.seamlessCubemap = flag(CU_TRSF_SEAMLESS_CUBEMAP);
  same.maxAnisotropy = desc.maxAnisotropy;
  same.mipmapFilterMode = as<cudaTextureFilterMode>(desc.mipmapFilterMode);
  same.mipmapLevelBias = desc.mipmapLevelBias;
  same.minMipmapLevelClamp = desc.minMipmapLevelClamp;
  same.maxMipmapLevelClamp = desc.maxMipmapLevelClamp;
  std::copy_n(desc.borderColor, 4, same.borderColor);
  return same;
}

CUDA_RESOURCE_VIEW_DESC to_driver(const cudaResourceViewDesc& desc) {
  CUDA_RESOURCE_VIEW_DESC same{};
  same.format = as<CUresourceViewFormat>(desc.format);
  same.width = desc.width;
  same.height = desc.height;
  same.depth = desc.depth;
  same.firstMipmapLevel = desc.firstMipmapLevel;
  same.lastMipmapLevel = desc.lastMipmapLevel;
  same.firstLayer = desc.firstLayer;
  same.lastLayer = desc.lastLayer;
  return same;
}

/// What `read(driver, &driver's description)` says, as the run time describes it.
template <class Read>
cudaError_t read_resource(const char* name, cudaResourceDesc* desc, Read&& read) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    if (desc == nullptr) return cudaErrorInvalidValue;
    CUDA_RESOURCE_DESC same{};
    const CUresult code = read(driver, &same);
    return code == CUDA_SUCCESS ? to_runtime_desc(same, desc) : to_runtime(code);
  });
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaCreateTextureObject(cudaTextureObject_t* pTexObject,
                                   const cudaResourceDesc* pResDesc,
                                   const cudaTextureDesc* pTexDesc,
                                   const cudaResourceViewDesc* pResViewDesc) {
  return with_context("cudaCreateTextureObject", [&](const DriverTable& driver) -> cudaError_t {
    if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) {
      return cudaErrorInvalidValue;
    }
    CUDA_RESOURCE_DESC resource;
    const cudaError_t status = to_driver(*pResDesc, &resource);
    if (status != cudaSuccess) return status;
    const CUDA_TEXTURE_DESC texture = to_driver(*pTexDesc);
    CUDA_RESOURCE_VIEW_DESC view{};
    if (pResViewDesc != nullptr) view = to_driver(*pResViewDesc);
    return to_runtime(driver.cuTexObjectCreate.status(pTexObject, &resource, &texture,
                                                      pResViewDesc != nullptr ? &view : nullptr));
  });
}

CUDART_API cudaGetTextureObjectResourceDesc(cudaResourceDesc* pResDesc,
                                            cudaTextureObject_t texObject) {
  return read_resource("cudaGetTextureObjectResourceDesc", pResDesc,
                       [&](const DriverTable& driver, CUDA_RESOURCE_DESC* same) {
                         return driver.cuTexObjectGetResourceDesc.status(same, texObject);
                       });
}

CUDART_API cudaGetTextureObjectTextureDesc(cudaTextureDesc* pTexDesc,
                                           cudaTextureObject_t texObject) {
  return with_context(
      "cudaGetTextureObjectTextureDesc", [&](const DriverTable& driver) -> cudaError_t {
        if (pTexDesc == nullptr) return cudaErrorInvalidValue;
        CUDA_TEXTURE_DESC same{};
        const CUresult code = driver.cuTexObjectGetTextureDesc.status(&same, texObject);
        if (code == CUDA_SUCCESS) *pTexDesc = to_runtime_desc(same);
        return to_runtime(code);
      });
}

CUDART_API cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* pResViewDesc,
                                                cudaTextureObject_t texObject) {
  return with_context(
      "cudaGetTextureObjectResourceViewDesc", [&](const DriverTable& driver) -> cudaError_t {
        if (pResViewDesc == nullptr) return cudaErrorInvalidValue;
        CUDA_RESOURCE_VIEW_DESC same{};
        const CUresult code = driver.cuTexObjectGetResourceViewDesc.status(&same, texObject);
        if (code != CUDA_SUCCESS) return to_runtime(code);
        // No field that CUDA 12's shorter struct lacks.
        pResViewDesc->format = as<cudaResourceViewFormat>(same.format);
        pResViewDesc->width = same.width;
        pResViewDesc->height = same.height;
        pResViewDesc->depth = same.depth;
        pResViewDesc->firstMipmapLevel = same.firstMipmapLevel;
        pResViewDesc->lastMipmapLevel = same.lastMipmapLevel;
        pResViewDesc->firstLayer = same.firstLayer;
        pResViewDesc->lastLayer = same.lastLayer;
        return cudaSuccess;
      });
}

/// As with the original, there may be no object: programs destroy what they have not made.
CUDART_API cudaDestroyTextureObject(cudaTextureObject_t texObject) {
  return with_context("cudaDestroyTextureObject", [&](const DriverTable& driver) -> cudaError_t {
    return texObject == 0 ? cudaSuccess : to_runtime(driver.cuTexObjectDestroy.status(texObject));
  });
}

CUDART_API cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                   const cudaResourceDesc* pResDesc) {
  return with_context("cudaCreateSurfaceObject", [&](const DriverTable& driver) -> cudaError_t {
    if (pSurfObject == nullptr || pResDesc == nullptr ||
        pResDesc->resType != cudaResourceTypeArray) {
      return cudaErrorInvalidValue;
    }
    CUDA_RESOURCE_DESC resource;
    const cudaError_t status = to_driver(*pResDesc, &resource);
    if (status != cudaSuccess) return status;
    return to_runtime(driver.cuSurfObjectCreate.status(pSurfObject, &resource));
  });
}

CUDART_API cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* pResDesc,
                                            cudaSurfaceObject_t surfObject) {
  return read_resource("cudaGetSurfaceObjectResourceDesc", pResDesc,
                       [&](const DriverTable& driver, CUDA_RESOURCE_DESC* same) {
                         return driver.cuSurfObjectGetResourceDesc.status(same, surfObject);
                       });
}

/// As cudaDestroyTextureObject.
CUDART_API cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
  return with_context("cudaDestroySurfaceObject", [&](const DriverTable& driver) -> cudaError_t {
    return surfObject == 0 ? cudaSuccess
                           : to_runtime(driver.cuSurfObjectDestroy.status(surfObject));
  });
}
