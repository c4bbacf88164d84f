// SPDX-License-Identifier: MIT
// Ranges of addresses that programs have reserved, and what is mapped in them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cpu/exec/address_table.h"
#include "cpu/exec/multicast.h"
#include "cpu/exec/physical_memory.h"

namespace pycuda::cpu::exec {

/// What device code and the host may do with mapped memory: there is one address space, so it is
/// the most that any place was given.
enum class PageAccess : std::uint8_t { None, Read, ReadWrite };

/// One per process. Any thread.
class AddressSpace {
 public:
  /// The multiple that ranges which are mapped begin and end at: a large page of the processor's,
  /// and the same as on a GPU.
  static constexpr std::uint64_t granularity = std::uint64_t{2} << 20;

  struct Mapping {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in the memory
    PhysicalMemory::Pointer memory;
    Multicast::Pointer multicast;  ///< instead of memory; plain accesses fault there
    std::shared_ptr<void> owner;   ///< the handle it was mapped by (opaque here)
    /// By a place (type and number), as last set.
    std::map<std::pair<int, int>, PageAccess> access;

    PageAccess allowed() const;
  };

  static AddressSpace& instance();

  /// The beginning of a range that nothing else uses, at `wanted` if that is free; 0 when there is
  /// no room. `bytes` are whole pages, `alignment` is a power of two.
  std::uintptr_t reserve(std::uint64_t bytes, std::uint64_t alignment, std::uintptr_t wanted);
  /// False unless exactly this was reserved and nothing is mapped in it.
  bool release(std::uintptr_t begin, std::uint64_t bytes);

  /// Whether the range lies in one reservation, and nothing is mapped in it.
  bool is_free(std::uintptr_t begin, std::uint64_t bytes) const;
  /// Maps memory in a range that is free, without access. False when the system has no room.
  bool map(Mapping mapping, const Allocation& allocation);
  /// The mappings that together are exactly the range, in order; empty when it is not made of whole
  /// ones.
  std::vector<Mapping> mappings(std::uintptr_t begin, std::uint64_t bytes) const;
  /// The mapping that holds the address.
  std::optional<Mapping> find(std::uintptr_t address) const;
  /// Sets what a place may do with mappings that are there.
  bool set_access(std::uintptr_t begin, std::uint64_t bytes, std::pair<int, int> place,
                  PageAccess access);
  /// All that is mapped in the range leaves it, and it stays reserved. False unless it lies in one
  /// reservation and every mapping lies in it or outside.
  bool unmap(std::uintptr_t begin, std::uint64_t bytes);

  /// Beginning and size of the reservation that holds the address; zeros where there is none.
  std::pair<std::uintptr_t, std::uint64_t> reservation(std::uintptr_t address) const;

  /// What there is to say of an address in a reserved range, for messages; empty elsewhere.
  std::string describe(std::uintptr_t address) const;

 private:
  struct Reservation {
    std::uint64_t bytes = 0;
    std::map<std::uintptr_t, Mapping> mappings;
  };
  using Reservations = std::map<std::uintptr_t, Reservation>;

  /// The reservation that holds the range, or the end; with the lock held.
  Reservations::const_iterator holder(std::uintptr_t begin, std::uint64_t bytes) const;
  /// Where the mappings begin that together are the range; none when it is not made of whole ones.
  static std::vector<std::uintptr_t> beginnings(const Reservation& reservation,
                                                std::uintptr_t begin, std::uint64_t bytes);

  mutable std::mutex mutex_;  ///< protects reservations_
  Reservations reservations_;
};

}  // namespace pycuda::cpu::exec
