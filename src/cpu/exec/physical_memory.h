// SPDX-License-Identifier: MIT
// Memory without addresses: it can be mapped at several, and in several processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "cpu/exec/shared_pages.h"

namespace pycuda::cpu::exec {

class DeviceMemory;

/// What is known of such memory in all processes: it stands in its file, behind the pages.
struct PhysicalFacts {
  std::array<char, 8> purpose{'p', 'a', '-', 'p', 'h', 'y', '.', '1'};
  std::uint64_t bytes = 0;      ///< whole pages
  std::int32_t place_type = 0;  ///< what the program asked for, in CUDA's numbers
  std::int32_t place_id = 0;
  std::uint32_t handle_types = 0;
  std::uint32_t usage = 0;
};
static_assert(sizeof(PhysicalFacts) == 32 &&
              std::has_unique_object_representations_v<PhysicalFacts>);

/// Shared by its handles and its mappings; the last one to let go frees it here. Any thread.
class PhysicalMemory {
  struct Key {};

 public:
  using Pointer = std::shared_ptr<PhysicalMemory>;
  /// New memory, all zero, counted against `device` (null: the host's). Why it is not available is
  /// NoRoom or NotThere.
  static base::Result<Pointer, PagesFailure> make(const PhysicalFacts& facts, DeviceMemory* device);
  /// The memory that a descriptor of `export_descriptor` stands for, of this or another process.
  /// The descriptor stays the caller's.
  static base::Result<Pointer, PagesFailure> import(int descriptor);

  PhysicalMemory(Key, int descriptor, const PhysicalFacts& facts, DeviceMemory* device)
      : descriptor_(descriptor), facts_(facts), device_(device) {}
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  ~PhysicalMemory();

  const PhysicalFacts& facts() const { return facts_; }
  /// A new descriptor, the caller's; -1 when none is available.
  int export_descriptor() const;
  /// Puts `bytes` from `offset` on in the place of what is mapped at `place`, without any access.
  /// False, and nothing done, when the system has no room for the mapping.
  bool map(std::uintptr_t place, std::uint64_t offset, std::uint64_t bytes) const;

 private:
  int descriptor_;
  PhysicalFacts facts_;
  DeviceMemory* device_;  ///< lives as long as the process
};

}  // namespace pycuda::cpu::exec
