// SPDX-License-Identifier: MIT
// cuMemcpy2D* and cuMemcpy3D*: copies of boxes of bytes between pitched memory.
#include "cpu/api/capture.h"
#include "cpu/api/copy_3d.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/pool_access.h"
#include "cpu/api/stream_guard.h"
#include "cpu/api/transfer.h"

using namespace pycuda::cpu::api;

namespace {

enum class When { Now, Async };

/// Of copies between contexts: the devices that write and read.
struct PeerDevices {
  const VirtualDevice* to;
  const VirtualDevice* from;
};

CUresult copy(const CUDA_MEMCPY3D& spec, CUstream handle, When when,
              const PeerDevices* peers = nullptr) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    Copy3D box(spec);
    if (when == When::Now) {
      if (const CUresult status = check_call_in_capture(stream); status != CUDA_SUCCESS)
        return status;
    }
    if (box.is_empty()) return CUDA_SUCCESS;
    CUresult status = box.validate();
    const VirtualDevice* const device = current_device();
    if (status == CUDA_SUCCESS)
      status = box.check_access(peers != nullptr ? peers->to : device,
                                peers != nullptr ? peers->from : device);
    if (status != CUDA_SUCCESS) return status;
    if (stream.in_capture())
      return capture(stream, CopyAction{spec, stream.context().handle(), {}});
    if (when == When::Now || box.is_pageable()) return run_transfer(stream, box, "copy");
    return start_transfer(stream, box, box.bytes() <= small_transfer_bytes, "copy");
  });
}

CUDA_MEMCPY3D with_one_slice(const CUDA_MEMCPY2D& flat) {
  CUDA_MEMCPY3D spec{};
  spec.srcXInBytes = flat.srcXInBytes;
  spec.srcY = flat.srcY;
  spec.srcMemoryType = flat.srcMemoryType;
  spec.srcHost = flat.srcHost;
  spec.srcDevice = flat.srcDevice;
  spec.srcArray = flat.srcArray;
  spec.srcPitch = flat.srcPitch;
  spec.dstXInBytes = flat.dstXInBytes;
  spec.dstY = flat.dstY;
  spec.dstMemoryType = flat.dstMemoryType;
  spec.dstHost = flat.dstHost;
  spec.dstDevice = flat.dstDevice;
  spec.dstArray = flat.dstArray;
  spec.dstPitch = flat.dstPitch;
  spec.WidthInBytes = flat.WidthInBytes;
  spec.Height = flat.Height;
  spec.Depth = 1;
  return spec;
}

CUDA_MEMCPY3D without_contexts(const CUDA_MEMCPY3D_PEER& peer) {
  CUDA_MEMCPY3D spec{};
  spec.srcXInBytes = peer.srcXInBytes;
  spec.srcY = peer.srcY;
  spec.srcZ = peer.srcZ;
  spec.srcMemoryType = peer.srcMemoryType;
  spec.srcHost = peer.srcHost;
  spec.srcDevice = peer.srcDevice;
  spec.srcArray = peer.srcArray;
  spec.srcPitch = peer.srcPitch;
  spec.srcHeight = peer.srcHeight;
  spec.dstXInBytes = peer.dstXInBytes;
  spec.dstY = peer.dstY;
  spec.dstZ = peer.dstZ;
  spec.dstMemoryType = peer.dstMemoryType;
  spec.dstHost = peer.dstHost;
  spec.dstDevice = peer.dstDevice;
  spec.dstArray = peer.dstArray;
  spec.dstPitch = peer.dstPitch;
  spec.dstHeight = peer.dstHeight;
  spec.WidthInBytes = peer.WidthInBytes;
  spec.Height = peer.Height;
  spec.Depth = peer.Depth;
  return spec;
}

CUresult copy_2d(const CUDA_MEMCPY2D* spec, CUstream stream, When when) {
  if (spec == nullptr) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return copy(with_one_slice(*spec), stream, when);
}

CUresult copy_3d(const CUDA_MEMCPY3D* spec, CUstream stream, When when) {
  if (spec == nullptr) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return copy(*spec, stream, when);
}

CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER* spec, CUstream stream, When when) {
  return with_context([&](Context&) -> CUresult {
    if (spec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Context* const to = registry.contexts.find(spec->dstContext);
    const Context* const from = registry.contexts.find(spec->srcContext);
    if (to == nullptr || from == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    const PeerDevices peers{&to->device(), &from->device()};
    return copy(without_contexts(*spec), stream, when, &peers);
  });
}

}  // namespace

extern "C" {

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return copy_2d(pCopy, nullptr, When::Now); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) {
  return copy_2d(pCopy, nullptr, When::Now);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return copy_2d(pCopy, hStream, When::Async);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return copy_3d(pCopy, nullptr, When::Now); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return copy_3d(pCopy, hStream, When::Async);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return copy_3d_peer(pCopy, nullptr, When::Now);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return copy_3d_peer(pCopy, hStream, When::Async);
}

}  // extern "C"
