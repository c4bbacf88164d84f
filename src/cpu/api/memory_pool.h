// SPDX-License-Identifier: MIT
// A memory pool: the bookkeeping of stream-ordered allocations. Each allocation itself comes from
// the device or the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/device.h"
#include "cpu/exec/shared_pages.h"

namespace pycuda::cpu::api {

class VirtualDevice;

/// Whether cuMemPoolCreate makes pools of this kind at this place: device memory; page-locked
/// memory of the host or of its only NUMA node; managed memory anywhere.
bool is_pool_place(CUmemAllocationType type, const CUmemLocation& place);

class MemoryPool {
 public:
  /// `device` is the one that the pool's blocks are counted against. is_pool_place must be true.
  MemoryPool(VirtualDevice& device, std::uint64_t limit_bytes,
             CUmemAllocationType type = CU_MEM_ALLOCATION_TYPE_PINNED);
  MemoryPool(VirtualDevice& device, std::uint64_t limit_bytes, CUmemAllocationType type,
             const CUmemLocation& place);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  CUmemoryPool handle() const { return handle_; }
  VirtualDevice& device() const { return device_; }
  CUmemAllocationType type() const { return type_; }
  const CUmemLocation& place() const { return place_; }
  /// Whether other processes may have it (cuMemPoolExportToShareableHandle): what tells them of
  /// it. Null for other pools.
  const exec::SharedPages* shared() const { return shared_ ? &*shared_ : nullptr; }
  /// Pointers can be exported once the pool has been.
  void note_export() { exported_ = true; }
  bool is_exported() const { return exported_; }
  /// Another pool's name, if this is what an exported pool was imported as: it gives no memory, it
  /// only takes pointers.
  const std::optional<exec::PagesName>& origin() const { return origin_; }
  /// Lets it be exported, before it is used. False where the system has nothing for that.
  CUresult become_shared();
  void become_import_of(const exec::PagesName& pool) { origin_ = pool; }
  /// Where its blocks come from.
  exec::DeviceMemory& memory() const;
  /// A block of an exported pool, opened here by its name.
  CUresult open(const exec::PagesName& block, void** memory);

  /// What cuMemAllocAsync may take from: a device's own memory.
  bool is_of_device_memory() const { return kind() == exec::MemoryKind::Pool; }

  CUresult get_access(const CUmemLocation& from, CUmemAccess_flags* flags) const;
  /// Whether set_access may be called with it.
  CUresult check_access(const CUmemAccessDesc& access) const;
  void set_access(const CUmemAccessDesc& access);

  /// Null when the pool's limit or the device is exhausted.
  void* allocate(std::uint64_t bytes);
  /// The block leaves the account and the device. Nothing else may use it any more.
  void release(void* memory, std::uint64_t bytes);

  CUresult get(CUmemPool_attribute attribute, void* value) const;
  CUresult set(CUmemPool_attribute attribute, const void* value);

 private:
  exec::MemoryKind kind() const;

  VirtualDevice& device_;
  std::uint64_t limit_bytes_;
  CUmemAllocationType type_;
  CUmemLocation place_;
  CUmemoryPool handle_;
  std::optional<exec::SharedPages> shared_;
  std::atomic<bool> exported_ = false;
  std::optional<exec::PagesName> origin_;
  mutable std::mutex mutex_;  // protects what follows
  std::uint64_t used_bytes_ = 0;
  std::uint64_t used_high_bytes_ = 0;
  std::uint64_t reserved_high_bytes_ = 0;
  std::uint64_t release_threshold_bytes_ = 0;
  int reuse_follow_events_ = 1;
  int reuse_opportunistic_ = 1;
  int reuse_internal_ = 1;
  /// What programs have set, by CUmemLocationType and number of the device. It decides on copies
  /// (pool_access.h); kernels reach all memory from everywhere.
  std::map<std::pair<int, int>, CUmemAccess_flags> access_;
};

/// Makes a pool that the program owns.
CUresult create_pool(VirtualDevice& device, const CUmemPoolProps& properties, CUmemoryPool* pool);
/// Makes a pool of what another process exported.
CUmemoryPool import_pool(VirtualDevice& device, const exec::PagesName& name);
/// A block of an imported pool becomes one that cuMemFreeAsync takes.
CUresult import_pool_block(MemoryPool& pool, const exec::PagesName& name, CUdeviceptr* pointer);
/// Frees a block of any pool: at once. False when `memory` is not a live block of a pool.
bool release_pool_block(void* memory);
/// The pool a block came from, or null.
CUmemoryPool pool_of(const void* memory);
/// The same as an object, also of a pool that was destroyed before its blocks were freed.
std::shared_ptr<const MemoryPool> find_pool_of(const void* memory);

}  // namespace pycuda::cpu::api
