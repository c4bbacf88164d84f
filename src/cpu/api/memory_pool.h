// SPDX-License-Identifier: MIT
// A memory pool: an account of stream-ordered allocations. The bytes themselves come from the
// device one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

class VirtualDevice;

class MemoryPool {
 public:
  MemoryPool(VirtualDevice& device, std::uint64_t limit_bytes);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  CUmemoryPool handle() const { return handle_; }
  VirtualDevice& device() const { return device_; }

  /// Null when the pool's limit or the device is exhausted.
  void* allocate(std::uint64_t bytes);
  /// The block leaves the account and the device. Nothing else may use it any more.
  void release(void* memory, std::uint64_t bytes);

  CUresult get(CUmemPool_attribute attribute, void* value) const;
  CUresult set(CUmemPool_attribute attribute, const void* value);

 private:
  VirtualDevice& device_;
  std::uint64_t limit_bytes_;
  CUmemoryPool handle_;
  mutable std::mutex mutex_;  // protects what follows
  std::uint64_t used_bytes_ = 0;
  std::uint64_t used_high_bytes_ = 0;
  std::uint64_t reserved_high_bytes_ = 0;
  std::uint64_t release_threshold_bytes_ = 0;
  int reuse_follow_events_ = 1;
  int reuse_opportunistic_ = 1;
  int reuse_internal_ = 1;
};

/// Frees a block of any pool: at once. False when `memory` is no live block of a pool.
bool release_pool_block(void* memory);
/// The pool a block came from, or null.
CUmemoryPool pool_of(const void* memory);

}  // namespace pycuda::cpu::api
