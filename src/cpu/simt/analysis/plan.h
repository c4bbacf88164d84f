// SPDX-License-Identifier: MIT
// What the vector path made of a kernel, as data: jit/plan.h prints it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pycuda::cpu::simt {

/// What is done once for each thread of a gang, not once for the gang.
enum class ForEachThread : std::uint8_t {
  Nothing,
  Gather,
  Scatter,
  Load,
  Turn,
  Update,
  Atomic,
  Other
};

/// One thing in a kernel and the form it got.
struct PlanNote {
  enum class Kind : std::uint8_t { Access, Branch, Barrier, LaneByLane, Other };

  Kind kind = Kind::Other;
  std::string form;               ///< for people: "contiguous", "divergent branch"
  std::string function;           ///< the PTX function it is written in; empty if not known
  std::uint32_t instruction = 0;  ///< its number there, from 1; 0 if not known
  ForEachThread each = ForEachThread::Nothing;
  double times = 0;  ///< how often a gang does that, with a guess of how long loops are
  /// Of an access: what a thread reads or writes there, and the parameter that its array is, by
  /// that one's place among them, from 1; 0 if not known.
  std::uint32_t bytes = 0;
  std::uint64_t array = 0;
  bool operator==(const PlanNote&) const = default;
};

struct Plan {
  std::vector<PlanNote> notes;       ///< in the order of the vector form's code, none twice
  std::vector<PlanNote> tile_notes;  ///< of the form for tiles, if there is one
  /// What a gang computes beside what it does once for each thread: cycles, as roughly as `times`.
  double work = 0, tile_work = 0;
};

}  // namespace pycuda::cpu::simt
