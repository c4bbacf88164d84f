// SPDX-License-Identifier: MIT
// The driver's stream-ordered allocator: memory is allocated and freed in the order of a stream's
// work.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda/context.h"
#include "cuda/owned.h"

namespace pycuda::cuda {

class StreamOrderedMemory;

/// What a pool is made for.
struct PoolKind {
  CUmemLocation place{};  ///< ignored where `managed` and its type is CU_MEM_LOCATION_TYPE_INVALID
  bool managed = false;
  CUmemAllocationHandleType handle_types = CU_MEM_HANDLE_TYPE_NONE;
  std::size_t most_bytes = 0;  ///< 0: as many as there are
};

/// A pool of the driver's on one device. Blocks keep it alive.
class StreamOrderedPool : public std::enable_shared_from_this<StreamOrderedPool> {
  struct Key {};

 public:
  /// A new pool on the current context's device; freed memory beyond `release_threshold_bytes` goes
  /// back to the device at each synchronisation. "cuMemPoolCreate failed: operation not supported"
  /// where the device has none.
  static std::shared_ptr<StreamOrderedPool> create(std::size_t release_threshold_bytes = 0);
  static std::shared_ptr<StreamOrderedPool> create(const PoolKind& kind);
  /// The device's default pool, which every library shares.
  static std::shared_ptr<StreamOrderedPool> of_device();
  /// The pool that the device's allocations without one come from.
  static std::shared_ptr<StreamOrderedPool> current();
  /// That of a place of memory, device or host: the default one, or the present one of allocations
  /// without a pool. Needs CUDA 13.
  static std::shared_ptr<StreamOrderedPool> of_place(CUmemLocation place, bool current);
  /// A pool that another process shares, by a file descriptor that stays the caller's. It gives no
  /// memory, but opens blocks of that pool.
  static std::shared_ptr<StreamOrderedPool> from_descriptor(int descriptor);

  StreamOrderedPool(Key, ContextPtr context) : pool_(std::move(context)) {}

  CUmemoryPool handle() const { return pool_.get(); }
  const ContextPtr& context() const { return pool_.context(); }

  /// Usable by work put into `stream` from now on.
  StreamOrderedMemory allocate(std::size_t bytes, CUstream stream = nullptr);
  /// Gives memory back to the device, but for so many bytes.
  void trim(std::size_t keep_bytes = 0) const;
  /// The device's allocations without a pool come from it, until that is another one or this goes.
  void make_current() const;
  void make_current_of(CUmemLocation place) const;
  void set_access(const CUmemLocation& place, CUmemAccess_flags flags) const;
  CUmemAccess_flags access(const CUmemLocation& place) const;
  /// A new file descriptor, the caller's, for a pool that was made with such a handle type.
  int share() const;
  /// The block of another process's pool that this one was made of by `from_descriptor`.
  StreamOrderedMemory open(const CUmemPoolPtrExportData& block, std::size_t bytes);
  /// Flags are 0 or 1, sizes are bytes; of CU_MEMPOOL_ATTR_*.
  cuuint64_t attribute(CUmemPool_attribute attribute) const;
  void set_attribute(CUmemPool_attribute attribute, cuuint64_t value) const;
  std::size_t used_bytes() const;
  std::size_t reserved_bytes() const;
  std::size_t release_threshold_bytes() const;
  void set_release_threshold(std::size_t bytes) const;

 private:
  StreamOrderedMemory allocate_for_graph(std::size_t bytes);

  Owned<&driver::DriverTable::cuMemPoolDestroy> pool_;
};

/// A block of such a pool, freed in the order of the stream it was allocated in.
class StreamOrderedMemory {
 public:
  StreamOrderedMemory(StreamOrderedMemory&& other) noexcept;
  StreamOrderedMemory& operator=(StreamOrderedMemory&& other) noexcept;
  ~StreamOrderedMemory();

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  CUstream stream() const { return stream_; }
  const ContextPtr& context() const { return pool_->context(); }
  /// What another process opens it by, where its pool is shared.
  CUmemPoolPtrExportData share() const;
  /// Frees it in `stream` order. A second call throws "stream_ordered_allocation::free failed:
  /// invalid resource handle".
  void free(CUstream stream);
  void free() { free(stream_); }

 private:
  friend class StreamOrderedPool;
  StreamOrderedMemory(std::shared_ptr<StreamOrderedPool> pool, CUstream stream, std::size_t bytes)
      : pool_(std::move(pool)), stream_(stream), bytes_(bytes) {}
  CUresult give_back(CUstream stream) noexcept;
  void drop() noexcept;
  bool postpone_free(CUdeviceptr address) noexcept;

  std::shared_ptr<StreamOrderedPool> pool_;
  CUstream stream_;
  std::size_t bytes_;
  CUdeviceptr address_ = 0;
};

}  // namespace pycuda::cuda
