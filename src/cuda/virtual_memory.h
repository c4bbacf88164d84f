// SPDX-License-Identifier: MIT
// Virtual memory management: physical memory, and reserved addresses to which it is mapped.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "cuda/context.h"

namespace pycuda::cuda {

/// What sizes and addresses of memory at this place must be multiples of.
std::size_t allocation_granularity(const CUmemLocation& place,
                                   CUmemAllocationGranularity_flags flags);

/// Given back when it and all its mappings are gone. No context owns it: its end changes nothing.
class PhysicalMemory {
 public:
  /// `bytes` are a multiple of the granularity; `handle_types` are CU_MEM_HANDLE_TYPE_*, `usage`
  /// CU_MEM_CREATE_USAGE_*.
  PhysicalMemory(std::size_t bytes, const CUmemLocation& place,
                 CUmemAllocationHandleType handle_types, unsigned short usage = 0);
  /// Another process's, by a file descriptor that stays the caller's. The driver does not tell the
  /// size.
  static PhysicalMemory from_descriptor(int descriptor, std::size_t bytes);
  /// What is mapped at an address, `bytes` of it.
  static PhysicalMemory of_address(CUdeviceptr address, std::size_t bytes);
  /// What a handle stands for, which is taken over: also a multicast object.
  static PhysicalMemory adopt(CUmemGenericAllocationHandle handle, std::size_t bytes);
  PhysicalMemory(PhysicalMemory&& other) noexcept;
  PhysicalMemory& operator=(PhysicalMemory&&) = delete;
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  ~PhysicalMemory();

  std::size_t bytes() const { return bytes_; }
  /// 0 once released.
  CUmemGenericAllocationHandle handle() const { return handle_; }
  /// The handle; throws once released.
  CUmemGenericAllocationHandle require_handle() const;
  CUmemAllocationProp properties() const;
  /// A new file descriptor, the caller's.
  int share() const;
  void release();

 private:
  PhysicalMemory(ContextPtr context, std::size_t bytes)
      : context_(std::move(context)), bytes_(bytes) {}
  const driver::DriverTable& driver() const { return context_->driver(); }

  ContextPtr context_;
  CUmemGenericAllocationHandle handle_ = 0;
  std::size_t bytes_;
};

/// Reserved addresses. When they go, what is mapped there is unmapped, after the context's work.
class ReservedAddresses {
 public:
  /// `alignment` is a power of two or 0, `wanted` where they should be or 0.
  ReservedAddresses(std::size_t bytes, std::size_t alignment, CUdeviceptr wanted);
  ReservedAddresses(ReservedAddresses&& other) noexcept;
  ReservedAddresses& operator=(ReservedAddresses&&) = delete;
  ReservedAddresses(const ReservedAddresses&) = delete;
  ReservedAddresses& operator=(const ReservedAddresses&) = delete;
  ~ReservedAddresses();

  /// 0 once freed.
  CUdeviceptr address() const { return begin_; }
  std::size_t bytes() const { return bytes_; }
  const ContextPtr& context() const { return context_; }
  /// The sizes of what is mapped, by offset.
  const std::map<std::size_t, std::size_t>& mapped() const { return mapped_; }

  /// Maps all of the memory, without any access.
  void map(std::size_t offset, const PhysicalMemory& memory);
  /// The range consists of whole mappings.
  void set_access(std::size_t offset, std::size_t bytes, const CUmemLocation& place,
                  CUmemAccess_flags flags) const;
  CUmemAccess_flags access(std::size_t offset, const CUmemLocation& place) const;
  /// Unmaps what was mapped at `offset`, when the context's work is done.
  void unmap(std::size_t offset);
  void free();

 private:
  CUdeviceptr require_address() const;
  std::size_t mapped_bytes_at(std::size_t offset) const;
  CUresult give_back() noexcept;

  ContextPtr context_;
  CUdeviceptr begin_ = 0;
  std::size_t bytes_;
  std::map<std::size_t, std::size_t> mapped_;
};

}  // namespace pycuda::cuda
