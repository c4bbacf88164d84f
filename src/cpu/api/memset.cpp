// SPDX-License-Identifier: MIT
// cuMemset*: filling device memory with a value of 8, 16 or 32 bits.
#include "cpu/api/capture.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/pool_access.h"
#include "cpu/api/stream_guard.h"
#include "cpu/api/transfer.h"
#include "cpu/exec/bulk_memory.h"

namespace pycuda::cpu::api {

CUresult check_fill(const CUDA_MEMSET_NODE_PARAMS& spec) {
  const std::size_t unit = spec.elementSize;
  if (spec.width > (std::size_t{1} << 60) / unit) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row_bytes = spec.width * unit;
  if (spec.dst % unit != 0) return CUDA_ERROR_INVALID_VALUE;
  if (spec.height > 1 && (spec.pitch % unit != 0 || spec.pitch < row_bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (spec.height > 1 && (spec.height - 1) > (std::size_t{1} << 60) / spec.pitch)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t bytes = (spec.height > 1 ? (spec.height - 1) * spec.pitch : 0) + row_bytes;
  return is_device_range(spec.dst, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

template <class Value>
struct Fill {
  CUdeviceptr to;
  std::size_t pitch;  // bytes from row to row
  Value value;
  std::size_t width;  // values in a row
  std::size_t height;

  bool operator()() const {
    const std::size_t row_bytes = width * sizeof(Value);
    const bool dense = height == 1 || pitch == row_bytes;
    for (std::size_t line = 0; line < (dense ? 1 : height); ++line) {
      if (!pycuda::cpu::exec::fill_bytes(reinterpret_cast<void*>(to + line * pitch), value,
                                         sizeof(Value), dense ? height * row_bytes : row_bytes))
        return false;
    }
    return true;
  }
};

enum class When { Now, Async };

template <class Value>
CUresult fill(CUdeviceptr to, std::size_t pitch, Value value, std::size_t width, std::size_t height,
              CUstream handle, When when) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    const CUDA_MEMSET_NODE_PARAMS spec{to, pitch, value, sizeof(Value), width, height};
    CUresult status = check_fill(spec);
    if (status == CUDA_SUCCESS) status = check_pool_access(current_device(), {to});
    if (status != CUDA_SUCCESS) return status;
    if (stream.in_capture()) return capture(stream, FillAction{spec, stream.context().handle()});
    const Fill<Value> task{to, pitch, value, width, height};
    if (when == When::Now) return run_transfer(stream, task, "fill");
    return start_transfer(stream, task, width * sizeof(Value) * height <= small_transfer_bytes,
                          "fill");
  });
}

}  // namespace

extern "C" {

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return fill(dstDevice, 0, uc, N, 1, nullptr, When::Now);
}
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return fill(dstDevice, 0, us, N, 1, nullptr, When::Now);
}
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return fill(dstDevice, 0, ui, N, 1, nullptr, When::Now);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height) {
  return fill(dstDevice, dstPitch, uc, Width, Height, nullptr, When::Now);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height) {
  return fill(dstDevice, dstPitch, us, Width, Height, nullptr, When::Now);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height) {
  return fill(dstDevice, dstPitch, ui, Width, Height, nullptr, When::Now);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return fill(dstDevice, 0, uc, N, 1, hStream, When::Async);
}
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return fill(dstDevice, 0, us, N, 1, hStream, When::Async);
}
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return fill(dstDevice, 0, ui, N, 1, hStream, When::Async);
}
CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream) {
  return fill(dstDevice, dstPitch, uc, Width, Height, hStream, When::Async);
}
CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream) {
  return fill(dstDevice, dstPitch, us, Width, Height, hStream, When::Async);
}
CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream) {
  return fill(dstDevice, dstPitch, ui, Width, Height, hStream, When::Async);
}

}  // extern "C"
