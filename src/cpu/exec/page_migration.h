// SPDX-License-Identifier: MIT
// Page migration: replaces pages while kernels run. Threads that write to them meanwhile wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace pycuda::cpu::exec {

/// While it lives, [begin, begin + bytes) can only be read; threads that write there wait in the
/// fault handler until it ends. By then the pages must be writable again, or others be in their
/// place. A second migration waits for the end of the first.
class [[nodiscard]] PageMigration {
 public:
  PageMigration(std::byte* begin, std::uint64_t bytes);
  ~PageMigration();
  PageMigration(const PageMigration&) = delete;
  PageMigration& operator=(const PageMigration&) = delete;
  /// False when the pages cannot be protected; nothing waits then.
  bool holds() const { return holds_; }

 private:
  std::unique_lock<std::mutex> one_at_a_time_;
  bool holds_;
};

/// For fault handlers: true, after waiting if need be, when a write that faulted at `address` did
/// so because of a migration, and must be tried again.
bool waited_for_migration(std::uintptr_t address) noexcept;
/// The pages at `begin` are to fault again: what was moved there is gone.
void forget_migration(const std::byte* begin) noexcept;

}  // namespace pycuda::cpu::exec
