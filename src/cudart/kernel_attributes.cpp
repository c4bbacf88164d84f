// SPDX-License-Identifier: MIT
// What a program can ask and set about a kernel, and occupancy.
#include <algorithm>
#include <climits>

#include "cudart/registered_code.h"

namespace pycuda::cudart {

void to_launch_config(const cudaLaunchConfig_t& config, CUlaunchConfig* same) {
  *same = {};
  same->gridDimX = config.gridDim.x;
  same->gridDimY = config.gridDim.y;
  same->gridDimZ = config.gridDim.z;
  same->blockDimX = config.blockDim.x;
  same->blockDimY = config.blockDim.y;
  same->blockDimZ = config.blockDim.z;
  same->sharedMemBytes = static_cast<unsigned>(std::min<size_t>(config.dynamicSmemBytes, UINT_MAX));
  same->hStream = config.stream;
  same->attrs = as<CUlaunchAttribute*>(config.attrs);
  same->numAttrs = config.numAttrs;
}

namespace {

/// `body(driver, kernel, device)` for a function of the program.
template <class Body>
cudaError_t with_kernel(const char* name, const void* func, Body&& body) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUkernel kernel = nullptr;
    int device = 0;
    cudaError_t status = find_kernel(driver, func, &kernel);
    if (status == cudaSuccess) status = current_device(driver, &device);
    return status == cudaSuccess ? to_runtime(body(driver, kernel, device)) : status;
  });
}

/// `body(driver, function)`, for those driver functions that know contexts' functions only.
template <class Body>
cudaError_t with_function(const char* name, const void* func, Body&& body) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUfunction function = nullptr;
    const cudaError_t status = find_function(driver, func, &function);
    return status == cudaSuccess ? to_runtime(body(driver, function)) : status;
  });
}

CUresult read_attributes(const DriverTable& driver, CUkernel kernel, int device,
                         cudaFuncAttributes* attributes) {
  CUresult result = CUDA_SUCCESS;
  const auto read = [&](CUfunction_attribute which) {
    int value = 0;
    const CUresult code = driver.cuKernelGetAttribute.status(&value, which, kernel, device);
    if (result == CUDA_SUCCESS) result = code;
    return value;
  };
  cudaFuncAttributes all{};
  all.sharedSizeBytes = static_cast<size_t>(read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  all.constSizeBytes = static_cast<size_t>(read(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  all.localSizeBytes = static_cast<size_t>(read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  all.maxThreadsPerBlock = read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  all.numRegs = read(CU_FUNC_ATTRIBUTE_NUM_REGS);
  all.ptxVersion = read(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  all.binaryVersion = read(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  all.cacheModeCA = read(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
  all.maxDynamicSharedSizeBytes = read(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  all.preferredShmemCarveout = read(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  all.clusterDimMustBeSet = read(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  all.requiredClusterWidth = read(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  all.requiredClusterHeight = read(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  all.requiredClusterDepth = read(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  all.clusterSchedulingPolicyPreference =
      read(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  all.nonPortableClusterSizeAllowed = read(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  if (result == CUDA_SUCCESS) *attributes = all;
  return result;
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  return with_kernel("cudaFuncGetAttributes", func,
                     [&](const DriverTable& driver, CUkernel kernel, int device) {
                       return attr == nullptr ? CUDA_ERROR_INVALID_VALUE
                                              : read_attributes(driver, kernel, device, attr);
                     });
}

CUDART_API cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return with_kernel("cudaFuncSetAttribute", func,
                     [&](const DriverTable& driver, CUkernel kernel, int device) {
                       return driver.cuKernelSetAttribute.status(as<CUfunction_attribute>(attr),
                                                                 value, kernel, device);
                     });
}

CUDART_API cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attr, int value,
                                           int device) {
  return with_kernel("cudaKernelSetAttributeForDevice", kernel,
                     [&](const DriverTable& driver, CUkernel found, int) {
                       return driver.cuKernelSetAttribute.status(as<CUfunction_attribute>(attr),
                                                                 value, found, device);
                     });
}

CUDART_API cudaFuncSetCacheConfig(const void* func, cudaFuncCache cacheConfig) {
  return with_kernel(
      "cudaFuncSetCacheConfig", func, [&](const DriverTable& driver, CUkernel kernel, int device) {
        return driver.cuKernelSetCacheConfig.status(kernel, as<CUfunc_cache>(cacheConfig), device);
      });
}

CUDART_API cudaFuncSetSharedMemConfig(const void* func, cudaSharedMemConfig config) {
  return with_function(
      "cudaFuncSetSharedMemConfig", func, [&](const DriverTable& driver, CUfunction function) {
        return driver.cuFuncSetSharedMemConfig.status(function, as<CUsharedconfig>(config));
      });
}

CUDART_API cudaFuncGetName(const char** name, const void* func) {
  return with_kernel("cudaFuncGetName", func, [&](const DriverTable& driver, CUkernel kernel, int) {
    return driver.cuKernelGetName.status(name, kernel);
  });
}

CUDART_API cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                size_t* paramSize) {
  return with_kernel(
      "cudaFuncGetParamInfo", func, [&](const DriverTable& driver, CUkernel kernel, int) {
        return driver.cuKernelGetParamInfo.status(kernel, paramIndex, paramOffset, paramSize);
      });
}

CUDART_API cudaFuncGetParamCount(const void* func, size_t* paramCount) {
  return with_kernel("cudaFuncGetParamCount", func,
                     [&](const DriverTable& driver, CUkernel kernel, int) {
                       if (paramCount == nullptr) return CUDA_ERROR_INVALID_VALUE;
                       size_t count = 0;
                       size_t offset = 0;
                       while (driver.cuKernelGetParamInfo.status(kernel, count, &offset, nullptr) ==
                              CUDA_SUCCESS) {
                         ++count;
                       }
                       *paramCount = count;
                       return CUDA_SUCCESS;
                     });
}

CUDART_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                         int blockSize, size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

CUDART_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                  int blockSize,
                                                                  size_t dynamicSMemSize,
                                                                  unsigned int flags) {
  return with_function("cudaOccupancyMaxActiveBlocksPerMultiprocessor", func,
                       [&](const DriverTable& driver, CUfunction function) {
                         return driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags.status(
                             numBlocks, function, blockSize, dynamicSMemSize, flags);
                       });
}

CUDART_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func,
                                                     int numBlocks, int blockSize) {
  return with_function("cudaOccupancyAvailableDynamicSMemPerBlock", func,
                       [&](const DriverTable& driver, CUfunction function) {
                         return driver.cuOccupancyAvailableDynamicSMemPerBlock.status(
                             dynamicSmemSize, function, numBlocks, blockSize);
                       });
}

CUDART_API cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                                const cudaLaunchConfig_t* launchConfig) {
  return with_function("cudaOccupancyMaxPotentialClusterSize", func,
                       [&](const DriverTable& driver, CUfunction function) {
                         if (launchConfig == nullptr) return CUDA_ERROR_INVALID_VALUE;
                         CUlaunchConfig same{};
                         to_launch_config(*launchConfig, &same);
                         return driver.cuOccupancyMaxPotentialClusterSize.status(clusterSize,
                                                                                 function, &same);
                       });
}

CUDART_API cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                          const cudaLaunchConfig_t* launchConfig) {
  return with_function(
      "cudaOccupancyMaxActiveClusters", func, [&](const DriverTable& driver, CUfunction function) {
        if (launchConfig == nullptr) return CUDA_ERROR_INVALID_VALUE;
        CUlaunchConfig same{};
        to_launch_config(*launchConfig, &same);
        return driver.cuOccupancyMaxActiveClusters.status(numClusters, function, &same);
      });
}
