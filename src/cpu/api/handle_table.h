// SPDX-License-Identifier: MIT
// Handles that can be validated: an opaque CUDA handle is the address of a slot that points to the
// object.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>

namespace pycuda::cpu::api {

/// All live handles of one type. `find` takes any bits whatever and never touches memory that is
/// not the table's, so a stale or wild handle is an answer, not a crash. A slot is used again only
/// after many others, so that a stale handle seldom meets a new object. Any thread; `find` takes no
/// lock.
template <class Object, class Handle>
class HandleTable {
 public:
  explicit HandleTable(std::size_t capacity) : capacity_(capacity) {
    void* memory = mmap(nullptr, capacity * sizeof(Slot), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    slots_ = static_cast<Slot*>(memory);  // fresh pages are zero: every slot is empty
  }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable() { munmap(slots_, capacity_ * sizeof(Slot)); }

  /// A new handle for `object`. Throws std::bad_alloc when all slots are taken.
  Handle insert(Object* object) {
    const std::lock_guard lock(mutex_);
    std::size_t index = 0;
    if (free_.size() > quarantine || (used_ == capacity_ && !free_.empty())) {
      index = free_.front();
      free_.pop_front();
    } else if (used_ < capacity_) {
      index = used_++;
    } else {
      throw std::bad_alloc();
    }
    slots_[index].object.store(object, std::memory_order_release);
    return reinterpret_cast<Handle>(&slots_[index]);
  }

  /// The object, or null when `handle` is none of ours or its object is gone.
  Object* find(Handle handle) const noexcept {
    const Slot* slot = slot_of(handle);
    return slot != nullptr ? slot->object.load(std::memory_order_acquire) : nullptr;
  }

  /// True when `handle` was once given out by this table.
  bool ever_valid(Handle handle) const {
    const std::lock_guard lock(mutex_);
    const Slot* slot = slot_of(handle);
    return slot != nullptr && static_cast<std::size_t>(slot - slots_) < used_;
  }

  /// Makes `handle` stale and returns its object; null when it already was.
  Object* erase(Handle handle) {
    Slot* slot = slot_of(handle);
    Object* object =
        slot != nullptr ? slot->object.exchange(nullptr, std::memory_order_acq_rel) : nullptr;
    if (object != nullptr) {
      const std::lock_guard lock(mutex_);
      free_.push_back(static_cast<std::size_t>(slot - slots_));
    }
    return object;
  }

  /// Makes `handle` stale if it still stands for `object`: its slot may be another's by now.
  void erase(Handle handle, Object* object) {
    Slot* slot = slot_of(handle);
    if (slot == nullptr ||
        !slot->object.compare_exchange_strong(object, nullptr, std::memory_order_acq_rel))
      return;
    const std::lock_guard lock(mutex_);
    free_.push_back(static_cast<std::size_t>(slot - slots_));
  }

  /// Lets a handle that stays reserved (a device's primary context) point to `object` from now on,
  /// or to nothing.
  void rebind(Handle handle, Object* object) noexcept {
    Slot* slot = slot_of(handle);
    assert(slot != nullptr);
    slot->object.store(object, std::memory_order_release);
  }

 private:
  struct alignas(16) Slot {
    std::atomic<Object*> object;
  };
  static constexpr std::size_t quarantine = 65536;

  Slot* slot_of(Handle handle) const noexcept {
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(slots_);
    if (offset >= capacity_ * sizeof(Slot) || offset % sizeof(Slot) != 0) return nullptr;
    return &slots_[offset / sizeof(Slot)];
  }

  Slot* slots_ = nullptr;
  std::size_t capacity_;
  mutable std::mutex mutex_;      // protects used_ and free_
  std::size_t used_ = 0;          // slots ever given out
  std::deque<std::size_t> free_;  // oldest first
};

}  // namespace pycuda::cpu::api
