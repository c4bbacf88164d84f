// SPDX-License-Identifier: MIT
// What vector code knows of shared memory where races are looked for.
#pragma once

#include <cstdint>

namespace pycuda::cpu {

/// What is known of a word of shared memory, a number that says which accesses would add
/// nothing. From below: a thread or a warp, the kind, the size of
/// the access (4, 8 or 16 bytes), and the stamp of the warp at that time.
struct WordState {
  enum Kind : std::uint32_t {
    Read,      ///< by a thread alone
    Written,   ///< by a thread alone, which may have read it
    AlsoRead,  ///< by the thread, after others: the accesses are kept elsewhere
    AlsoWritten,
    ReadInWarp,  ///< by lanes of the warp alone, in one line
    ReadByMany,  ///< by two warps; the number names neither, and has the stamp of the interval
    UpdatedInWarp,
    UpdatedByMany,
    Mixed,    ///< it depends on the accesses
    InParts,  ///< threads have accessed parts of it
  };
  static constexpr unsigned kind_begin = 10, size_begin = 14, stamp_begin = 16;
  /// Of ReadByMany, what stands for the lanes: the first of two threads, the second one, and the
  /// size of their accesses; 0 where the accesses are kept elsewhere.
  static constexpr unsigned second_begin = 10, two_size_begin = 20;
  static constexpr std::uint32_t mark(Kind kind) { return kind << kind_begin; }
  static constexpr std::uint32_t size(std::uint32_t log_bytes) {
    return (log_bytes - 2) << size_begin;
  }
  /// States of this thread or by it, once the kind is taken away.
  static constexpr std::uint32_t own_kinds = std::uint32_t{AlsoWritten} << kind_begin;
};

/// Of a block that runs in gangs: states of the words of its shared memory. Behind
/// AllowedRange[-1].
struct WordStates {
  std::uint64_t window = 0;  ///< where the words begin
  std::uint64_t bytes = 0;
  /// What is added to a word's address to get that of its state, and to that of a state for that
  /// of the place (packed_place) of the access, and from there for that of the lanes that made it.
  std::uint64_t states = 0, array = 0;
  std::uint32_t base = 0;         ///< older states are of accesses before the latest barrier
  std::uint32_t stamps[32] = {};  ///< by warp
  /// Where the barriers of the block that each gang has passed are counted, by the number of its
  /// first thread: 32 bits each. The gang that is ahead of `opened` tells.
  std::uint64_t passed = 0;
  std::uint32_t opened = 0;
  // For pycuda_cpu_note_lines.
  std::uint32_t interval = 0;      ///< since the latest barrier
  std::uint32_t clock_offset = 0;  ///< of clocks, which go on when stamps begin again
  std::uint64_t line_tag = 0;      ///< of what the block's first thread does; 0: none are noted
  std::uint64_t pages = 0, entry = 0;
};

/// How lanes side by side access whole lines of memory.
struct NotedLines {
  static constexpr std::uint64_t line_bytes = 64;
  std::uint32_t log_bytes = 0;  ///< of each lane's access
  std::uint32_t lines = 0;
  bool is_read = false;

  constexpr std::uint32_t packed() const {
    return log_bytes | lines << 8 | std::uint32_t{is_read} << 16;
  }
  static constexpr NotedLines unpack(std::uint32_t packed) {
    return {packed & 0xff, packed >> 8 & 0xff, (packed >> 16 & 1) != 0};
  }
};

}  // namespace pycuda::cpu

extern "C" {
/// Before lanes whose threads have consecutive numbers, from `thread` on, access the lines at
/// `first`, a multiple of their size. Not 0 if that is in order and noted; else the access is still
/// to be reported. `access` is a NotedLines.
std::uint32_t pycuda_cpu_note_lines(pycuda::cpu::WordStates* states, std::uint64_t first,
                                    std::uint32_t thread, std::uint32_t place,
                                    std::uint32_t access);
}
