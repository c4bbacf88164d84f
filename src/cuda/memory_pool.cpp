// SPDX-License-Identifier: MIT
// The pool, and the blocks on loan from it.
#include "cuda/memory_pool.h"

#include <string>
#include <utility>

namespace pycuda::cuda {

using driver::DriverError;

template <class Source>
PooledBlock<Source> MemoryPool<Source>::allocate(std::size_t bytes) {
  BinNumber bin = bin_number(bytes);
  const Context* const place = Source::place();
  std::optional<Block> block;
  std::vector<Block> gone;  // with their context; dropped outside of the lock
  {
    const std::lock_guard lock(mutex_);
    if (const auto held = held_.find(bin); held != held_.end()) {
      std::vector<Block>& blocks = held->second;
      for (auto last = blocks.end(); !block && last != blocks.begin();) {
        --last;
        const Context* const own = last->context().get();
        if (!own->valid()) {
          gone.push_back(std::move(*last));
          managed_bytes_ -= bin_bytes(bin);
        } else if (place == nullptr || place == own) {
          block.emplace(std::move(*last));
          ++active_blocks_;
          active_bytes_ += bytes;
        } else {
          continue;
        }
        last = blocks.erase(last);
        --held_blocks_;
      }
    }
  }
  if (!block) {
    block.emplace(allocate_new(bin, bytes));
    const std::lock_guard lock(mutex_);
    managed_bytes_ += bin_bytes(bin);
    ++active_blocks_;
    active_bytes_ += bytes;
  }
  return PooledBlock<Source>(this->shared_from_this(), std::move(block), bin, bytes);
}

template <class Source>
typename Source::Block MemoryPool<Source>::allocate_new(BinNumber& bin, std::size_t asked_bytes) {
  std::size_t bytes = bin_bytes(bin);
  // The hook runs once, and may bring blocks back to this pool; then it is the held blocks' turn.
  OnPressure on_pressure = OnPressure::Relieve;
  for (;;) {
    try {
      return source_.allocate(bytes, std::exchange(on_pressure, OnPressure::Fail));
    } catch (const DriverError& error) {
      if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    }
    if (largest_held()) continue;
    // What would serve all that the bin serves is up to a sixteenth more than was asked for. A
    // block of less serves the bin below it once it comes back.
    if (bytes > asked_bytes && asked_bytes > 0 && bin > 0) {
      bytes = asked_bytes;
      --bin;
    } else {
      throw DriverError(
          "memory_pool::allocate", CUDA_ERROR_OUT_OF_MEMORY,
          "failed to free memory for allocation of " + std::to_string(asked_bytes) + " bytes");
    }
  }
}

template <class Source>
std::optional<typename Source::Block> MemoryPool<Source>::largest_held() {
  const std::lock_guard lock(mutex_);
  for (auto bin = held_.rbegin(); bin != held_.rend(); ++bin) {
    if (bin->second.empty()) continue;
    std::optional<Block> block(std::move(bin->second.back()));
    bin->second.pop_back();
    --held_blocks_;
    managed_bytes_ -= bin_bytes(bin->first);
    return block;
  }
  return std::nullopt;
}

template <class Source>
void MemoryPool<Source>::take_back(Block block, BinNumber bin, std::size_t asked_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  --active_blocks_;
  active_bytes_ -= asked_bytes;
  if (holding_) {
    try {
      held_[bin].push_back(std::move(block));
      ++held_blocks_;
      return;
    } catch (...) {  // no room to remember it: the block goes back to the driver
    }
  }
  managed_bytes_ -= bin_bytes(bin);
}

template <class Source>
void MemoryPool<Source>::free_held() {
  // One at a time, outside of the lock: giving memory back may wait for the device.
  while (largest_held()) {
  }
}

template <class Source>
void MemoryPool<Source>::stop_holding() {
  {
    const std::lock_guard lock(mutex_);
    holding_ = false;
  }
  free_held();
}

template <class Source>
std::size_t MemoryPool<Source>::held_blocks() const {
  const std::lock_guard lock(mutex_);
  return held_blocks_;
}

template <class Source>
std::size_t MemoryPool<Source>::active_blocks() const {
  const std::lock_guard lock(mutex_);
  return active_blocks_;
}

template <class Source>
std::size_t MemoryPool<Source>::managed_bytes() const {
  const std::lock_guard lock(mutex_);
  return managed_bytes_;
}

template <class Source>
std::size_t MemoryPool<Source>::active_bytes() const {
  const std::lock_guard lock(mutex_);
  return active_bytes_;
}

template <class Source>
void PooledBlock<Source>::give_back() noexcept {
  if (!block_) return;
  Block block = std::move(*block_);
  block_.reset();
  pool_->take_back(std::move(block), bin_, bytes_);
}

template <class Source>
void PooledBlock<Source>::free() {
  if (!block_) {
    throw DriverError("pooled_device_allocation::free", CUDA_ERROR_INVALID_HANDLE);
  }
  give_back();
}

template class MemoryPool<DeviceBlocks>;
template class MemoryPool<PageLockedBlocks>;
template class PooledBlock<DeviceBlocks>;
template class PooledBlock<PageLockedBlocks>;

}  // namespace pycuda::cuda
