// SPDX-License-Identifier: MIT
// The functions that nvcc's host code calls before main, and the look-up of what it registered.
// Their signatures are those of crt/host_runtime.h.
#include "cudart/registered_code.h"

#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudart/fat_binary.h"

namespace pycuda::cudart {
namespace {

struct HostFunction {
  FatBinary* binary = nullptr;
  std::string name;
  CUkernel kernel = nullptr;
};

struct HostVariable {
  FatBinary* binary = nullptr;
  std::string name;
  /// The pointer in host code through which a managed variable is used; null for others.
  void** managed = nullptr;
};

struct Registry {
  std::shared_mutex lock;
  std::unordered_map<const void*, HostFunction> functions;
  std::unordered_map<const void*, HostVariable> variables;
  std::unordered_map<CUkernel, const void*> hosts;
  /// Handles that programs have been given, of kernels and of functions: the kernel of each.
  std::unordered_map<const void*, CUkernel> handles;
  /// By address: what host code names, the variable itself, is where the managed pointer points.
  std::unordered_map<const void*, const void*> placed;
};

/// Never destroyed: programs unregister at exit, in any order.
Registry& registry() {
  static auto* all = new Registry;
  return *all;
}

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

cudaError_t load_kernel(const DriverTable& driver, const void* host, const HostFunction& known,
                        CUkernel* kernel) {
  CUlibrary library = nullptr;
  const cudaError_t status = known.binary->load(driver, &library);
  if (status != cudaSuccess) return status;
  const CUresult code = driver.cuLibraryGetKernel.status(kernel, library, known.name.c_str());
  // The function is registered, but the image has no code for this device.
  if (code == CUDA_ERROR_NOT_FOUND) return cudaErrorInvalidDeviceFunction;
  if (code != CUDA_SUCCESS) return to_runtime(code);
  Registry& all = registry();
  const std::unique_lock guard(all.lock);
  if (const auto found = all.functions.find(host); found != all.functions.end()) {
    found->second.kernel = *kernel;
  }
  all.hosts[*kernel] = host;
  return cudaSuccess;
}

cudaError_t variable_address(const DriverTable& driver, const HostVariable& known,
                             CUdeviceptr* address, size_t* bytes) {
  CUlibrary library = nullptr;
  const cudaError_t status = known.binary->load(driver, &library);
  if (status != cudaSuccess) return status;
  const auto& look_up =
      known.managed != nullptr ? driver.cuLibraryGetManaged : driver.cuLibraryGetGlobal;
  const CUresult code = look_up.status(address, bytes, library, known.name.c_str());
  return code == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : to_runtime(code);
}

/// Points the host code's pointers to those managed variables at them that `wanted(variable)`.
template <class Wanted>
cudaError_t place_managed(const DriverTable& driver, Wanted&& wanted) {
  Registry& all = registry();
  std::vector<HostVariable> managed;
  {
    const std::shared_lock guard(all.lock);
    for (const auto& [host, variable] : all.variables) {
      if (variable.managed != nullptr && wanted(variable)) managed.push_back(variable);
    }
  }
  for (const HostVariable& variable : managed) {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    const cudaError_t status = variable_address(driver, variable, &address, &bytes);
    if (status != cudaSuccess) return status;
    const std::unique_lock guard(all.lock);
    all.placed.erase(*variable.managed);
    *variable.managed = as<void*>(address);
    all.placed[*variable.managed] = static_cast<const void*>(variable.managed);
  }
  return cudaSuccess;
}

void remember_function(CUfunction function, CUkernel kernel) {
  Registry& all = registry();
  const std::unique_lock guard(all.lock);
  all.handles[function] = kernel;
}

}  // namespace

cudaError_t find_kernel(const DriverTable& driver, const void* function, CUkernel* kernel) {
  HostFunction known;
  {
    Registry& all = registry();
    const std::shared_lock guard(all.lock);
    const auto found = all.functions.find(function);
    if (found == all.functions.end()) {
      const auto handle = all.handles.find(function);
      if (handle == all.handles.end()) return cudaErrorInvalidDeviceFunction;
      *kernel = handle->second;
      return cudaSuccess;
    }
    *kernel = found->second.kernel;
    if (*kernel != nullptr) return cudaSuccess;
    known = found->second;
  }
  return load_kernel(driver, function, known, kernel);
}

cudaError_t find_function(const DriverTable& driver, const void* function, CUfunction* found) {
  CUkernel kernel = nullptr;
  const cudaError_t status = find_kernel(driver, function, &kernel);
  if (status != cudaSuccess) return status;
  return to_runtime(driver.cuKernelGetFunction.status(found, kernel));
}

void remember_kernel(CUkernel kernel) {
  Registry& all = registry();
  const std::unique_lock guard(all.lock);
  all.handles[kernel] = kernel;
}

void* host_function_of(const DriverTable& driver, CUkernel kernel, CUfunction function) {
  Registry& all = registry();
  const std::shared_lock guard(all.lock);
  if (const auto found = all.hosts.find(kernel); found != all.hosts.end()) {
    return const_cast<void*>(found->second);
  }
  for (const auto& [known, host] : all.hosts) {
    CUfunction same = nullptr;
    if (driver.cuKernelGetFunction.status(&same, known) == CUDA_SUCCESS && same == function) {
      return const_cast<void*>(host);
    }
  }
  return kernel != nullptr ? static_cast<void*>(kernel) : static_cast<void*>(function);
}

cudaError_t find_symbol(const DriverTable& driver, const void* symbol, CUdeviceptr* address,
                        size_t* bytes) {
  HostVariable known;
  {
    Registry& all = registry();
    const std::shared_lock guard(all.lock);
    auto found = all.variables.find(symbol);
    if (found == all.variables.end()) {
      const auto placed = all.placed.find(symbol);
      if (placed != all.placed.end()) found = all.variables.find(placed->second);
    }
    if (found == all.variables.end()) return cudaErrorInvalidSymbol;
    known = found->second;
  }
  return variable_address(driver, known, address, bytes);
}

cudaError_t find_symbol_range(const DriverTable& driver, const void* symbol, size_t offset,
                              size_t count, CUdeviceptr* address) {
  size_t bytes = 0;
  const cudaError_t status = find_symbol(driver, symbol, address, &bytes);
  if (status != cudaSuccess) return status;
  if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
  *address += offset;
  return cudaSuccess;
}

}  // namespace pycuda::cudart

using namespace pycuda::cudart;

#define REGISTRATION extern "C" __attribute__((visibility("default")))

REGISTRATION void** __cudaRegisterFatBinary(void* fatCubin) {
  return reinterpret_cast<void**>(new FatBinary(fatCubin));
}

REGISTRATION void __cudaRegisterFatBinaryEnd(void**) {}

REGISTRATION void __cudaUnregisterFatBinary(void** handle) {
  FatBinary* binary = binary_of(handle);
  if (binary == nullptr) return;
  Registry& all = registry();
  {
    const std::unique_lock guard(all.lock);
    std::erase_if(all.hosts, [&](const auto& item) {
      const auto found = all.functions.find(item.second);
      return found != all.functions.end() && found->second.binary == binary;
    });
    std::erase_if(all.functions, [&](const auto& item) { return item.second.binary == binary; });
    std::erase_if(all.placed, [&](const auto& item) {
      const auto found = all.variables.find(item.second);
      return found != all.variables.end() && found->second.binary == binary;
    });
    std::erase_if(all.variables, [&](const auto& item) { return item.second.binary == binary; });
  }
  // At exit the driver goes with the process. A library that a program closes takes its kernels
  // along, but its launches may still run: what they use is left in place.
}

REGISTRATION void __cudaRegisterFunction(void** handle, const char* hostFun, char*,
                                         const char* deviceName, int, uint3*, uint3*, dim3*, dim3*,
                                         int*) {
  Registry& all = registry();
  const std::unique_lock guard(all.lock);
  all.functions[hostFun] = {binary_of(handle), deviceName, nullptr};
}

REGISTRATION void __cudaRegisterVar(void** handle, char* hostVar, char*, const char* deviceName,
                                    int, size_t, int, int) {
  Registry& all = registry();
  const std::unique_lock guard(all.lock);
  all.variables[hostVar] = {binary_of(handle), deviceName, nullptr};
}

REGISTRATION void __cudaRegisterManagedVar(void** handle, void** hostVarPtrAddress, char*,
                                           const char* deviceName, int, size_t, int, int) {
  Registry& all = registry();
  const std::unique_lock guard(all.lock);
  all.variables[static_cast<const void*>(hostVarPtrAddress)] = {binary_of(handle), deviceName,
                                                                hostVarPtrAddress};
}

/// Called before the first use of a managed variable; what it returns is "done".
REGISTRATION char __cudaInitModule(void** handle) {
  const cudaError_t status = with_context("__cudaInitModule", [&](const DriverTable& driver) {
    return place_managed(
        driver, [&](const HostVariable& variable) { return variable.binary == binary_of(handle); });
  });
  return status == cudaSuccess ? 1 : 0;
}

CUDART_API __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  // Called before main's first statement too, where a device may be chosen later: the handle is the
  // host function itself, which every function here accepts in a kernel's place.
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

CUDART_API cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  return with_context("cudaGetKernel", [&](const DriverTable& driver) -> cudaError_t {
    if (kernelPtr == nullptr) return cudaErrorInvalidValue;
    CUkernel kernel = nullptr;
    const cudaError_t status = find_kernel(driver, entryFuncAddr, &kernel);
    if (status != cudaSuccess) return status;
    remember_kernel(kernel);
    *kernelPtr = kernel;
    return cudaSuccess;
  });
}

CUDART_API cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr) {
  return with_context("cudaGetFuncBySymbol", [&](const DriverTable& driver) -> cudaError_t {
    if (functionPtr == nullptr) return cudaErrorInvalidValue;
    CUkernel kernel = nullptr;
    cudaError_t status = find_kernel(driver, symbolPtr, &kernel);
    if (status != cudaSuccess) return status;
    status = to_runtime(driver.cuKernelGetFunction.status(functionPtr, kernel));
    if (status == cudaSuccess) remember_function(*functionPtr, kernel);
    return status;
  });
}

CUDART_API cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return with_context("cudaGetSymbolAddress", [&](const DriverTable& driver) -> cudaError_t {
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    const cudaError_t status = find_symbol(driver, symbol, &address, &bytes);
    if (status == cudaSuccess) *devPtr = as<void*>(address);
    return status;
  });
}

CUDART_API cudaGetSymbolSize(size_t* size, const void* symbol) {
  return with_context("cudaGetSymbolSize", [&](const DriverTable& driver) -> cudaError_t {
    if (size == nullptr) return cudaErrorInvalidValue;
    CUdeviceptr address = 0;
    return find_symbol(driver, symbol, &address, size);
  });
}
