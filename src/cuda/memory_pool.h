// SPDX-License-Identifier: MIT
// Keeps freed blocks for later: memory pools over device and page-locked memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda/block_use.h"
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

/// A block of the driver's and what is used of it.
template <class Block>
class PoolEntry {
 public:
  PoolEntry(Block made, CUdeviceptr address)
      : block(std::move(made)), use(block.context(), address) {}
  PoolEntry(PoolEntry&&) noexcept = default;
  /// Swaps: a use must end before its block goes.
  PoolEntry& operator=(PoolEntry&& other) noexcept {
    std::swap(block, other.block);
    std::swap(use, other.use);
    return *this;
  }

  Block block;
  BlockUse use;
};

/// What a pool keeps freed blocks for. A graph's blocks are used by each of its launches, also
/// those that the program has freed.
enum class Keeping { ForReuse, ForGraph };

template <class Source>
class PooledBlock;

/// A freed block is held in its size class and handed out again in its context, last in first out,
/// at once: work that still uses it must be ordered before the next user's, as it is in one stream.
/// When memory is short, the pressure hook runs and then held blocks go back to the driver, largest
/// first. Safe from any thread. Only as `std::shared_ptr`: its blocks keep it alive.
/// While the driver checks every access, blocks are as large as was asked for. They go back to the
/// driver when they are freed, a graph's when the pool goes; those serve again for the same size.
template <class Source>
class MemoryPool : public std::enable_shared_from_this<MemoryPool<Source>> {
 public:
  using Block = typename Source::Block;
  using Entry = PoolEntry<Block>;

  explicit MemoryPool(Source source = {}, Keeping keeping = Keeping::ForReuse)
      : source_(source), keeping_(keeping) {}

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
  void take_back(Entry entry, BinNumber bin, std::size_t asked_bytes, bool is_checked) noexcept;
  /// A block to hand out again, or none; those of contexts that are gone are moved to `gone`.
  std::optional<Entry> take_held(BinNumber bin, std::size_t asked_bytes, std::vector<Entry>* gone);
  /// Whether a held block may be handed out for so many bytes. While the driver checks every access
  /// it may not, but for a graph's.
  bool serves(const Block& held, std::size_t asked_bytes, bool is_checked) const;
  /// The block to drop outside of the lock, or none.
  std::optional<Entry> largest_held();
  /// `bin` is where the block belongs once it comes back: a lower one where there was no room for a
  /// whole one.
  Entry allocate_new(BinNumber& bin, std::size_t asked_bytes);
  Block allocate_block(BinNumber& bin, std::size_t asked_bytes, bool exact);

  const Source source_;
  const Keeping keeping_;
  /// Protects all that follows; never held while the driver is called.
  mutable std::mutex mutex_;
  std::map<BinNumber, std::vector<Entry>> held_;
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
  using Entry = PoolEntry<typename Source::Block>;
  using Pointer = typename Source::Pointer;
  PooledBlock(PooledBlock&& other) noexcept
      : pool_(std::move(other.pool_)),
        entry_(std::move(other.entry_)),
        bin_(other.bin_),
        bytes_(other.bytes_) {
    other.entry_.reset();
  }
  PooledBlock& operator=(PooledBlock&& other) noexcept {
    if (this != &other) {
      give_back();
      pool_ = std::move(other.pool_);
      entry_ = std::move(other.entry_);
      other.entry_.reset();
      bin_ = other.bin_;
      bytes_ = other.bytes_;
    }
    return *this;
  }
  ~PooledBlock() { give_back(); }

  /// Null once freed.
  Pointer pointer() const { return entry_ ? Source::pointer(entry_->block) : Pointer{}; }
  /// As asked for.
  std::size_t bytes() const { return bytes_; }
  const std::shared_ptr<MemoryPool<Source>>& pool() const { return pool_; }
  /// Not of a freed one.
  const ContextPtr& context() const {
    if (!entry_) throw std::bad_optional_access();
    return entry_->block.context();
  }
  /// Back to the pool. A second call throws "pooled_device_allocation::free failed: invalid
  /// resource handle".
  void free();
  /// Back to the pool, if it is not freed; `is_checked` is what `checks_accesses` has said, and
  /// unless that is true the driver is not called while the pool holds blocks.
  void give_back(bool is_checked) noexcept;

 private:
  friend class MemoryPool<Source>;
  PooledBlock(std::shared_ptr<MemoryPool<Source>> pool, Entry entry, BinNumber bin,
              std::size_t bytes)
      : pool_(std::move(pool)), entry_(std::move(entry)), bin_(bin), bytes_(bytes) {}
  void give_back() noexcept;

  std::shared_ptr<MemoryPool<Source>> pool_;
  std::optional<Entry> entry_;
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
