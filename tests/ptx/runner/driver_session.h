// SPDX-License-Identifier: MIT
// The few driver functions that running a file test takes, from any library that exports them.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

namespace pycuda::ptx_tests {

/// A driver function answered with an error.
struct CallFailed : std::runtime_error {
  CallFailed(const std::string& function, CUresult result);
  CUresult status;
};

/// One driver library, opened by path, with the primary context of its first device current in this
/// thread.
class DriverSession {
 public:
  explicit DriverSession(const std::string& library);
  ~DriverSession();
  DriverSession(const DriverSession&) = delete;
  DriverSession& operator=(const DriverSession&) = delete;

  std::string device_name() const;
  int driver_version() const;
  /// Compute capability times 10, as targets have it: 90 for 9.0.
  int capability() const;
  /// The status of loading; `log` gets the compiler's messages.
  CUresult load(const std::string& ptx, CUmodule* module, std::string* log) const;
  void unload(CUmodule module) const;
  CUfunction kernel(CUmodule module, const std::string& name) const;
  CUdeviceptr allocate(std::size_t bytes) const;
  void release(CUdeviceptr memory) const;
  void write(CUdeviceptr to, const void* from, std::size_t bytes) const;
  void read(void* to, CUdeviceptr from, std::size_t bytes) const;
  /// Launches and waits: the first status that is not success.
  CUresult run(CUfunction kernel, const unsigned (&grid)[3], const unsigned (&block)[3],
               unsigned shared_bytes, void** arguments) const;

 private:
  void* library_ = nullptr;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

}  // namespace pycuda::ptx_tests
