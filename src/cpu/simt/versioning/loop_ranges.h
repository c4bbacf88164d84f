// SPDX-License-Identifier: MIT
// What memory a loop's accesses reach in all its trips, as numbers that are computed before it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <cstdint>
#include <optional>

#include "cpu/simt/analysis/evolution.h"

namespace pycuda::cpu::simt {

/// Bytes that accesses touch: `start` + `step` * trip, from `low` to before `high`, in each trip
/// and, where `extra` is not null, up to that far beyond, in the direction of the step. All in 64
/// bits.
struct Range {
  const llvm::SCEV* start = nullptr;
  const llvm::SCEV* step = nullptr;
  std::int64_t low = 0, high = 0;
  const llvm::SCEV* extra = nullptr;
  unsigned parts = 0;  ///< of a step that is a power of two of them, how many `extra` has
};

/// Addresses of a loop that has a preheader and one latch. What is found out is true if the
/// conditions are that `write_tests` writes down.
class LoopRanges {
 public:
  LoopRanges(llvm::Loop& loop, Evolution& evolution, const llvm::DataLayout& layout);

  /// An address as a sum, also where it is taken from a number.
  const llvm::SCEV* address_of(llvm::Value* pointer);
  /// Whether it is the same in all trips, and can be computed before the loop.
  bool is_fixed(const llvm::SCEV* number);
  /// What an access of so many bytes reaches, if its address grows by the same step in each trip.
  std::optional<Range> range_of(const llvm::SCEV* address, std::int64_t bytes);
  /// Widens `range` to what `other` has, too, if it is known how they lie to each other.
  bool join(Range& range, const Range& other);
  /// How far it is from one to the other, if that is known.
  std::optional<std::int64_t> distance(const llvm::SCEV* from, const llvm::SCEV* to);
  /// Whether it is known when the loop ends.
  bool is_counted();

  /// Says that `value` is that number, for what is written.
  void note_value(const llvm::SCEV* number, llvm::Value* value) {
    known_.try_emplace(number, value);
  }
  /// Begins to write conditions before `place`, in the preheader.
  void write_before(llvm::Instruction* place);
  /// `bytes` at `address`, which is fixed, must have nothing in common with `range`.
  void need_apart(const llvm::SCEV* address, std::int64_t bytes, const Range& range);
  llvm::Value* write(const llvm::SCEV* number, llvm::Type* type);
  /// Whether all holds that is needed. Null: nothing is.
  llvm::Value* condition();

 private:
  struct Walk {
    const llvm::SCEV *start, *step;
  };
  /// A sum of fewer bits, `root` + `further` + `step` * trip, that is extended.
  struct Extended {
    const llvm::SCEV *root, *step;
    std::int64_t further;
    bool is_signed;
    bool operator==(const Extended&) const = default;
  };
  std::optional<Walk> walk_of(const llvm::SCEV* number);
  std::optional<Walk> walk_of_cast(const llvm::SCEVIntegralCastExpr& cast);
  bool finds_counter(const llvm::BasicBlock& leaving);
  void need(llvm::Value* holds);
  void need_room(llvm::Value* first, llvm::Value* change, unsigned bits, bool is_signed);
  llvm::Value* trips();
  llvm::Value* count_trips();
  llvm::Value* span_of(const Range& range);
  llvm::Value* wide(const llvm::SCEV* number, bool is_signed);
  llvm::Value* number(std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& s_;
  const llvm::DominatorTree& dominators_;
  llvm::Type* number_;
  llvm::SCEVExpander expander_;
  llvm::IRBuilder<> b_;
  /// The loop goes on while `counter_`, which grows by `each_`, has this relation to the bound.
  const llvm::SCEV *counter_ = nullptr, *bound_ = nullptr;
  std::int64_t each_ = 0;
  llvm::ICmpInst::Predicate stays_ = llvm::ICmpInst::BAD_ICMP_PREDICATE;
  llvm::SmallVector<Extended, 4> extended_;
  llvm::Value *holds_ = nullptr, *trips_ = nullptr;
  llvm::DenseMap<const llvm::SCEV*, llvm::Value*> spans_, known_;
};

}  // namespace pycuda::cpu::simt
