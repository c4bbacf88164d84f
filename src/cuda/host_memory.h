// SPDX-License-Identifier: MIT
// Host memory that a device can access or that copies fast: page-locked, registered, aligned.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "cuda/device_memory.h"
#include "cuda/owned.h"

namespace pycuda::cuda {

/// The device's address of page-locked or registered host memory that was mapped.
CUdeviceptr device_address(const ContextPtr& context, void* host);

/// Page-locked memory from the driver. CU_MEMHOSTALLOC_* flags. 0 bytes give a block of 1.
class PageLockedMemory {
 public:
  explicit PageLockedMemory(std::size_t bytes, unsigned int flags = 0,
                            OnPressure on_pressure = OnPressure::Relieve);

  void* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  const ContextPtr& context() const { return memory_.context(); }
  CUdeviceptr device_address() const { return cuda::device_address(context(), data()); }
  unsigned int flags() const;
  void free() { memory_.release("pagelocked_host_allocation::free"); }

 private:
  Owned<&driver::DriverTable::cuMemFreeHost> memory_;
  std::size_t bytes_;
};

/// Page-locks memory that someone else owns and keeps alive. CU_MEMHOSTREGISTER_* flags.
class RegisteredMemory {
 public:
  RegisteredMemory(void* data, std::size_t bytes, unsigned int flags = 0);

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const ContextPtr& context() const { return memory_.context(); }
  CUdeviceptr device_address() const { return cuda::device_address(context(), data_); }
  void unregister() { memory_.release("registered_host_memory::free"); }

 private:
  Owned<&driver::DriverTable::cuMemHostUnregister> memory_;
  void* data_;
  std::size_t bytes_;
};

/// Pageable memory at a chosen alignment; needs no context and no driver.
class AlignedMemory {
 public:
  /// `alignment` is a power of two: else "aligned_malloc failed: invalid argument - alignment must
  /// be a power of two".
  AlignedMemory(std::size_t bytes, std::size_t alignment);

  void* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// A second call throws "aligned_host_allocation::free failed: invalid resource handle".
  void free();

 private:
  struct Free {
    void operator()(void* data) const noexcept { std::free(data); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t bytes_;
};

}  // namespace pycuda::cuda
