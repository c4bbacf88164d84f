// SPDX-License-Identifier: MIT
// Multicast objects: memory of several devices under one address.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/exec/physical_memory.h"

namespace pycuda::cpu::exec {

enum class PageAccess : std::uint8_t;

/// A team of devices and what memory of each is bound. Any thread.
class Multicast {
 public:
  using Pointer = std::shared_ptr<Multicast>;
  static constexpr std::size_t most_devices = 64;

  Multicast(unsigned devices, std::uint64_t bytes) : size_(devices), bytes_(bytes) {}
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;
  ~Multicast() = default;

  unsigned size() const { return size_; }
  std::uint64_t bytes() const { return bytes_; }

  /// False when it is there already, or all are.
  bool add(int device);
  bool has(int device) const;
  /// Blocks until all devices have been added, and says in the log what it waits for.
  void wait_until_whole(const char* call) const;

  enum class Bound : std::uint8_t { Done, Overlaps, NoRoom };
  /// Memory of a device of the team, from an offset of the object on.
  Bound bind(int device, std::uint64_t offset, const PhysicalMemory::Pointer& memory,
             std::uint64_t memory_offset, std::uint64_t bytes);
  /// The same by an address that stays valid for as long as it is bound.
  Bound bind(int device, std::uint64_t offset, std::byte* place, std::uint64_t bytes);
  /// False unless exactly this was bound.
  bool unbind(int device, std::uint64_t offset, std::uint64_t bytes);

  /// Where the devices have a byte of the object, in the order in which they were added.
  struct Places {
    std::array<std::byte*, most_devices> at{};
    std::size_t count = 0;
    const char* problem = nullptr;  ///< a literal; then there are none
  };
  Places places(std::uint64_t offset, std::uint64_t bytes) const;

  /// From now on the object is reached by these addresses; None and another call end that.
  static void map(std::uintptr_t begin, std::uint64_t bytes, const Pointer& object,
                  PageAccess access);
  static void unmap(std::uintptr_t begin);
  static Places places_of(std::uintptr_t address, std::uint64_t bytes, bool writes);

 private:
  class View;
  struct Binding {
    std::uint64_t offset, bytes;
    std::byte* place;
    std::shared_ptr<View> view;  ///< keeps what is at `place`, if this is its only mapping
  };
  struct Member {
    int device;
    std::vector<Binding> bindings;
  };

  Member* member(int device);
  Bound insert(int device, Binding binding);

  const unsigned size_;
  const std::uint64_t bytes_;
  mutable std::mutex mutex_;  ///< protects what follows
  mutable std::condition_variable added_;
  std::vector<Member> members_;
};

}  // namespace pycuda::cpu::exec
