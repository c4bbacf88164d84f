// SPDX-License-Identifier: MIT
// Devices: what can be asked of them, limits, peers.
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

/// `body(peer's context)`, for a device that runs in its primary context.
template <class Body>
cudaError_t with_peer(const char* name, int device, Body&& body) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUcontext peer = nullptr;
    bool foreign = false;
    cudaError_t status = is_foreign_context(driver, &foreign);
    if (status == cudaSuccess && foreign) status = cudaErrorIncompatibleDriverContext;
    if (status == cudaSuccess) status = primary_context(driver, device, &peer);
    return status == cudaSuccess ? to_runtime(body(driver, peer)) : status;
  });
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
  return with_peer(
      "cudaDeviceEnablePeerAccess", peerDevice, [&](const DriverTable& driver, CUcontext peer) {
        const CUresult code = driver.cuCtxEnablePeerAccess.status(peer, flags);
        return code == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? CUDA_ERROR_INVALID_DEVICE : code;
      });
}

CUDART_API cudaDeviceDisablePeerAccess(int peerDevice) {
  return with_peer("cudaDeviceDisablePeerAccess", peerDevice,
                   [&](const DriverTable& driver, CUcontext peer) {
                     return driver.cuCtxDisablePeerAccess.status(peer);
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
