// SPDX-License-Identifier: MIT
// Peer access between virtual devices: they share one memory, so access is always there; only the
// rules are kept.
#include "cpu/api/entry_guard.h"

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return with_driver([&]() -> CUresult {
    if (canAccessPeer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(dev) == nullptr || find_device(peerDev) == nullptr)
      return CUDA_ERROR_INVALID_DEVICE;
    *canAccessPeer = dev != peerDev ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return with_context([&](Context& context) -> CUresult {
    const Context* peer = registry.contexts.find(peerContext);
    if (peer == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (&peer->device() == &context.device()) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    return context.enable_peer(peerContext) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  return with_context([&](Context& context) -> CUresult {
    if (registry.contexts.find(peerContext) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    return context.disable_peer(peerContext) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
  return with_driver([&]() -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(srcDevice) == nullptr || find_device(dstDevice) == nullptr ||
        srcDevice == dstDevice) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    switch (attrib) {
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return CUDA_SUCCESS;
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = 0;
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

}  // extern "C"
