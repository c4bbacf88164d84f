// SPDX-License-Identifier: MIT
// Analysis: what a loop reads and writes along rows, in how many copies of the same operations.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/simt/analysis/evolution.h"

namespace pycuda::cpu::simt {

/// Whether `loop` has one entry, one exit and no branches in it, and does nothing but read and
/// write memory in front of its exit, and arithmetic. What is beside that (`is_beside`) it may
/// have.
bool is_straight_loop(const llvm::Loop& loop);

/// Notes of lines, and tests that addresses are aligned whose answer is the same in all trips: they
/// are no part of what a loop computes.
bool is_beside(const llvm::Instruction& instruction, const llvm::Loop& loop);

/// The only loop of a function, which is straight. A compiler that unrolled it has written each
/// operation down several times, for neighbouring elements: those are copies. What addresses and
/// counters are is known by scalar evolution, whatever their types.
class RowLoop {
 public:
  explicit RowLoop(llvm::Function& function);
  /// Why it is none; empty if all that follows is known.
  llvm::StringRef find();

  /// Where an access is in the first trip, and how many bytes further in each next.
  struct Access {
    llvm::Instruction* instruction = nullptr;
    const llvm::SCEV* start = nullptr;
    std::int64_t step = 0, bytes = 0;
    unsigned number = 0;  ///< in the order of the code
  };

 protected:
  bool has(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction && loop_.contains(instruction);
  }
  std::int64_t each(const llvm::SCEVAddRecExpr& steps);
  /// How far it is from one to the other, if that is known.
  std::optional<std::int64_t> distance(const llvm::SCEV* from, const llvm::SCEV* to);

  /// A number that grows by as much from copy to copy.
  struct Step {
    const llvm::SCEV* start = nullptr;
    std::int64_t each = 0;
  };
  /// A sum of fewer bits, `root` + `further` + `step` * trip, that is extended.
  struct Extended {
    const llvm::SCEV* root;
    std::int64_t further, step;
    bool is_signed;
    bool operator==(const Extended&) const = default;
  };

  Evolution evolution_;
  llvm::ScalarEvolution& s_;
  llvm::Loop& loop_;
  const llvm::DataLayout& layout_;
  llvm::Type* number_;
  llvm::SCEVExpander expander_;
  std::vector<Access> stores_, loads_;
  std::int64_t copies_ = 1;
  /// It goes on while the counter has this relation to the bound.
  const llvm::SCEVAddRecExpr* counter_ = nullptr;
  const llvm::SCEV* bound_ = nullptr;
  llvm::ICmpInst::Predicate stays_ = llvm::ICmpInst::BAD_ICMP_PREDICATE;
  std::vector<Extended> extended_;
  llvm::DenseMap<llvm::Value*, Step> steps_;
  /// Of what the first copy computes, what each of them does.
  llvm::DenseMap<const llvm::Value*, std::vector<llvm::Value*>> copy_of_;

 private:
  const llvm::SCEV* address_of(llvm::Value* pointer);
  const llvm::SCEVAddRecExpr* steps_of(const llvm::SCEV* sum);
  std::optional<std::int64_t> step_of_extended(const llvm::SCEVAddRecExpr& steps, bool is_signed,
                                               const llvm::SCEV*& start);
  std::optional<std::int64_t> step_of(const llvm::SCEV* sum, const llvm::SCEV*& start);
  bool find_counter();
  bool find_accesses();
  const Access* access_of(const llvm::Value* load) const;
  bool is_copy(const Access& first, const Access& other, std::int64_t number);
  bool find_copies();
  bool are_copies(std::int64_t each);
  bool are_steps(llvm::ArrayRef<llvm::Value*> values);
  bool is_same_operation(std::vector<llvm::Value*> values);
  bool find_order();
  bool changes_order(const Access& store, const Access& other) const;

  llvm::DenseMap<const llvm::Value*, std::int64_t> number_of_copy_;
};

}  // namespace pycuda::cpu::simt
