// SPDX-License-Identifier: MIT
#include "cpu/ptx/device_runtime.h"

#include <algorithm>
#include <array>

namespace pycuda::cpu::ptx {
namespace {

constexpr std::string_view prefix = "__cudaCDP2";
/// Of CUDA 11 and before, and of launches that are written in PTX.
constexpr std::string_view plain_prefix = "cuda";
constexpr std::string_view linked_prefix = "__cudadevrt$";

constexpr std::array functions = {
#define PYCUDA_DEVICE_RUNTIME(NAME, OURS, PARAMETERS, BITS)                               \
  DeviceRuntimeFunction{"__cudaCDP2" #NAME, "pycuda_cpu_device_" #OURS, PARAMETERS, BITS, \
                        std::string_view(#NAME).ends_with("_ptsz")},
#include "cpu/ptx/device_runtime.def"
#undef PYCUDA_DEVICE_RUNTIME
};

}  // namespace

std::span<const DeviceRuntimeFunction> device_runtime_functions() { return functions; }

bool is_device_runtime_library(std::string_view content, const char* name) {
  if (!content.starts_with("!<arch>\n")) return false;
  const std::string_view path = name != nullptr ? name : "";
  const std::string_view file = path.substr(path.find_last_of("/\\") + 1);
  // The table of the archive's symbols comes first.
  constexpr std::size_t table_bytes = 4096;
  return file.starts_with("libcudadevrt") || file.starts_with("cudadevrt") ||
         content.substr(0, table_bytes).find("cuda_device_runtime") != std::string_view::npos;
}

bool is_device_runtime_code(std::string_view ptx) {
  // What the library itself calls; programs call the library.
  return ptx.find("cnpLaunchDeviceV2") != std::string_view::npos &&
         ptx.find("cnpGetParameterBufferV2") != std::string_view::npos;
}

bool launches_graph(const DeviceRuntimeFunction& function) {
  return function.symbol == "pycuda_cpu_device_graph_launch";
}

bool names_device_runtime(std::string_view name) {
  return name.starts_with(prefix) || find_device_runtime(name) != nullptr;
}

const DeviceRuntimeFunction* find_device_runtime(std::string_view name) {
  for (const std::string_view start : {prefix, plain_prefix}) {
    if (!name.starts_with(start)) continue;
    const std::string_view rest = name.substr(start.size());
    const auto* found = std::find_if(functions.begin(), functions.end(), [&](const auto& function) {
      return function.name.substr(prefix.size()) == rest;
    });
    if (found != functions.end()) return found;
  }
  return nullptr;
}

std::string linked_name(const DeviceRuntimeFunction& function) {
  return std::string(linked_prefix) + std::string(function.name.substr(prefix.size()));
}

const DeviceRuntimeFunction* find_linked_device_runtime(std::string_view name) {
  if (!name.starts_with(linked_prefix)) return nullptr;
  return find_device_runtime(std::string(prefix) + std::string(name.substr(linked_prefix.size())));
}

}  // namespace pycuda::cpu::ptx
