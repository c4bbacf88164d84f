// SPDX-License-Identifier: MIT
// What compiled code counts of its warps' instructions, and where the numbers lie.
//
// Code that counts (Check::Counters) adds to 64-bit words of its block (BlockFrame::counters). Each
// place of the PTX where something is counted has words of its own; what each word means follows
// from the place's kind:
//
//   Run      warps that entered it with some of their lanes, threads of these, warps that entered
//            it with all 32.
//   Branch   warps that executed it, which follows from its run (nothing is counted here), and
//            those whose active lanes went different ways.
//   Access   requests, sectors (shared memory: wavefronts), the least number of these that the
//            lanes' bytes need, threads; an access by generic address has these four words for
//            global, local and shared memory, in this order. Then a pair for each phase (phases_of)
//            of accesses by all lanes at distances from lane to lane that never change: how many
//            there were, and what one costs. The first is not among them: it is counted like others
//            and writes down the cost, after which the first word is 1 too large.
//
// docs/reference/counters.md has the definitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

enum class CountedKind : std::uint8_t { Run, Branch, Access };
/// In the order of the words of a generic access.
enum class CountedSpace : std::uint8_t { Global, Local, Shared, Generic };
enum class CountedOp : std::uint8_t { Load, Store, Atomic, Reduction };

/// Classes of instructions, as Nsight Compute has them.
enum class InstructionClass : std::uint8_t {
  Fadd,
  Fmul,
  Ffma,
  Fp32,  ///< others of floats
  Dadd,
  Dmul,
  Dfma,
  Fp64,
  Hadd,
  Hmul,
  Hfma,
  Fp16,
  Integer,
  Bit,
  Conversion,
  Control,
  Memory,
  BetweenThreads,
  Misc,
};
inline constexpr std::size_t instruction_class_count = 19;

/// Instructions of a line that are executed together.
struct CountedInstructions {
  std::uint32_t line = 0, file = 0;
  InstructionClass kind{};
  /// They have a guard: the run that they are part of counts that they were issued, and a run of
  /// their own the threads whose guard holds.
  enum class Guard : std::uint8_t { None, Issued, Holds } guard{};
  std::uint32_t count = 0;
};

struct CountedPlace {
  CountedKind kind{};
  CountedSpace space{};
  CountedOp op{};
  std::uint32_t bytes = 0;  ///< of an access, for each lane
  std::uint32_t word = 0;   ///< the first of its words
  std::uint32_t run = 0;    ///< of a branch: the first word of the run that it is in
  /// What tells it from others in any code of the module: the function's number, the instruction's
  /// in it, and which of its parts.
  std::uint32_t function = 0, instruction = 0, part = 0;
  std::uint32_t line = 0, file = 0;
  std::string text;                               ///< the PTX instruction, of an access
  std::vector<CountedInstructions> instructions;  ///< of a run
};

struct CountedPlaces {
  std::vector<CountedPlace> places;
  std::uint32_t words = 0;
};

inline constexpr std::uint32_t words_of_access = 4, words_of_run = 3, words_of_branch = 2;

/// How an access is counted: the second half of the warp operation's operand and an argument of the
/// functions below.
struct CountedAccess {
  std::uint32_t bytes = 0;
  CountedSpace space{};
  CountedOp op{};
  constexpr std::uint32_t packed() const {
    return bytes | static_cast<std::uint32_t>(space) << 8 | static_cast<std::uint32_t>(op) << 16;
  }
  static constexpr CountedAccess of(std::uint32_t packed) {
    return {packed & 0xffu, static_cast<CountedSpace>(packed >> 8 & 0xffu),
            static_cast<CountedOp>(packed >> 16)};
  }
};

/// What an access costs depends on lane 0's address modulo so many bytes, beyond which the pattern
/// of sectors or banks repeats: an address is in phase (address % period) / step.
struct Phases {
  std::uint32_t count = 0;  ///< 0: costs are not written down
  std::uint32_t step = 1;   ///< bytes from one to the next
};
constexpr Phases phases_of(const CountedAccess& access) {
  const bool is_update = access.op == CountedOp::Atomic || access.op == CountedOp::Reduction;
  const std::uint32_t step = access.bytes < 4 ? access.bytes : 4;
  if (is_update || step == 0 || step == 3) return {};
  if (access.space == CountedSpace::Global) return {32 / step, step};
  // Banks are all alike: only the place within a word matters.
  return access.space == CountedSpace::Shared ? Phases{4 / step, step} : Phases{};
}

constexpr std::uint32_t words_of(const CountedAccess& access) {
  return access.space == CountedSpace::Generic ? 3 * words_of_access
                                               : words_of_access + 2 * phases_of(access).count;
}

/// The second word of a phase: sectors or wavefronts, and the least in the upper half.
constexpr std::uint64_t packed_cost(std::uint32_t parts, std::uint32_t least) {
  return parts | std::uint64_t{least} << 32;
}

/// Lanes' addresses for pictures: those of the access that needed the most beyond the least.
struct AccessSample {
  std::uint32_t lanes = 0;  ///< 0: none yet
  std::uint32_t warp = 0;   ///< of its block
  Dim3 block{0, 0, 0};
  std::uint64_t excess = 0;
  std::uint64_t addresses[32] = {};
};

}  // namespace pycuda::cpu

extern "C" {
/// Counts an access of the warp that `thread` belongs to, by the lanes of `lanes`. In .local memory
/// addresses are offsets in the thread's own.
void pycuda_cpu_count_access(pycuda::cpu::ThreadFrame* thread, std::uint32_t word,
                             std::uint32_t access, std::uint32_t lanes,
                             const std::uint64_t* addresses);
/// The same where lane i accesses first + i * stride.
void pycuda_cpu_count_strided(pycuda::cpu::ThreadFrame* thread, std::uint32_t word,
                              std::uint32_t access, std::uint32_t lanes, std::uint64_t first,
                              std::int64_t stride);
/// Counts an access by all lanes at distances that never change, and writes down what it costs.
void pycuda_cpu_count_first(pycuda::cpu::ThreadFrame* thread, std::uint32_t word,
                            std::uint32_t access, const std::uint64_t* addresses);
}
