// SPDX-License-Identifier: MIT
// Kernel launches, in every form that the run-time API has.
#include <climits>
#include <vector>

#include "cudart/registered_code.h"

namespace pycuda::cudart {
namespace {

struct CallConfiguration {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// kernel<<<...>>>(f()) evaluates f between the push and the pop, and f may launch too. A pointer,
/// because destructors of a program's objects launch kernels after those of the thread's.
thread_local std::vector<CallConfiguration>* configurations = nullptr;

struct ConfigurationsEnd {
  ~ConfigurationsEnd() {
    delete configurations;
    configurations = nullptr;
  }
};

std::vector<CallConfiguration>& own_configurations() {
  if (configurations == nullptr) {
    configurations = new std::vector<CallConfiguration>;
    thread_local const ConfigurationsEnd end;
    (void)&end;
  }
  return *configurations;
}

int attribute(const DriverTable& driver, CUdevice_attribute which, int device) {
  int value = 0;
  (void)driver.cuDeviceGetAttribute.status(&value, which, device);
  return value;
}

/// Whether no device takes a launch of this shape, whatever the kernel.
bool shape_is_invalid(const DriverTable& driver, dim3 grid, dim3 block) {
  int device = 0;
  if (current_device(driver, &device) != cudaSuccess) return false;
  const auto beyond = [&](unsigned value, CUdevice_attribute which) {
    return value == 0 || value > static_cast<unsigned>(attribute(driver, which, device));
  };
  const auto threads = static_cast<unsigned long long>(block.x) * block.y * block.z;
  return beyond(grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) ||
         beyond(grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
         beyond(grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) ||
         beyond(block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
         beyond(block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) ||
         beyond(block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) ||
         threads > static_cast<unsigned>(
                       attribute(driver, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
}

/// The driver says "invalid value" where the run time tells an invalid shape apart.
cudaError_t launch_error(const DriverTable& driver, CUresult code, dim3 grid, dim3 block) {
  if (code == CUDA_ERROR_INVALID_VALUE && shape_is_invalid(driver, grid, block)) {
    return cudaErrorInvalidConfiguration;
  }
  return to_runtime(code);
}

cudaError_t launch(const char* name, const void* func, dim3 grid, dim3 block, void** args,
                   size_t shared_bytes, cudaStream_t stream, bool cooperative) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUkernel kernel = nullptr;
    const cudaError_t status = find_kernel(driver, func, &kernel);
    if (status != cudaSuccess) return status;
    if (shared_bytes > UINT_MAX) return cudaErrorInvalidValue;
    const auto function = reinterpret_cast<CUfunction>(kernel);
    const auto bytes = static_cast<unsigned>(shared_bytes);
    const CUresult code =
        cooperative
            ? driver.cuLaunchCooperativeKernel.status(function, grid.x, grid.y, grid.z, block.x,
                                                      block.y, block.z, bytes, stream, args)
            : driver.cuLaunchKernel.status(function, grid.x, grid.y, grid.z, block.x, block.y,
                                           block.z, bytes, stream, args, nullptr);
    return launch_error(driver, code, grid, block);
  });
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

extern "C" __attribute__((visibility("default"))) unsigned __cudaPushCallConfiguration(
    dim3 gridDim, dim3 blockDim, size_t sharedMem, struct CUstream_st* stream) {
  try {
    own_configurations().push_back({gridDim, blockDim, sharedMem, stream});
    return 0;
  } catch (...) {  // No memory: the launch is left out, as the caller is told.
    return 1;
  }
}

CUDART_API __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                      void* stream) {
  if (configurations == nullptr || configurations->empty()) {
    return record("__cudaPopCallConfiguration", cudaErrorMissingConfiguration);
  }
  const CallConfiguration last = configurations->back();
  configurations->pop_back();
  *gridDim = last.grid;
  *blockDim = last.block;
  *sharedMem = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

CUDART_API cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                            size_t sharedMem, cudaStream_t stream) {
  return launch("cudaLaunchKernel", func, gridDim, blockDim, args, sharedMem, stream, false);
}

CUDART_API __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                              size_t sharedMem, cudaStream_t stream) {
  return launch("cudaLaunchKernel", kernel, gridDim, blockDim, args, sharedMem, stream, false);
}

CUDART_API __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                                   size_t sharedMem, cudaStream_t stream) {
  return launch("cudaLaunchKernel", kernel, gridDim, blockDim, args, sharedMem, own_stream(stream),
                false);
}

CUDART_API cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                       size_t sharedMem, cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", func, gridDim, blockDim, args, sharedMem, stream,
                true);
}

CUDART_API cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return with_context("cudaLaunchKernelExC", [&](const DriverTable& driver) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    CUkernel kernel = nullptr;
    const cudaError_t status = find_kernel(driver, func, &kernel);
    if (status != cudaSuccess) return status;
    CUlaunchConfig same{};
    to_launch_config(*config, &same);
    const CUresult code =
        driver.cuLaunchKernelEx.status(&same, reinterpret_cast<CUfunction>(kernel), args, nullptr);
    return launch_error(driver, code, config->gridDim, config->blockDim);
  });
}

CUDART_FORWARD(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void* userData),
               cuLaunchHostFunc, stream, fn, userData)
