// SPDX-License-Identifier: MIT
// What nvcc's host code has registered: kernels by their host function, variables by their host
// variable. Their images are loaded when the first of them is used.
#pragma once

#include "cudart/call.h"

namespace pycuda::cudart {

/// The kernel of a host function, a cudaKernel_t or a cudaFunction_t;
/// cudaErrorInvalidDeviceFunction for anything else, the loader's error if its image cannot be
/// loaded. Needs a context.
cudaError_t find_kernel(const DriverTable& driver, const void* function, CUkernel* kernel);

/// The same as a function of the current context.
cudaError_t find_function(const DriverTable& driver, const void* function, CUfunction* found);

/// Lets find_kernel accept a handle that a program got from cudaGetKernel or cudaLibraryGetKernel.
void remember_kernel(CUkernel kernel);

/// The host function of a kernel; the handle itself for one that has none.
void* host_function_of(const DriverTable& driver, CUkernel kernel, CUfunction function);

/// Where a host variable's counterpart lies in the current context and how long it is;
/// cudaErrorInvalidSymbol for anything else.
cudaError_t find_symbol(const DriverTable& driver, const void* symbol, CUdeviceptr* address,
                        size_t* bytes);

/// The address of `count` bytes at `offset` of a symbol, or cudaErrorInvalidValue.
cudaError_t find_symbol_range(const DriverTable& driver, const void* symbol, size_t offset,
                              size_t count, CUdeviceptr* address);

/// A launch's configuration as the driver takes it; its attributes are shared, not copied.
void to_launch_config(const cudaLaunchConfig_t& config, CUlaunchConfig* same);

}  // namespace pycuda::cudart
