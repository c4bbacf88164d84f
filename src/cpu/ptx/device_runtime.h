// SPDX-License-Identifier: MIT
// CUDA's device run-time library (cudadevrt), which device code calls to launch kernels. Linking
// with it renames its functions to names that no program has.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pycuda::cpu::ptx {

/// A function of the library that the CPU driver has.
struct DeviceRuntimeFunction {
  std::string_view name;        ///< as programs call it: __cudaCDP2LaunchDeviceV2
  std::string_view symbol;      ///< of the run time: pycuda_cpu_device_launch_prepared
  std::string_view parameters;  ///< letters, see device_runtime.def
  unsigned result_bits = 32;
  /// For programs compiled with default streams of each thread's own: stream 0 is such a one.
  bool own_stream = false;
};

std::span<const DeviceRuntimeFunction> device_runtime_functions();

/// Whether a file's content is that of libcudadevrt.a. An archive that is called so is taken for it
/// whatever it holds; `name` may be null.
bool is_device_runtime_library(std::string_view content, const char* name);

/// Whether PTX is that of the library, which nvcc puts among the parts of a program that needs it.
bool is_device_runtime_code(std::string_view ptx);

/// Whether it is cudaGraphLaunch.
bool launches_graph(const DeviceRuntimeFunction& function);

/// Whether the name is one of the library's, with or without a function that goes by it.
bool names_device_runtime(std::string_view name);
/// The function that a program calls by this name, or null.
const DeviceRuntimeFunction* find_device_runtime(std::string_view name);
/// The name that the function has in a linked module, and the function of such a name, or null.
std::string linked_name(const DeviceRuntimeFunction& function);
const DeviceRuntimeFunction* find_linked_device_runtime(std::string_view name);

}  // namespace pycuda::cpu::ptx
