// SPDX-License-Identifier: MIT
// Every allocation of the process that device code may use, by address.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace pycuda::cpu::exec {

enum class MemoryKind : std::uint8_t {
  Device,
  PageLocked,
  Registered,
  Managed,
  ModuleGlobal,
  ModuleConstant,  ///< a .const variable
  Pool,
  ManagedPool,
  HostPool,
  Mapped,            ///< cuMemMap's, of a device
  MappedHost,        ///< the same of the host
  Opened,            ///< another process's, opened by a handle
  External,          ///< another library's, by a descriptor
  DeviceHeap,        ///< malloc of device code
  Graphics,          ///< a mapped buffer's or image's of OpenGL
  Array,             ///< of cuArrayCreate: laid out as the driver likes
  GridWorkspace,     ///< the executor's own: a cooperative launch's barrier
  LaunchParameters,  ///< of a launch that a kernel prepares
  Texts,             ///< of errors, for device code
};

/// In messages, such as "device memory".
const char* kind_name(MemoryKind kind);

/// A live allocation as the address table knows it.
struct Allocation {
  std::uintptr_t begin = 0;
  std::uint64_t bytes = 0;  ///< as asked for
  MemoryKind kind{};
  int device = 0;
  void* owner = nullptr;  ///< the context it was made in (opaque here)
  std::uint64_t id = 0;   ///< never repeats in a process; `insert` gives one when it is 0
  /// Set by the table: how many of the bytes, from the first on, are in use, or were.
  std::uint64_t used_bytes = 0;
  bool pooled = false;  ///< set by the table: a pool keeps the block, which is unused
};

/// All allocations of the process, by address. Any thread.
class AddressTable {
 public:
  static AddressTable& instance();
  /// Allocations do not overlap; one that begins where another does replaces it.
  void insert(const Allocation& allocation);
  std::optional<Allocation> remove(std::uintptr_t begin);
  /// From now on `*bytes` says how many bytes of the allocation that begins there are used. With
  /// `pooled_block` in it none is; the other bits say how many were. Null ends that; the last
  /// number stays. False if there is none.
  bool watch_use(std::uintptr_t begin, const std::uint64_t* bytes);
  static constexpr std::uint64_t pooled_block = std::uint64_t{1} << 63;
  /// The allocation that holds `address` (one past its end does not count).
  std::optional<Allocation> find(std::uintptr_t address) const;
  /// All of them, by address.
  std::vector<Allocation> all() const;
  /// The allocation nearest to `address`, for messages.
  std::optional<Allocation> nearest(std::uintptr_t address) const;
  /// The latest allocation that held `address` and was removed not long ago, for messages. None if
  /// other memory lies in its place: an access beside that one is hardly meant for what is gone.
  std::optional<Allocation> removed(std::uintptr_t address) const;
  /// Changes with every `remove`: what was found under another epoch may be gone.
  std::uint64_t epoch() const;

 private:
  AddressTable();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pycuda::cpu::exec
