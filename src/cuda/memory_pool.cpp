// SPDX-License-Identifier: MIT
// The pool, and the blocks on loan from it.
#include "cuda/memory_pool.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

namespace pycuda::cuda {

using driver::DriverError;

namespace {

template <class Pointer>
CUdeviceptr address_of(Pointer pointer) {
  if constexpr (std::is_pointer_v<Pointer>)
    return reinterpret_cast<CUdeviceptr>(pointer);
  else
    return pointer;
}

}  // namespace

template <class Source>
PooledBlock<Source> MemoryPool<Source>::allocate(std::size_t bytes) {
  BinNumber bin = bin_number(bytes);
  std::optional<Entry> entry;
  std::vector<Entry> gone;  // with their context; dropped outside of the lock
  {
    const std::lock_guard lock(mutex_);
    entry = take_held(bin, bytes, &gone);
    if (entry) {
      ++active_blocks_;
      active_bytes_ += bytes;
    }
  }
  if (!entry) {
    entry.emplace(allocate_new(bin, bytes));
    const std::lock_guard lock(mutex_);
    managed_bytes_ += entry->block.bytes();
    ++active_blocks_;
    active_bytes_ += bytes;
  }
  entry->use.set(bytes);
  if constexpr (requires { entry->block.count_as(bytes); }) entry->block.count_as(bytes);
  return PooledBlock<Source>(this->shared_from_this(), std::move(*entry), bin, bytes);
}

template <class Source>
auto MemoryPool<Source>::take_held(BinNumber bin, std::size_t asked_bytes, std::vector<Entry>* gone)
    -> std::optional<Entry> {
  const auto held = held_.find(bin);
  const Context* const place = Source::place();
  if (held == held_.end() || held->second.empty()) return std::nullopt;
  std::optional<Entry> taken;
  std::vector<Entry>& entries = held->second;
  const bool is_checked = checks_accesses(entries.back().block.context()->driver());
  for (auto last = entries.end(); !taken && last != entries.begin();) {
    --last;
    const Context* const own = last->block.context().get();
    if (!own->valid()) {
      managed_bytes_ -= last->block.bytes();
      gone->push_back(std::move(*last));
    } else if (!serves(last->block, asked_bytes, is_checked) ||
               (place != nullptr && place != own)) {
      continue;
    } else {
      taken.emplace(std::move(*last));
    }
    last = entries.erase(last);
    --held_blocks_;
  }
  return taken;
}

template <class Source>
bool MemoryPool<Source>::serves(const Block& held, std::size_t asked_bytes, bool is_checked) const {
  // Blocks that were allocated while accesses were checked are shorter than those of their bin.
  if (!is_checked) return held.bytes() >= asked_bytes;
  return keeping_ == Keeping::ForGraph && held.bytes() == std::max<std::size_t>(asked_bytes, 1);
}

template <class Source>
auto MemoryPool<Source>::allocate_new(BinNumber& bin, std::size_t asked_bytes) -> Entry {
  Block block = allocate_block(bin, asked_bytes, checks_accesses(require_context()->driver()));
  const CUdeviceptr address = address_of(Source::pointer(block));
  return Entry(std::move(block), address);
}

template <class Source>
typename Source::Block MemoryPool<Source>::allocate_block(BinNumber& bin, std::size_t asked_bytes,
                                                          bool exact) {
  std::size_t bytes = exact ? std::max<std::size_t>(asked_bytes, 1) : bin_bytes(bin);
  // The hook runs once, and may bring blocks back to this pool; then it is the held blocks' turn.
  OnPressure on_pressure = OnPressure::Relieve;
  for (;;) {
    try {
      return source_.allocate(bytes, std::exchange(on_pressure, OnPressure::Fail));
    } catch (const DriverError& error) {
      if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    }
    if (keeping_ == Keeping::ForReuse && largest_held()) continue;
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
auto MemoryPool<Source>::largest_held() -> std::optional<Entry> {
  const std::lock_guard lock(mutex_);
  for (auto bin = held_.rbegin(); bin != held_.rend(); ++bin) {
    if (bin->second.empty()) continue;
    std::optional<Entry> entry(std::move(bin->second.back()));
    bin->second.pop_back();
    --held_blocks_;
    managed_bytes_ -= entry->block.bytes();
    return entry;
  }
  return std::nullopt;
}

template <class Source>
void MemoryPool<Source>::take_back(Entry entry, BinNumber bin, std::size_t asked_bytes,
                                   bool is_checked) noexcept {
  const bool keeps = keeping_ == Keeping::ForGraph || !is_checked;
  const std::lock_guard lock(mutex_);
  --active_blocks_;
  active_bytes_ -= asked_bytes;
  const std::size_t bytes = entry.block.bytes();
  if (holding_ && keeps) {
    try {
      if (keeping_ == Keeping::ForReuse) entry.use.set_pooled();
      held_[bin].push_back(std::move(entry));
      ++held_blocks_;
      return;
    } catch (...) {  // no room to remember it: the block goes back to the driver
    }
  }
  managed_bytes_ -= bytes;
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
  if (entry_) give_back(checks_accesses(entry_->block.context()->driver()));
}

template <class Source>
void PooledBlock<Source>::give_back(bool is_checked) noexcept {
  if (!entry_) return;
  Entry entry = std::move(*entry_);
  entry_.reset();
  pool_->take_back(std::move(entry), bin_, bytes_, is_checked);
}

template <class Source>
void PooledBlock<Source>::free() {
  if (!entry_) {
    throw DriverError("pooled_device_allocation::free", CUDA_ERROR_INVALID_HANDLE,
                      "it has been released before");
  }
  give_back();
}

template class MemoryPool<DeviceBlocks>;
template class MemoryPool<PageLockedBlocks>;
template class PooledBlock<DeviceBlocks>;
template class PooledBlock<PageLockedBlocks>;

}  // namespace pycuda::cuda
