// SPDX-License-Identifier: MIT
// cuMemcpy*: copies of one run of bytes.
#include <memory>

#include "cpu/api/capture.h"
#include "cpu/api/copy_3d.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/pool_access.h"
#include "cpu/api/stream_guard.h"
#include "cpu/api/transfer.h"
#include "cpu/exec/bulk_memory.h"

using namespace pycuda::cpu::api;

namespace {

// An end of a copy as the program named it.
enum class End {
  Host,     // any host memory
  Device,   // must lie in one live allocation, and in no block of a pool of the host
  Unified,  // either: memory that the driver does not know is host memory
};

bool is_valid(End end, CUdeviceptr address, std::size_t bytes) {
  switch (end) {
    case End::Host:
      return address != 0;
    case End::Device:
      return is_device_range(address, bytes, HostPools::Refused);
    case End::Unified:
      return is_unified_range(address, bytes);
  }
  return false;
}

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUmemorytype type_of(End end) {
  switch (end) {
    case End::Host:
      return CU_MEMORYTYPE_HOST;
    case End::Device:
      return CU_MEMORYTYPE_DEVICE;
    case End::Unified:
      break;
  }
  return CU_MEMORYTYPE_UNIFIED;
}

struct Copy {
  CUdeviceptr to;
  CUdeviceptr from;
  std::size_t bytes;

  bool operator()() const {
    return pycuda::cpu::exec::copy_bytes(reinterpret_cast<void*>(to),
                                         reinterpret_cast<const void*>(from), bytes);
  }
};

/// Of copies between contexts: each end is used by its own one's device.
struct Peers {
  CUcontext to;
  CUcontext from;
};

bool are_contexts(const Peers& peers) {
  return registry.contexts.find(peers.to) != nullptr &&
         registry.contexts.find(peers.from) != nullptr;
}

CUresult check_ends(End to_end, CUdeviceptr to, End from_end, CUdeviceptr from, std::size_t bytes,
                    const Peers* peers) {
  if (!is_valid(to_end, to, bytes) || !is_valid(from_end, from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (peers == nullptr) return check_pool_access(current_device(), {to, from});
  Context* const to_context = registry.contexts.find(peers->to);
  Context* const from_context = registry.contexts.find(peers->from);
  if (to_context == nullptr || from_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  const CUresult status = check_pool_access(&to_context->device(), {to});
  return status == CUDA_SUCCESS ? check_pool_access(&from_context->device(), {from}) : status;
}

CUresult copy_now(End to_end, CUdeviceptr to, End from_end, CUdeviceptr from, std::size_t bytes,
                  const Peers* peers = nullptr) {
  return with_stream(nullptr, [&](Stream& stream) -> CUresult {
    if (const CUresult status = check_call_in_capture(stream); status != CUDA_SUCCESS)
      return status;
    if (bytes == 0) return CUDA_SUCCESS;
    const CUresult valid = check_ends(to_end, to, from_end, from, bytes, peers);
    if (valid != CUDA_SUCCESS) return valid;
    return run_transfer(stream, Copy{to, from, bytes}, "copy");
  });
}

// For a source that may be gone when the copy's turn comes.
CUresult start_staged(Stream& stream, const Copy& copy) {
  bool whole = true;
  if (stream.run_if_idle([&] { whole = copy(); }))
    return whole ? CUDA_SUCCESS : refuse_transfer("copy");
  const std::shared_ptr<std::byte[]> staged =
      std::make_unique_for_overwrite<std::byte[]>(copy.bytes);
  if (!pycuda::cpu::exec::copy_bytes(staged.get(), reinterpret_cast<const void*>(copy.from),
                                     copy.bytes))
    return refuse_transfer("copy");
  return start_transfer(
      stream,
      [staged, copy] {
        return pycuda::cpu::exec::copy_bytes(reinterpret_cast<void*>(copy.to), staged.get(),
                                             copy.bytes);
      },
      false, "copy");
}

CUresult copy_async(End to_end, CUdeviceptr to, End from_end, CUdeviceptr from, std::size_t bytes,
                    CUstream handle, const Peers* peers = nullptr) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (bytes == 0) return CUDA_SUCCESS;
    const CUresult valid = check_ends(to_end, to, from_end, from, bytes, peers);
    if (valid != CUDA_SUCCESS) return valid;
    if (stream.in_capture()) {
      return capture(stream,
                     CopyAction{run_of_bytes(type_of(to_end), to, type_of(from_end), from, bytes),
                                stream.context().handle(),
                                {}});
    }
    const Copy copy{to, from, bytes};
    if (is_pageable(to) || (is_pageable(from) && bytes > small_transfer_bytes))
      return run_transfer(stream, copy, "copy");
    if (is_pageable(from)) return start_staged(stream, copy);
    return start_transfer(stream, copy, bytes <= small_transfer_bytes, "copy");
  });
}

}  // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy_now(End::Unified, dst, End::Unified, src, ByteCount);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy_now(End::Device, dstDevice, End::Host, address_of(srcHost), ByteCount);
}

CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_now(End::Host, address_of(dstHost), End::Device, srcDevice, ByteCount);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy_now(End::Device, dstDevice, End::Device, srcDevice, ByteCount);
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
  const Peers peers{dstContext, srcContext};
  if (driver_status == CUDA_SUCCESS && !are_contexts(peers)) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_now(End::Device, dstDevice, End::Device, srcDevice, ByteCount, &peers);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy_async(End::Unified, dst, End::Unified, src, ByteCount, hStream);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return copy_async(End::Device, dstDevice, End::Host, address_of(srcHost), ByteCount, hStream);
}

CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_async(End::Host, address_of(dstHost), End::Device, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_async(End::Device, dstDevice, End::Device, srcDevice, ByteCount, hStream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  const Peers peers{dstContext, srcContext};
  if (driver_status == CUDA_SUCCESS && !are_contexts(peers)) return CUDA_ERROR_INVALID_CONTEXT;
  return copy_async(End::Device, dstDevice, End::Device, srcDevice, ByteCount, hStream, &peers);
}

}  // extern "C"
