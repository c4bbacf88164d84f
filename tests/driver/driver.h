// SPDX-License-Identifier: MIT
// The driver library under test, whichever it is: its functions by name, and contexts for tests to
// work in.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <bit>
#include <string>

namespace driver_test {

/// The library's path as given by --library, PYCUDA_TEST_DRIVER, or "libcuda.so.1".
const std::string& library_path();
void set_library_path(std::string path);
/// Opens the library on first use. Throws std::runtime_error when a symbol is missing.
void* symbol(const char* name);
bool has_symbol(const char* name);
/// The library is our CPU driver (NVIDIA's crashes on handles that never were valid; ours must
/// not).
bool is_cpu_driver();
/// Calls cuInit once.
void initialise();
/// The content of libcudadevrt.a, which code that launches kernels or graphs is linked with: of the
/// file PYCUDA_TEST_CUDADEVRT; without it a stand-in, which our driver takes, and "" for NVIDIA's.
const std::string& device_runtime();
/// A module of this PTX, linked with it.
CUmodule load_with_device_runtime(std::string ptx);

/// The function of this name, with the type that cuda.h gives it. Each place looks its name up
/// once: dlsym takes a lock that is not fair, so a thread that calls without end would keep the
/// others out of the driver.
#define CU(name)                                                       \
  ([] {                                                                \
    static const auto named_function =                                 \
        reinterpret_cast<decltype(&name)>(driver_test::symbol(#name)); \
    return named_function;                                             \
  }())

/// A number that is no member of the enumeration, as a C program could pass it.
template <class Enumeration>
Enumeration outside(int number) {
  return std::bit_cast<Enumeration>(number);
}

/// A fresh context on device 0, current while this lives.
class CurrentContext {
 public:
  explicit CurrentContext(unsigned flags = 0);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  CUcontext handle() const { return handle_; }

 private:
  CUcontext handle_ = nullptr;
};

/// A module of PTX text, loaded in the current context.
class LoadedModule {
 public:
  explicit LoadedModule(const char* ptx);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  CUmodule handle() const { return handle_; }
  CUfunction function(const char* name) const;

 private:
  CUmodule handle_ = nullptr;
};

/// Device memory of the current context.
class DeviceBlock {
 public:
  explicit DeviceBlock(std::size_t bytes);
  ~DeviceBlock();
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  CUdeviceptr address() const { return address_; }

 private:
  CUdeviceptr address_ = 0;
};

/// Runs one scenario in a process of its own (a fault can end the use of CUDA in a whole process)
/// and gives its output.
std::string run_scenario(const std::string& name);
/// The other side of run_scenario: false when there is no scenario of this name.
bool play_scenario(const std::string& name);
/// The scenarios of other files, which play_scenario asks in turn: processes and devices, limits,
/// the checked mode, long kernels, lazy loading, graphs and their conditional nodes, what processes
/// share.
bool play_process_scenario(const std::string& name);
bool play_limit_scenario(const std::string& name);
bool play_checked_scenario(const std::string& name);
bool play_long_kernel_scenario(const std::string& name);
bool play_lazy_scenario(const std::string& name);
bool play_graph_scenario(const std::string& name);
bool play_conditional_scenario(const std::string& name);
bool play_ipc_scenario(const std::string& name);
bool play_virtual_memory_scenario(const std::string& name);
bool play_pool_scenario(const std::string& name);
bool play_pool_access_scenario(const std::string& name);

}  // namespace driver_test
