// SPDX-License-Identifier: MIT
// Memory of one virtual device: guarded blocks within a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/exec/address_table.h"
#include "cpu/exec/shared_pages.h"

namespace pycuda::cpu::exec {

/// Every block is followed by an inaccessible page and starts at a multiple of 256 bytes; freed
/// blocks become inaccessible, so that a kernel's stray access faults. (Past 16384 live blocks,
/// small ones share guard pages: the system limits the number of mappings.) Any thread.
/// With a margin, so many bytes before and behind each block are there too.
class DeviceMemory {
 public:
  DeviceMemory(int device, std::uint64_t limit_bytes, std::uint64_t margin_bytes = 0);
  ~DeviceMemory();  ///< releases what is left
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Zero-filled, in checked mode filled with 0xff where no program may count on zeros; null when
  /// `bytes` is 0, or the device's limit or the machine's memory is exhausted. Enters it in the
  /// AddressTable. `alignment` is a power of two.
  void* allocate(std::uint64_t bytes, MemoryKind kind, void* owner, std::uint64_t alignment = 256);
  /// False when `memory` is not a block of this device.
  bool release(void* memory);
  /// The name by which other processes open the block that starts at `memory`, until it is
  /// released. The first time its contents move to pages that can be shared, at the same addresses:
  /// threads that write to it meanwhile wait, calls of the system that do fail. `group` goes into
  /// the name.
  base::Result<PagesName, PagesFailure> share(void* memory, std::uint64_t group = 0);
  /// Whether `share` can be: small blocks that share pages with others have no name.
  bool can_share(void* memory) const;
  /// The block of another process with this name, as a block of this device that `release` lets go
  /// of; guarded, as `kind` in the AddressTable, and counted against no limit. It stays when the
  /// other process frees it or ends. Blocks of pools may be this process's own.
  base::Result<void*, PagesFailure> open(const PagesName& name, void* owner,
                                         MemoryKind kind = MemoryKind::Opened);
  /// Part of a file that another library shares, as a block of this device that `release` lets go
  /// of; guarded, as MemoryKind::External, and counted against no limit. Null when the system does
  /// not map it for reading and writing.
  void* map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes, void* owner);
  /// What programs that fill the device may count on: of the limit, or of what the machine had
  /// available when this object was made if that was less, what is not allocated.
  std::uint64_t free_bytes() const;
  std::uint64_t total_bytes() const;
  /// Memory that lies elsewhere counts against the limit from now on; false when that is exhausted.
  bool count(std::uint64_t bytes);
  void count_back(std::uint64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pycuda::cpu::exec
