// SPDX-License-Identifier: MIT
// Keeps freed blocks for later: memory pools over device and page-locked memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda/context_stack.h"
#include "cuda/device_memory.h"
#include "cuda/host_memory.h"
#include "cuda/pool_bins.h"

namespace pycuda::cuda {

/// Where a pool's blocks come from: `Block` owns one, `allocate` throws DriverError with
/// CUDA_ERROR_OUT_OF_MEMORY when there is no more. Neither knows of the pool. `place` is the
/// context that a block must belong to, null for any: page-locked memory serves them all.
struct DeviceBlocks {
  using Block = DeviceMemory;
  using Pointer = CUdeviceptr;
  Block allocate(std::size_t bytes, OnPressure on_pressure) const {
    return DeviceMemory(bytes, on_pressure);
  }
  static Pointer pointer(const Block& block) { return block.address(); }
  static const Context* place() {
    const Context* const current = internal::on_thread.current;
    return current != nullptr ? current : require_context().get();
  }
};
struct PageLockedBlocks {
  using Block = PageLockedMemory;
  using Pointer = void*;
  unsigned int flags = 0;
  Block allocate(std::size_t bytes, OnPressure on_pressure) const {
    return PageLockedMemory(bytes, flags, on_pressure);
  }
  static Pointer pointer(const Block& block) { return block.data(); }
  static const Context* place() { return nullptr; }
};

template <class Source>
class PooledBlock;

/// A freed block is held in its size class and handed out again in its context, last in first out,
/// at once: work that still uses it must be ordered before the next user's, as it is in one stream.
/// When memory is short, the pressure hook runs and then held blocks go back to the driver, largest
/// first. Safe from any thread. Only as `std::shared_ptr`: its blocks keep it alive.
template <class Source>
class MemoryPool : public std::enable_shared_from_this<MemoryPool<Source>> {
 public:
  using Block = typename Source::Block;

  explicit MemoryPool(Source source = {}) : source_(source) {}

  /// A block of at least so many bytes; 0 counts as 1. Throws "memory_pool::allocate failed: out of
  /// memory - failed to free memory for allocation" when nothing helped.
  PooledBlock<Source> allocate(std::size_t bytes);

  /// Gives the held blocks back to the driver.
  void free_held();
  /// The same, and from now on freed blocks go back at once.
  void stop_holding();

  std::size_t held_blocks() const;
  std::size_t active_blocks() const;
  /// Of active and held blocks, as allocated from the driver.
  std::size_t managed_bytes() const;
  /// Of active blocks, as asked for.
  std::size_t active_bytes() const;

 private:
  friend class PooledBlock<Source>;
  void take_back(Block block, BinNumber bin, std::size_t asked_bytes) noexcept;
  /// The block to drop outside of the lock, or none.
  std::optional<Block> largest_held();
  /// `bin` is where the block belongs once it comes back: a lower one where there was no room for a
  /// whole one.
  Block allocate_new(BinNumber& bin, std::size_t asked_bytes);

  const Source source_;
  /// Protects all that follows; never held while the driver is called.
  mutable std::mutex mutex_;
  std::map<BinNumber, std::vector<Block>> held_;
  bool holding_ = true;
  std::size_t held_blocks_ = 0;
  std::size_t active_blocks_ = 0;
  std::size_t managed_bytes_ = 0;
  std::size_t active_bytes_ = 0;
};

/// A block on loan from a pool.
template <class Source>
class PooledBlock {
 public:
  using Block = typename Source::Block;
  using Pointer = typename Source::Pointer;
  PooledBlock(PooledBlock&& other) noexcept
      : pool_(std::move(other.pool_)),
        block_(std::move(other.block_)),
        bin_(other.bin_),
        bytes_(other.bytes_) {
    other.block_.reset();
  }
  PooledBlock& operator=(PooledBlock&& other) noexcept {
    if (this != &other) {
      give_back();
      pool_ = std::move(other.pool_);
      block_ = std::move(other.block_);
      other.block_.reset();
      bin_ = other.bin_;
      bytes_ = other.bytes_;
    }
    return *this;
  }
  ~PooledBlock() { give_back(); }

  /// Null once freed.
  Pointer pointer() const { return block_ ? Source::pointer(*block_) : Pointer{}; }
  /// As asked for.
  std::size_t bytes() const { return bytes_; }
  const std::shared_ptr<MemoryPool<Source>>& pool() const { return pool_; }
  /// Not of a freed one.
  const ContextPtr& context() const { return block_.value().context(); }
  /// Back to the pool. A second call throws "pooled_device_allocation::free failed: invalid
  /// resource handle".
  void free();

 private:
  friend class MemoryPool<Source>;
  PooledBlock(std::shared_ptr<MemoryPool<Source>> pool, std::optional<typename Source::Block> block,
              BinNumber bin, std::size_t bytes)
      : pool_(std::move(pool)), block_(std::move(block)), bin_(bin), bytes_(bytes) {}
  void give_back() noexcept;

  std::shared_ptr<MemoryPool<Source>> pool_;
  std::optional<typename Source::Block> block_;
  BinNumber bin_;
  std::size_t bytes_;
};

extern template class MemoryPool<DeviceBlocks>;
extern template class MemoryPool<PageLockedBlocks>;
extern template class PooledBlock<DeviceBlocks>;
extern template class PooledBlock<PageLockedBlocks>;

using DeviceMemoryPool = MemoryPool<DeviceBlocks>;
using PageLockedMemoryPool = MemoryPool<PageLockedBlocks>;
using PooledDeviceMemory = PooledBlock<DeviceBlocks>;
using PooledPageLockedMemory = PooledBlock<PageLockedBlocks>;

}  // namespace pycuda::cuda
