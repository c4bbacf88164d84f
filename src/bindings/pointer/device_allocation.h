// SPDX-License-Identifier: MIT
// The Python classes DeviceAllocation and ManagedAllocation.
#pragma once

#include <optional>
#include <utility>

#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/device_memory.h"
#include "cuda/managed_memory.h"
#include "driver/error.h"

namespace pycuda::bindings {

/// Device memory, freed when collected. `Memory` is the resource of src/cuda.
class DeviceAllocation : public DevicePointer {
 public:
  explicit DeviceAllocation(cuda::DeviceMemory memory) : memory_(std::move(memory)) {}
  /// Allocates in the current context.
  explicit DeviceAllocation(std::size_t bytes) : memory_(std::in_place, bytes) {}
  ~DeviceAllocation() override {
    // cuMemFree waits for work on the memory.
    if (memory_ && memory_->address() != 0) without_gil_if_possible([this] { memory_.reset(); });
  }

  CUdeviceptr address() const override {
    const CUdeviceptr address = memory_ ? memory_->address() : 0;
    if (address == 0) raise_freed();
    cuda::require_alive(memory_->context());
    return address;
  }
  virtual void free() { memory_->free(); }
  virtual std::size_t bytes() const { return memory_->bytes(); }

  /// How many views the host reads and writes it by: it is not freed under them. Protected by the
  /// GIL.
  int views = 0;

 protected:
  DeviceAllocation() = default;
  [[noreturn]] static void raise_freed() {
    throw driver::DriverError("device_allocation", CUDA_ERROR_INVALID_HANDLE,
                              "the memory has been freed");
  }

 private:
  std::optional<cuda::DeviceMemory> memory_;
};

/// Memory that host and device share: also the base of a NumPy array.
class ManagedAllocation : public DeviceAllocation {
 public:
  explicit ManagedAllocation(cuda::ManagedMemory memory) : managed_(std::move(memory)) {}
  ~ManagedAllocation() override {
    without_gil_if_possible([this] { managed_.reset(); });
  }

  CUdeviceptr address() const override {
    if (managed_->address() == 0) raise_freed();
    cuda::require_alive(managed_->context());
    return managed_->address();
  }
  void free() override { managed_->free(); }
  std::size_t bytes() const override { return managed_->bytes(); }
  const cuda::ManagedMemory& memory() const { return *managed_; }

 private:
  std::optional<cuda::Viewed<cuda::ManagedMemory>> managed_;
};

}  // namespace pycuda::bindings
