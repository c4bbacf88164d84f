// SPDX-License-Identifier: MIT
// The launch of before CUDA 4, built up in steps: cuFuncSetBlockShape, cuParamSet*, cuLaunch*.
#include <cstring>

#include "cpu/api/function_guard.h"
#include "cpu/api/stream_guard.h"

using pycuda::cpu::Dim3;
using namespace pycuda::cpu::api;

namespace {

constexpr std::size_t largest_parameter_bytes = 32764;

template <class Body>
CUresult with_pending(CUfunction handle, Body&& body,
                      const char* entry = __builtin_FUNCTION()) noexcept {
  return with_function(
      handle,
      [&](Function& function) -> CUresult {
        Function::PendingLaunch& pending = function.pending();
        const std::lock_guard lock(pending.mutex);
        return body(function, pending);
      },
      entry);
}

CUresult set_parameter(CUfunction handle, int offset, const void* value, std::size_t bytes) {
  return with_pending(handle, [&](Function&, Function::PendingLaunch& pending) -> CUresult {
    if (offset < 0 || (value == nullptr && bytes != 0)) return CUDA_ERROR_INVALID_VALUE;
    const auto begin = static_cast<std::size_t>(offset);
    if (begin > largest_parameter_bytes || bytes > largest_parameter_bytes - begin)
      return CUDA_ERROR_INVALID_VALUE;
    if (pending.params.size() < begin + bytes) pending.params.resize(begin + bytes);
    if (bytes != 0) std::memcpy(pending.params.data() + begin, value, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult launch_pending(CUfunction handle, int width, int height, CUstream stream_handle) {
  if (width <= 0 || height <= 0)
    return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return with_stream(stream_handle, [&](Stream& stream) {
    return with_pending(
        handle, [&](Function& function, Function::PendingLaunch& pending) -> CUresult {
          LaunchShape shape;
          shape.grid = {static_cast<unsigned>(width), static_cast<unsigned>(height), 1};
          shape.block = pending.block;
          shape.dynamic_shared_bytes = pending.dynamic_shared_bytes;
          std::string params = pending.params;
          params.resize(function.facts().parameter_bytes);
          return launch(function, stream, shape, std::move(params));
        });
  });
}

}  // namespace

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
  return with_pending(hfunc, [&](Function&, Function::PendingLaunch& pending) -> CUresult {
    using Limits = DeviceLimits;
    if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
    const Dim3 block{static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    if (block.x > Limits::block_x || block.y > Limits::block_y || block.z > Limits::block_z ||
        std::uint64_t{block.x} * block.y * block.z > Limits::threads_per_block) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    pending.block = block;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
  return with_pending(hfunc, [&](Function& function, Function::PendingLaunch& pending) -> CUresult {
    if (bytes > function.max_dynamic_shared_bytes()) return CUDA_ERROR_INVALID_VALUE;
    pending.dynamic_shared_bytes = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
  return with_pending(hfunc, [&](Function&, Function::PendingLaunch& pending) -> CUresult {
    if (numbytes > largest_parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
    pending.params.resize(numbytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
  return set_parameter(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void* ptr, unsigned int numbytes) {
  return set_parameter(hfunc, offset, ptr, numbytes);
}

CUresult cuLaunch(CUfunction f) { return launch_pending(f, 1, 1, nullptr); }

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
  return launch_pending(f, grid_width, grid_height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
  return launch_pending(f, grid_width, grid_height, hStream);
}

}  // extern "C"
