// SPDX-License-Identifier: MIT
// Devices: what can be asked of them, limits, peers.
#include <cstring>

#include "cudart/device_properties.h"

namespace pycuda::cudart {
namespace {

/// Attributes are the driver's, by number.
cudaError_t read_attribute(const DriverTable& driver, int* value, int attribute, int device) {
  const cudaError_t valid = checked_device(driver, device);
  if (valid != cudaSuccess) return valid;
  return to_runtime(driver.cuDeviceGetAttribute.status(
      value, static_cast<CUdevice_attribute>(attribute), device));
}

/// How many of the properties that `wanted` asks for a device has; cudaChooseDevice's measure.
int matches(const cudaDeviceProp& wanted, const cudaDeviceProp& has) {
  int count = 0;
  const auto at_least = [&](auto least, auto value) { count += least != 0 && value >= least; };
  count += wanted.name[0] != '\0' && std::strcmp(wanted.name, has.name) == 0;
  at_least(wanted.totalGlobalMem, has.totalGlobalMem);
  at_least(wanted.sharedMemPerBlock, has.sharedMemPerBlock);
  at_least(wanted.regsPerBlock, has.regsPerBlock);
  at_least(wanted.maxThreadsPerBlock, has.maxThreadsPerBlock);
  at_least(wanted.totalConstMem, has.totalConstMem);
  at_least(wanted.multiProcessorCount, has.multiProcessorCount);
  at_least(wanted.integrated, has.integrated);
  at_least(wanted.canMapHostMemory, has.canMapHostMemory);
  const int capability = wanted.major * 10 + wanted.minor;
  at_least(capability, has.major * 10 + has.minor);
  return count;
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaGetDeviceCount(int* count) {
  return with_driver("cudaGetDeviceCount", [&](const DriverTable& driver) -> cudaError_t {
    if (count == nullptr) return cudaErrorInvalidValue;
    const CUresult code = driver.cuDeviceGetCount.status(count);
    if (code != CUDA_SUCCESS) return to_runtime(code);
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

CUDART_API cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  return with_driver("cudaDeviceGetAttribute", [&](const DriverTable& driver) {
    return read_attribute(driver, value, static_cast<int>(attr), device);
  });
}

CUDART_API cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  return with_driver("cudaChooseDevice", [&](const DriverTable& driver) -> cudaError_t {
    if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
    int count = 0;
    const CUresult code = driver.cuDeviceGetCount.status(&count);
    if (code != CUDA_SUCCESS) return to_runtime(code);
    if (count == 0) return cudaErrorNoDevice;
    int best = -1;
    for (int i = 0; i < count; ++i) {
      cudaDeviceProp has{};
      const cudaError_t status = read_properties(driver, i, &has);
      if (status != cudaSuccess) return status;
      if (const int fits = matches(*prop, has); fits > best) {
        best = fits;
        *device = i;
      }
    }
    return cudaSuccess;
  });
}

CUDART_API cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice,
                                     int dstDevice) {
  return with_driver("cudaDeviceGetP2PAttribute", [&](const DriverTable& driver) {
    return call(driver.cuDeviceGetP2PAttribute, value, attr, srcDevice, dstDevice);
  });
}

CUDART_API cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return with_driver("cudaDeviceCanAccessPeer", [&](const DriverTable& driver) {
    return driver.cuDeviceCanAccessPeer.status(canAccessPeer, device, peerDevice);
  });
}

CUDART_API cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return with_context("cudaDeviceEnablePeerAccess", [&](const DriverTable& driver) -> cudaError_t {
    CUcontext peer = nullptr;
    const cudaError_t status = primary_context(driver, peerDevice, &peer);
    if (status != cudaSuccess) return status;
    return to_runtime(driver.cuCtxEnablePeerAccess.status(peer, flags));
  });
}

CUDART_API cudaDeviceDisablePeerAccess(int peerDevice) {
  return with_context("cudaDeviceDisablePeerAccess", [&](const DriverTable& driver) -> cudaError_t {
    CUcontext peer = nullptr;
    const cudaError_t status = primary_context(driver, peerDevice, &peer);
    if (status != cudaSuccess) return status;
    return to_runtime(driver.cuCtxDisablePeerAccess.status(peer));
  });
}

CUDART_API cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return with_driver("cudaDeviceGetByPCIBusId", [&](const DriverTable& driver) {
    return driver.cuDeviceGetByPCIBusId.status(device, pciBusId);
  });
}

CUDART_API cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return with_driver("cudaDeviceGetPCIBusId", [&](const DriverTable& driver) {
    return driver.cuDeviceGetPCIBusId.status(pciBusId, len, device);
  });
}

CUDART_FORWARD(cudaDeviceSetLimit, (cudaLimit limit, size_t value), cuCtxSetLimit, limit, value)
CUDART_FORWARD(cudaDeviceGetLimit, (size_t* pValue, cudaLimit limit), cuCtxGetLimit, pValue, limit)
CUDART_FORWARD(cudaDeviceGetCacheConfig, (cudaFuncCache * pCacheConfig), cuCtxGetCacheConfig,
               pCacheConfig)
CUDART_FORWARD(cudaDeviceSetCacheConfig, (cudaFuncCache cacheConfig), cuCtxSetCacheConfig,
               cacheConfig)
CUDART_FORWARD(cudaDeviceGetSharedMemConfig, (cudaSharedMemConfig * pConfig),
               cuCtxGetSharedMemConfig, pConfig)
CUDART_FORWARD(cudaDeviceSetSharedMemConfig, (cudaSharedMemConfig config), cuCtxSetSharedMemConfig,
               config)
CUDART_FORWARD(cudaDeviceGetStreamPriorityRange, (int* leastPriority, int* greatestPriority),
               cuCtxGetStreamPriorityRange, leastPriority, greatestPriority)
CUDART_FORWARD(cudaCtxResetPersistingL2Cache, (void), cuCtxResetPersistingL2Cache)
CUDART_FORWARD(cudaDeviceFlushGPUDirectRDMAWrites,
               (cudaFlushGPUDirectRDMAWritesTarget target, cudaFlushGPUDirectRDMAWritesScope scope),
               cuFlushGPUDirectRDMAWrites, target, scope)
CUDART_FORWARD(cudaDeviceGetHostAtomicCapabilities,
               (unsigned int* capabilities, const cudaAtomicOperation* operations,
                unsigned int count, int device),
               cuDeviceGetHostAtomicCapabilities, capabilities, operations, count, device)
CUDART_FORWARD(cudaDeviceGetP2PAtomicCapabilities,
               (unsigned int* capabilities, const cudaAtomicOperation* operations,
                unsigned int count, int srcDevice, int dstDevice),
               cuDeviceGetP2PAtomicCapabilities, capabilities, operations, count, srcDevice,
               dstDevice)
CUDART_FORWARD(cudaDeviceGetNvSciSyncAttributes, (void* nvSciSyncAttrList, int device, int flags),
               cuDeviceGetNvSciSyncAttributes, nvSciSyncAttrList, device, flags)
CUDART_FORWARD(cudaDeviceRegisterAsyncNotification,
               (int device, cudaAsyncCallback callbackFunc, void* userData,
                cudaAsyncCallbackHandle_t* callback),
               cuDeviceRegisterAsyncNotification, device, callbackFunc, userData, callback)
CUDART_FORWARD(cudaDeviceUnregisterAsyncNotification,
               (int device, cudaAsyncCallbackHandle_t callback),
               cuDeviceUnregisterAsyncNotification, device, callback)
