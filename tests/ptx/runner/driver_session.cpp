// SPDX-License-Identifier: MIT
// Calls the driver API through symbols found by name, so that the program is linked with no driver.
#include "driver_session.h"

#include <dlfcn.h>

#include <vector>

namespace pycuda::ptx_tests {
namespace {

template <class Function>
Function* find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("the driver library has no ") + name);
  return reinterpret_cast<Function*>(symbol);
}

}  // namespace

// The macro of cuda.h (cuMemAlloc is cuMemAlloc_v2) gives both the type and, spelled out, the
// exported name.
#define PTX_TEST_TEXT(name) #name
#define PTX_TEST_EXPORTED(name) PTX_TEST_TEXT(name)
#define DRIVER_STATUS(function) (find<decltype(::function)>(library_, PTX_TEST_EXPORTED(function)))
#define DRIVER_CALL(function, ...)                                                       \
  do {                                                                                   \
    const CUresult status_ = DRIVER_STATUS(function)(__VA_ARGS__);                       \
    if (status_ != CUDA_SUCCESS) throw CallFailed(PTX_TEST_EXPORTED(function), status_); \
  } while (false)

CallFailed::CallFailed(const std::string& function, CUresult result)
    : std::runtime_error(function + " failed with " + std::to_string(static_cast<int>(result))),
      status(result) {}

DriverSession::DriverSession(const std::string& library)
    : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  DRIVER_CALL(cuInit, 0);
  DRIVER_CALL(cuDeviceGet, &device_, 0);
  DRIVER_CALL(cuDevicePrimaryCtxRetain, &context_, device_);
  DRIVER_CALL(cuCtxSetCurrent, context_);
}

DriverSession::~DriverSession() {
  // The library stays open: a driver must never be unloaded.
  DRIVER_STATUS(cuDevicePrimaryCtxRelease)(device_);
}

std::string DriverSession::device_name() const {
  char name[256] = "";
  DRIVER_CALL(cuDeviceGetName, name, static_cast<int>(sizeof name), device_);
  return name;
}

int DriverSession::driver_version() const {
  int version = 0;
  DRIVER_CALL(cuDriverGetVersion, &version);
  return version;
}

int DriverSession::capability() const {
  int major = 0, minor = 0;
  DRIVER_CALL(cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_);
  DRIVER_CALL(cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_);
  return 10 * major + minor;
}

CUresult DriverSession::load(const std::string& ptx, CUmodule* module, std::string* log) const {
  std::vector<char> errors(16384, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors.data(), reinterpret_cast<void*>(errors.size())};
  const CUresult status =
      DRIVER_STATUS(cuModuleLoadDataEx)(module, ptx.c_str(), 2, options, values);
  errors.back() = '\0';
  *log = errors.data();
  return status;
}

void DriverSession::unload(CUmodule module) const { DRIVER_CALL(cuModuleUnload, module); }

CUfunction DriverSession::kernel(CUmodule module, const std::string& name) const {
  CUfunction function = nullptr;
  const CUresult status = DRIVER_STATUS(cuModuleGetFunction)(&function, module, name.c_str());
  if (status != CUDA_SUCCESS) throw CallFailed("cuModuleGetFunction(" + name + ")", status);
  return function;
}

CUdeviceptr DriverSession::allocate(std::size_t bytes) const {
  CUdeviceptr memory = 0;
  DRIVER_CALL(cuMemAlloc, &memory, bytes);
  return memory;
}

void DriverSession::release(CUdeviceptr memory) const { DRIVER_CALL(cuMemFree, memory); }

void DriverSession::write(CUdeviceptr to, const void* from, std::size_t bytes) const {
  DRIVER_CALL(cuMemcpyHtoD, to, from, bytes);
}

void DriverSession::read(void* to, CUdeviceptr from, std::size_t bytes) const {
  DRIVER_CALL(cuMemcpyDtoH, to, from, bytes);
}

CUresult DriverSession::run(CUfunction kernel, const unsigned (&grid)[3],
                            const unsigned (&block)[3], unsigned shared_bytes,
                            void** arguments) const {
  const CUresult status =
      DRIVER_STATUS(cuLaunchKernel)(kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                    shared_bytes, nullptr, arguments, nullptr);
  return status != CUDA_SUCCESS ? status : DRIVER_STATUS(cuCtxSynchronize)();
}

}  // namespace pycuda::ptx_tests
