// SPDX-License-Identifier: MIT
// cuMemcpyHtoA, cuMemcpyAtoH and their like: runs of bytes to, from and between arrays.
#include <string>

#include "cpu/api/array.h"
#include "cpu/api/capture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/pool_access.h"
#include "cpu/api/stream_guard.h"
#include "cpu/api/transfer.h"
#include "cpu/exec/bulk_memory.h"
#include "cpu/exec/fault_message.h"

using namespace pycuda::cpu::api;

namespace {

/// One end of a copy: an array and an offset into its texels, or memory.
struct End {
  CUarray array = nullptr;
  std::size_t offset = 0;
  CUdeviceptr address = 0;
  bool is_host = false;

  static End in(CUarray array, std::size_t offset) { return {array, offset, 0, false}; }
  static End device(CUdeviceptr address) { return {nullptr, 0, address, false}; }
  static End host(const void* pointer) {
    return {nullptr, 0, reinterpret_cast<CUdeviceptr>(pointer), true};
  }

  CUresult settle(std::size_t bytes, std::byte** place) const {
    if (address == 0) {
      const Array* found = find_array(array);
      if (found == nullptr)
        return array != nullptr ? fail_unknown_array() : CUDA_ERROR_INVALID_VALUE;
      const pycuda::cpu::exec::TexelMemory& texels = found->texels();
      if (found->tiles() != nullptr || texels.row_bytes != texels.width_bytes()) {
        return fail(CUDA_ERROR_NOT_SUPPORTED,
                    "copy: sparse arrays are copied by boxes (cuMemcpy2D, cuMemcpy3D) alone");
      }
      if (offset > found->bytes() || bytes > found->bytes() - offset) {
        return fail(CUDA_ERROR_INVALID_VALUE, "copy: " + std::to_string(bytes) +
                                                  " bytes from byte " + std::to_string(offset) +
                                                  " of an array that has " +
                                                  std::to_string(found->bytes()));
      }
      *place = found->texels().base + offset;
      return CUDA_SUCCESS;
    }
    if (!is_host && !is_device_range(address, bytes)) {
      return fail(CUDA_ERROR_INVALID_VALUE, "copy: the " + std::to_string(bytes) + " bytes at " +
                                                pycuda::cpu::exec::hexadecimal(address) +
                                                " do not lie in one block of device memory");
    }
    *place = reinterpret_cast<std::byte*>(address);
    return CUDA_SUCCESS;
  }
};

// What parameters of a graph's node can say of it.
CUDA_MEMCPY3D as_box(const End& to, const End& from, std::size_t bytes) {
  CUDA_MEMCPY3D spec{};
  const auto type = [](const End& end) {
    if (end.address == 0) return CU_MEMORYTYPE_ARRAY;
    return end.is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  };
  spec.dstMemoryType = type(to);
  spec.dstArray = to.array;
  spec.dstXInBytes = to.offset;
  spec.dstHost = to.is_host ? reinterpret_cast<void*>(to.address) : nullptr;
  spec.dstDevice = to.is_host ? 0 : to.address;
  spec.srcMemoryType = type(from);
  spec.srcArray = from.array;
  spec.srcXInBytes = from.offset;
  spec.srcHost = from.is_host ? reinterpret_cast<const void*>(from.address) : nullptr;
  spec.srcDevice = from.is_host ? 0 : from.address;
  spec.WidthInBytes = bytes;
  spec.Height = 1;
  spec.Depth = 1;
  return spec;
}

enum class When { Now, Async };

CUresult copy(const End& to, const End& from, std::size_t bytes, CUstream handle, When when) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (when == When::Now) {
      if (const CUresult status = check_call_in_capture(stream); status != CUDA_SUCCESS)
        return status;
    }
    if (bytes == 0) return CUDA_SUCCESS;
    std::byte *target = nullptr, *source = nullptr;
    CUresult status = to.settle(bytes, &target);
    if (status == CUDA_SUCCESS) status = from.settle(bytes, &source);
    if (status == CUDA_SUCCESS)
      status = check_pool_access(current_device(), {to.address, from.address});
    if (status != CUDA_SUCCESS) return status;
    const auto task = [target, source, bytes] {
      return pycuda::cpu::exec::copy_bytes(target, source, bytes);
    };
    if (stream.in_capture()) {
      const pycuda::cpu::exec::PitchedTransfer run{.to = reinterpret_cast<std::uintptr_t>(target),
                                                   .from = reinterpret_cast<std::uintptr_t>(source),
                                                   .width = bytes};
      return capture(stream, CopyAction{as_box(to, from, bytes), stream.context().handle(), run});
    }
    const bool waits =
        (to.is_host && is_pageable(to.address)) || (from.is_host && is_pageable(from.address));
    if (when == When::Now || waits) return run_transfer(stream, task, "copy");
    return start_transfer(stream, task, bytes <= small_transfer_bytes, "copy");
  });
}

}  // namespace

extern "C" {

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return copy(End::in(dstArray, dstOffset), End::device(srcDevice), ByteCount, nullptr, When::Now);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return copy(End::device(dstDevice), End::in(srcArray, srcOffset), ByteCount, nullptr, When::Now);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                         size_t ByteCount) {
  return copy(End::in(dstArray, dstOffset), End::host(srcHost), ByteCount, nullptr, When::Now);
}

CUresult cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return copy(End::host(dstHost), End::in(srcArray, srcOffset), ByteCount, nullptr, When::Now);
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return copy(End::in(dstArray, dstOffset), End::in(srcArray, srcOffset), ByteCount, nullptr,
              When::Now);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                              size_t ByteCount, CUstream hStream) {
  return copy(End::in(dstArray, dstOffset), End::host(srcHost), ByteCount, hStream, When::Async);
}

CUresult cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream) {
  return copy(End::host(dstHost), End::in(srcArray, srcOffset), ByteCount, hStream, When::Async);
}

}  // extern "C"
