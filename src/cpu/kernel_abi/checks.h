// SPDX-License-Identifier: MIT
// The checks of a running kernel, and what compiled code reports to them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

enum class Check : std::uint8_t {
  Memory = 1,     ///< accesses outside of live allocations
  Init = 2,       ///< reads of uninitialised memory
  Race = 4,       ///< accesses of the same byte that nothing orders
  Sync = 8,       ///< barriers and warp operations that some threads miss or name wrongly
  Counters = 16,  ///< none: what warps do is counted (counters.h)
  Leak = 32,      ///< memory that was not freed: a kind of finding, and part of Memory as a check
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
  /// Whether compiled code reports its accesses (pycuda_cpu_note_access).
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
  /// Whether what it reads was written is reported afterwards (pycuda_cpu_note_read).
  static constexpr std::uint32_t read_later = 128;
  static constexpr std::uint32_t may_race = 256;  ///< for Check::Race
  static constexpr std::uint32_t of_init = 512;   ///< for Check::Init
  static constexpr std::uint32_t shared = 1024;   ///< in the state space .shared
  // Its scope, if it is a strong one that does not meet those of the whole device.
  static constexpr std::uint32_t scope_block = 2048;
  static constexpr std::uint32_t scope_cluster = 4096;
};

/// What uninitialised memory is filled with. NaN as a float and, twice, as a double;
/// negative as an integer.
inline constexpr std::uint32_t unwritten_word = 0xfff5a7c3;

inline constexpr unsigned source_line_bits = 20;
/// The line and the file of an access as one number; 0: not known.
constexpr std::uint32_t packed_place(std::uint32_t line, std::uint32_t file) {
  constexpr std::uint32_t lines = std::uint32_t{1} << source_line_bits;
  constexpr std::uint32_t files = std::uint32_t{1} << (32 - source_line_bits);
  return line >= lines || file >= files ? 0 : line | file << source_line_bits;
}

/// Of an access that is not numbered among its kernel's.
inline constexpr std::uint32_t no_check_site = 0xffffffff;

/// An access of a gang and how the gang's threads lie, as compiled code packs them into a number.
struct AccessOfGang {
  std::uint32_t bytes = 0;       ///< of each thread's access
  std::uint32_t flags = 0;       ///< AccessFlags
  std::uint32_t columns = 1;     ///< threads of each of the gang's rows
  bool in_line = false;          ///< along the linear thread index
  std::uint32_t first_lane = 0;  ///< of pycuda_cpu_note_row: the one with bit 0

  constexpr std::uint64_t packed() const {
    return std::uint64_t{bytes} | std::uint64_t{flags} << 16 | std::uint64_t{columns} << 32 |
           std::uint64_t{in_line} << 48 | std::uint64_t{first_lane} << 49;
  }
  static constexpr AccessOfGang unpack(std::uint64_t packed) {
    return {static_cast<std::uint32_t>(packed & 0xffff),
            static_cast<std::uint32_t>(packed >> 16 & 0xffff),
            static_cast<std::uint32_t>(packed >> 32 & 0xffff), (packed >> 48 & 1) != 0,
            static_cast<std::uint32_t>(packed >> 49)};
  }
};

}  // namespace pycuda::cpu

extern "C" {
/// Before each access to memory, where checks ask for it.
void pycuda_cpu_note_access(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                            std::uint32_t bytes, std::uint32_t flags, std::uint64_t low,
                            std::uint64_t high);
/// After a read that has AccessFlags::read_later. `low` begins with what was read, up to a word.
void pycuda_cpu_note_read(pycuda::cpu::ThreadFrame* thread, std::uint64_t address,
                          std::uint32_t bytes, std::uint32_t flags, std::uint64_t low);
/// At a fence. `scope`: of AccessFlags.
void pycuda_cpu_note_fence(pycuda::cpu::ThreadFrame* thread, std::uint32_t scope);
/// Before a barrier of the block; `is_aligned`: all threads of a warp must execute the same one.
/// `site` is for vector code, which numbers its barriers.
void pycuda_cpu_note_barrier(pycuda::cpu::ThreadFrame* thread, std::uint32_t is_aligned,
                             std::uint32_t site);
/// Behind a barrier of the whole block, where races are looked for: vector code has no scheduler
/// that knows.
void pycuda_cpu_note_passed(pycuda::cpu::ThreadFrame* thread);

// The same for a gang, whose first thread's frame `gang` is, and the lanes whose bits are set.
// `access` is an AccessOfGang.

/// An access, or what was read by one, at addresses[lane] each. `low` and `high`, if it has values:
/// one for each lane.
void pycuda_cpu_note_gang(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                          std::uint64_t lanes, std::uint64_t access, const std::uint64_t* low,
                          const std::uint64_t* high);
/// Before an access that may race: of lane i, from access.first_lane on, to first + i * stride; or
/// to addresses[i]. Not 0 if what the lanes write decides: then pycuda_cpu_note_written follows,
/// with all values.
std::uint32_t pycuda_cpu_note_row(pycuda::cpu::ThreadFrame* gang, std::uint64_t first,
                                  std::int64_t stride, std::uint64_t lanes, std::uint64_t access);
std::uint32_t pycuda_cpu_note_lanes(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                                    std::uint64_t lanes, std::uint64_t access);
void pycuda_cpu_note_written(pycuda::cpu::ThreadFrame* gang, const std::uint64_t* addresses,
                             std::uint64_t lanes, std::uint64_t access, const std::uint64_t* low,
                             const std::uint64_t* high);
/// A warp operation orders these lanes.
void pycuda_cpu_note_warp_order(pycuda::cpu::ThreadFrame* gang, std::uint64_t lanes);
/// The gang is the first that has passed a barrier of the whole block.
void pycuda_cpu_note_gang_passed(pycuda::cpu::ThreadFrame* gang);
/// Before a barrier of the whole block. `access` says how the gang lies, and in `bytes` whether the
/// barrier is an aligned one.
void pycuda_cpu_note_gang_barrier(pycuda::cpu::ThreadFrame* gang, std::uint64_t lanes,
                                  std::uint64_t access, std::uint32_t site);
/// At a warp operation with the member mask `mask`, which `lanes` of the gang's threads execute.
/// `b` and `c`, of a shuffle: its operands, one for each lane.
void pycuda_cpu_note_gang_operation(pycuda::cpu::ThreadFrame* gang, std::uint64_t lanes,
                                    std::uint64_t access, std::uint32_t operation,
                                    std::uint32_t mask, const std::uint64_t* b,
                                    const std::uint64_t* c);
}
