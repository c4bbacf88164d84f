// SPDX-License-Identifier: MIT
// Accesses to the program's memory that a call does for a kernel: texts, arguments in memory,
// copies, texels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// Tests such accesses as the checked mode tests the kernel's own; without it allows all. Nothing
/// leaves from here: the call stops at the first access that is not allowed, and raises its fault
/// when it holds nothing any more.
class ProgramAccesses {
 public:
  /// Allows all.
  ProgramAccesses() = default;
  explicit ProgramAccesses(ThreadFrame* thread);

  /// False: allows all.
  bool tests() const { return checks_memory_; }
  /// Whether `bytes` bytes may be read. `by` names who does, a literal.
  bool allows_read(const void* memory, std::uint64_t bytes, const char* by);
  bool allows_write(const void* memory, std::uint64_t bytes, const char* by);
  /// Whether a text may be read up to its end, or up to `most` characters where it has none.
  bool allows_text(const void* text, std::uint64_t char_bytes, std::uint64_t most, const char* by);
  static constexpr std::uint64_t no_limit = UINT64_MAX;

  bool failed() const { return failed_.by != nullptr; }
  /// Raises the fault of the access that was not allowed, if there was one.
  void raise_failure() const;

 private:
  /// `address`: of the first byte that is not allowed.
  struct Failed {
    std::uint64_t address = 0, bytes = 0;
    bool is_write = false;
    const char* by = nullptr;
  };
  bool allows(const void* memory, std::uint64_t bytes, bool is_write, const char* by);

  ThreadFrame* thread_ = nullptr;
  bool checks_memory_ = false;
  Failed failed_;
};

}  // namespace pycuda::cpu::exec
