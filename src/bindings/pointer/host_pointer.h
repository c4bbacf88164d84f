// SPDX-License-Identifier: MIT
// The Python classes for host memory: bases of NumPy arrays.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "bindings/gil/released.h"
#include "cuda/host_memory.h"
#include "cuda/memory_pool.h"
#include "driver/error.h"

namespace pycuda::bindings {

/// Host memory that exports itself by the buffer protocol.
class HostPointer {
 public:
  HostPointer() = default;
  HostPointer(const HostPointer&) = delete;
  HostPointer& operator=(const HostPointer&) = delete;
  virtual ~HostPointer() = default;

  /// Null once freed.
  virtual void* data() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual bool read_only() const { return false; }
  /// Where the device sees it. Throws for memory that it does not see.
  virtual CUdeviceptr device_address() const = 0;
};

/// Of a resource with data(), bytes() and free().
template <class Memory>
class HostAllocationOf : public HostPointer {
 public:
  explicit HostAllocationOf(Memory memory) : memory_(std::move(memory)) {}
  ~HostAllocationOf() override {
    without_gil_if_possible([this] { memory_.reset(); });
  }
  void* data() const override { return memory_->data(); }
  std::size_t bytes() const override { return memory_->bytes(); }
  Memory& memory() { return *memory_; }

 protected:
  std::optional<Memory> memory_;
};

class PageLockedAllocation : public HostAllocationOf<cuda::Viewed<cuda::PageLockedMemory>> {
 public:
  explicit PageLockedAllocation(cuda::PageLockedMemory memory)
      : HostAllocationOf(cuda::Viewed(std::move(memory))) {}
  CUdeviceptr device_address() const override { return memory_->device_address(); }
};

class AlignedAllocation : public HostAllocationOf<cuda::AlignedMemory> {
 public:
  using HostAllocationOf::HostAllocationOf;
  CUdeviceptr device_address() const override;
};

/// Memory that another object owns, page-locked while this lives.
class RegisteredAllocation : public HostAllocationOf<cuda::RegisteredMemory> {
 public:
  RegisteredAllocation(cuda::RegisteredMemory memory, nanobind::object owner, bool read_only)
      : HostAllocationOf(std::move(memory)), owner_(std::move(owner)), read_only_(read_only) {}
  ~RegisteredAllocation() override {
    // Before the owner lets go of the memory.
    without_gil_if_possible([this] { memory_.reset(); });
  }
  CUdeviceptr device_address() const override { return memory_->device_address(); }
  bool read_only() const override { return read_only_; }
  const nanobind::object& owner() const { return owner_; }

 private:
  nanobind::object owner_;
  bool read_only_;
};

class PooledHostAllocation : public HostPointer {
 public:
  explicit PooledHostAllocation(cuda::PooledPageLockedMemory block) : block_(std::move(block)) {}
  ~PooledHostAllocation() override {
    without_gil_if_possible([this] { block_.reset(); });
  }
  void* data() const override { return block_->pointer(); }
  std::size_t bytes() const override { return block_->bytes(); }
  CUdeviceptr device_address() const override;
  void free() { block_->free(); }

 private:
  std::optional<cuda::Viewed<cuda::PooledPageLockedMemory>> block_;
};

}  // namespace pycuda::bindings
