// SPDX-License-Identifier: MIT
// Virtual memory management: handles of physical memory, and reserved address ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/address_space.h"
#include "cpu/exec/multicast.h"
#include "cpu/exec/physical_memory.h"

namespace pycuda::cpu::api {

struct MemoryHandleSlot;

/// What a CUmemGenericAllocationHandle stands for: released as often as it was given out. Mappings
/// keep it too, so that the same number can be had again from them.
class MemoryHandle : public std::enable_shared_from_this<MemoryHandle> {
  struct Key {};

 public:
  /// A new handle, given out once.
  static CUmemGenericAllocationHandle give(exec::PhysicalMemory::Pointer memory);
  static CUmemGenericAllocationHandle give(exec::Multicast::Pointer multicast);
  /// The object of a handle that was given out more often than released, or null.
  static std::shared_ptr<MemoryHandle> find(CUmemGenericAllocationHandle handle);
  /// One less; false when it is none.
  static bool release(CUmemGenericAllocationHandle handle);

  MemoryHandle(Key, exec::PhysicalMemory::Pointer memory, exec::Multicast::Pointer multicast);
  MemoryHandle(const MemoryHandle&) = delete;
  MemoryHandle& operator=(const MemoryHandle&) = delete;
  ~MemoryHandle();

  /// Gives it out once more.
  CUmemGenericAllocationHandle retain();
  /// One of both is null.
  const exec::PhysicalMemory::Pointer& memory() const { return memory_; }
  const exec::Multicast::Pointer& multicast() const { return multicast_; }

 private:
  exec::PhysicalMemory::Pointer memory_;
  exec::Multicast::Pointer multicast_;
  MemoryHandleSlot* slot_;
  unsigned references_ = 0;  // protected by the handles' mutex
};

/// Whether memory can be made with these properties, and the code and reason when not.
CUresult check_properties(const CUmemAllocationProp& properties);
/// The object of a handle that stands for memory, or null.
std::shared_ptr<MemoryHandle> find_memory(CUmemGenericAllocationHandle handle);
/// Work that was launched before may still use what leaves its addresses.
CUresult wait_for_mapped_work();
/// The place as the address space knows it.
std::pair<int, int> place_of(const CUmemLocation& location);
std::optional<exec::PageAccess> access_of(CUmemAccess_flags flags);
CUmemAccess_flags flags_of(exec::PageAccess access);

}  // namespace pycuda::cpu::api
