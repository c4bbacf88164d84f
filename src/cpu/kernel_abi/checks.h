// SPDX-License-Identifier: MIT
// The checks of a running kernel, and what compiled code reports to them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

enum class Check : std::uint8_t {
  Memory = 1,     ///< accesses outside of live allocations
  Init = 2,       ///< reads of memory that nobody wrote
  Race = 4,       ///< accesses of the same byte that nothing orders
  Sync = 8,       ///< barriers and warp operations that some threads miss or name wrongly
  Counters = 16,  ///< none: what warps do is counted (counters.h)
};

/// A set of them.
class Checks {
 public:
  constexpr Checks() = default;
  constexpr Checks(Check check) : bits_(static_cast<std::uint8_t>(check)) {}
  static constexpr Checks from_bits(unsigned bits) {
    Checks checks;
    checks.bits_ = static_cast<std::uint8_t>(bits & 31u);
    return checks;
  }
  /// Those that find something.
  static constexpr Checks all() { return from_bits(15); }
  static constexpr std::size_t set_count = 32;
  constexpr std::uint8_t bits() const { return bits_; }
  constexpr bool has(Check check) const { return (bits_ & Checks(check).bits_) != 0; }
  constexpr bool any() const { return bits_ != 0; }
  /// Whether there is one that finds something.
  constexpr bool find() const { return (bits_ & all().bits()) != 0; }
  constexpr Checks without(Check check) const {
    return from_bits(bits_ & ~unsigned{static_cast<std::uint8_t>(check)});
  }
  /// Whether compiled code tells of its accesses (pycuda_cpu_note_access).
  constexpr bool note_accesses() const { return has(Check::Init) || has(Check::Race); }
  /// Whether shared variables lie apart, so that messages can name them.
  constexpr bool part_variables() const { return has(Check::Memory) || note_accesses(); }
  constexpr Checks operator|(Checks other) const {
    return from_bits(unsigned{bits_} | other.bits_);
  }
  constexpr bool operator==(const Checks&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

/// What an access does: the third number of pycuda_cpu_note_access, a sum of these.
struct AccessFlags {
  static constexpr std::uint32_t write = 1;    ///< else it reads
  static constexpr std::uint32_t update = 2;   ///< it reads and writes in one step
  static constexpr std::uint32_t strong = 4;   ///< volatile, relaxed or atomic: may meet its like
  static constexpr std::uint32_t acquire = 8;  ///< what was released there happened before
  static constexpr std::uint32_t release = 16;
  static constexpr std::uint32_t copy = 64;       ///< part of a structure that is read to be stored
  static constexpr std::uint32_t has_value = 32;  ///< `low` and `high` are what is written
};

}  // namespace pycuda::cpu

extern "C" {
/// Before each access to memory, where checks ask for it.
void pycuda_cpu_note_access(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                            std::uint32_t bytes, std::uint32_t flags, std::uint64_t low,
                            std::uint64_t high);
/// At a fence.
void pycuda_cpu_note_fence(pycuda::cpu::ThreadFrame* thread);
/// Before a barrier of the block; `is_aligned`: all threads of a warp must execute the same one.
void pycuda_cpu_note_barrier(pycuda::cpu::ThreadFrame* thread, std::uint32_t is_aligned);
}
