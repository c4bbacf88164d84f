// SPDX-License-Identifier: MIT
// Host memory with an account per owner.
#include "cpu/exec/device_heap.h"

#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include "cpu/exec/address_table.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/unwritten.h"

namespace pycuda::cpu::exec {
namespace {
constexpr std::align_val_t heap_alignment{16};
}

struct DeviceHeap::State {
  struct Account {
    std::uint64_t limit = default_limit_bytes;
    std::uint64_t used = 0;
  };
  struct Block {
    const void* owner;
    std::uint64_t bytes;
  };
  mutable std::mutex mutex;  ///< protects both maps
  std::unordered_map<const void*, Account> accounts;
  std::unordered_map<void*, Block> blocks;

  static void discard(void* memory) {
    AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(memory));
    ::operator delete(memory, heap_alignment);
  }
};

DeviceHeap::DeviceHeap() : state_(new State) {}

DeviceHeap& DeviceHeap::instance() {
  static DeviceHeap* const heap = new DeviceHeap;
  return *heap;
}

void* DeviceHeap::allocate(const void* owner, std::uint64_t bytes) {
  if (bytes == 0) return nullptr;
  const std::unique_lock lock(state_->mutex);
  State::Account& account = state_->accounts[owner];
  // The limit may have been lowered below what is used.
  if (account.used > account.limit || bytes > account.limit - account.used) return nullptr;
  void* const memory = ::operator new(bytes, heap_alignment, std::nothrow);
  if (memory == nullptr) return nullptr;
  fill_fresh(memory, bytes);
  account.used += bytes;
  state_->blocks.emplace(memory, State::Block{owner, bytes});
  AddressTable::instance().insert({reinterpret_cast<std::uintptr_t>(memory), bytes,
                                   MemoryKind::DeviceHeap, 0, const_cast<void*>(owner), 0});
  return memory;
}

bool DeviceHeap::release(void* memory) {
  if (memory == nullptr) return true;
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->blocks.find(memory);
  if (found == state_->blocks.end()) return false;
  state_->accounts[found->second.owner].used -= found->second.bytes;
  state_->blocks.erase(found);
  State::discard(memory);
  return true;
}

void DeviceHeap::set_limit(const void* owner, std::uint64_t bytes) {
  const std::unique_lock lock(state_->mutex);
  state_->accounts[owner].limit = bytes;
}

std::uint64_t DeviceHeap::limit(const void* owner) const {
  const std::unique_lock lock(state_->mutex);
  const auto found = state_->accounts.find(owner);
  return found == state_->accounts.end() ? default_limit_bytes : found->second.limit;
}

void DeviceHeap::release_all(const void* owner) {
  const std::unique_lock lock(state_->mutex);
  for (auto block = state_->blocks.begin(); block != state_->blocks.end();) {
    if (block->second.owner == owner) {
      State::discard(block->first);
      block = state_->blocks.erase(block);
    } else {
      ++block;
    }
  }
  state_->accounts.erase(owner);
}

}  // namespace pycuda::cpu::exec
