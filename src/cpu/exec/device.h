// SPDX-License-Identifier: MIT
// A virtual CUDA device on the CPU: its memory, its limits and the workers that run its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace pycuda::cpu::exec {

enum class MemoryKind : std::uint8_t { Device, PageLocked, Registered, Managed, ModuleGlobal, Pool };

/// A live allocation as the address table knows it.
struct Allocation {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;      ///< as asked for
  MemoryKind kind{};
  int device = 0;
  void* owner = nullptr;        ///< the context it was made in (opaque here)
  std::uint64_t id = 0;         ///< never repeats in a process
};

/// All allocations of the process, by address. Any thread.
class AddressTable {
 public:
  static AddressTable& instance();
  void insert(const Allocation& allocation);
  std::optional<Allocation> remove(std::uintptr_t begin);
  /// The allocation that holds `address` (one past its end does not count).
  std::optional<Allocation> find(std::uintptr_t address) const;
  /// The allocation nearest to `address`, for messages.
  std::optional<Allocation> nearest(std::uintptr_t address) const;

 private:
  AddressTable();
  struct State;
  std::unique_ptr<State> state_;
};

/// Memory of one virtual device. Every block is followed by an inaccessible page and starts at a multiple of 256 bytes;
/// freed blocks become inaccessible, so that a kernel's stray access faults.
class DeviceMemory {
 public:
  DeviceMemory(int device, std::uint64_t limit_bytes);
  ~DeviceMemory();
  /// Zero-filled; null when the device's limit or the machine's memory is exhausted. Enters it in the AddressTable.
  void* allocate(std::uint64_t bytes, MemoryKind kind, void* owner, std::uint64_t alignment = 256);
  /// False when `memory` is no block of this device.
  bool release(void* memory);
  std::uint64_t free_bytes() const;
  std::uint64_t total_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pycuda::cpu::exec
