// SPDX-License-Identifier: MIT
// The launch itself, and what to say when it is refused.
#include "cuda/launch.h"

#include <cstdint>
#include <string>

#include "cuda/capture.h"
#include "cuda/context_stack.h"
#include "cuda/grid_launches.h"
#include "cuda/kernel_names.h"

namespace pycuda::cuda {
namespace {

std::string dim_text(const Dim3& dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" + std::to_string(dim.z);
}

/// The first extent of a launch that is larger than the device allows, as a text; empty if none is.
std::string beyond_device_limits(const Kernel& kernel, const LaunchShape& shape) {
  const struct {
    const char* what;
    unsigned int size;
    CUdevice_attribute limit;
  } extents[] = {
      {"blocks along x", shape.grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X},
      {"blocks along y", shape.grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y},
      {"blocks along z", shape.grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z},
      {"threads along z", shape.block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z},
  };
  const CUdevice device = kernel.context()->device().handle();
  for (const auto& [what, size, limit] : extents) {
    int most = 0;
    if (kernel.driver().cuDeviceGetAttribute.status(&most, limit, device) == CUDA_SUCCESS &&
        size > static_cast<unsigned int>(most)) {
      return ": " + std::to_string(size) + " " + what + ", the device takes at most " +
             std::to_string(most);
    }
  }
  return {};
}

/// Why a launch was refused, as far as the kernel's limits tell. Asks the driver, whose answers may
/// fail too by now.
std::string refusal(const Kernel& kernel, const LaunchShape& shape, CUresult refused) {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    const CUresult code = kernel.driver().cuFuncGetAttribute.status(&value, which, kernel.handle());
    return code == CUDA_SUCCESS ? value : -1;
  };
  std::string text = "kernel " + readable_name(kernel.name()) + ", grid " + dim_text(shape.grid) +
                     ", block " + dim_text(shape.block);
  const std::uint64_t threads = std::uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  const int most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads == 0) {
    text += ": a block needs at least one thread";
  } else if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) {
    text += ": a grid needs at least one block";
  } else if (most_threads >= 0 && threads > static_cast<std::uint64_t>(most_threads)) {
    text += ": " + std::to_string(threads) + " threads per block, the kernel takes at most " +
            std::to_string(most_threads) + ": use smaller blocks and more of them";
  } else {
    text += beyond_device_limits(kernel, shape);
    if (shape.attributes.any() || refused == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ||
        refused == CUDA_ERROR_INVALID_CLUSTER_SIZE) {
      text += attribute_refusal(kernel, shape, refused);
    }
    const int most_shared = attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    if (most_shared >= 0 && shape.shared_bytes > static_cast<unsigned int>(most_shared)) {
      text += ": " + std::to_string(shape.shared_bytes) +
              " bytes of dynamic shared memory, the kernel takes at most " +
              std::to_string(most_shared) +
              " unless set_attribute(function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, ...) raises "
              "that";
    }
  }
  return text;
}

[[noreturn]] void throw_refused(const Kernel& kernel, const LaunchShape& shape,
                                const driver::DriverError& error) {
  switch (error.code()) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    case CUDA_ERROR_NOT_SUPPORTED:
      throw driver::DriverError(kernel.driver(), error.routine(), error.code(),
                                refusal(kernel, shape, error.code()));
    default:
      throw error;
  }
}

/// Where the work goes while anything is captured; a graph that it goes into keeps the kernel's
/// module.
[[gnu::cold, gnu::noinline]] CUstream captured_stream_of(const Kernel& kernel, CUstream stream) {
  if (const std::shared_ptr<Capture> capture = Capture::of_stream(stream)) {
    capture->resources()->keep_kernel(kernel);
  }
  return stream_for_work(stream);
}

CUstream stream_of(const Kernel& kernel, CUstream stream) {
  return any_capture() ? captured_stream_of(kernel, stream) : stream;
}

}  // namespace

void launch(const Kernel& kernel, const LaunchShape& shape, const void* arguments,
            std::size_t bytes) {
  const ContextScope scope(kernel.context());
  void* buffer[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments),
                    CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  void** const extra = bytes != 0 ? buffer : nullptr;
  if (kernel.may_wait_for_grid() && !shape.attributes.cooperative) [[unlikely]] {
    note_plain_grid_launch(kernel.name());
  } else {
    note_other_launch(kernel.name());
  }
  if (shape.attributes.any()) [[unlikely]] {
    const CUresult code = launch_extended(kernel, shape, stream_of(kernel, shape.stream), extra);
    if (code != CUDA_SUCCESS) {
      throw_refused(kernel, shape, kernel.driver().cuLaunchKernelEx.error(code));
    }
    return;
  }
  const auto& launch_kernel = kernel.driver().cuLaunchKernel;
  const CUresult code = launch_kernel.status(
      kernel.handle(), shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
      shape.block.z, shape.shared_bytes, stream_of(kernel, shape.stream), nullptr, extra);
  if (code != CUDA_SUCCESS) [[unlikely]]
    throw_refused(kernel, shape, launch_kernel.error(code));
}

void launch(const Kernel& kernel, const LaunchShape& shape, const KernelArgs& arguments) {
  arguments.check_complete();
  launch(kernel, shape, arguments.data(), arguments.bytes());
}

}  // namespace pycuda::cuda
