// SPDX-License-Identifier: MIT
// Follows addresses in loops back to where a row begins.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <set>
#include <vector>

#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/memory/memory_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// The loads of where a row begins and where it ends.
struct Row {
  llvm::LoadInst *begin, *end;
};

/// The neighbours among loads of whole numbers: one reads just behind the other.
std::vector<Row> rows_of(llvm::Function& kernel, const llvm::DominatorTree& dominators) {
  const llvm::DataLayout& layout = kernel.getDataLayout();
  llvm::DenseMap<const llvm::Value*, llvm::LoadInst*> by_pointer;
  std::vector<llvm::LoadInst*> loads;
  std::vector<Row> found;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->isSimple() ||
        !(load->getType()->isIntegerTy(32) || load->getType()->isIntegerTy(64)))
      continue;
    loads.push_back(load);
    // Of several loads of one place the one before the others counts.
    llvm::LoadInst*& first = by_pointer[load->getPointerOperand()];
    if (!first || dominators.dominates(load, first)) first = load;
  }
  for (llvm::LoadInst* end : loads) {
    std::int64_t distance = 0;
    const llvm::Value* base =
        llvm::GetPointerBaseWithConstantOffset(end->getPointerOperand(), distance, layout);
    llvm::LoadInst* begin = by_pointer.lookup(base);
    if (begin && begin != end && by_pointer.lookup(end->getPointerOperand()) == end &&
        begin->getType() == end->getType() &&
        distance == end->getType()->getIntegerBitWidth() / 8 &&
        llvm::isa<llvm::IntToPtrInst>(base) && dominators.dominates(begin, end))
      found.push_back({begin, end});
  }
  return found;
}

/// What `value` is in a row's first trip, written down behind the row's loads as far as it follows
/// from its beginning.
class FirstTrip {
 public:
  FirstTrip(const Row& row, const llvm::DominatorTree& dominators)
      : row_(row), dominators_(dominators), b_(row.end->getNextNode()) {}

  struct Found {
    llvm::Value* value = nullptr;  ///< null if it does not follow
    bool from_row = false;
    std::set<const llvm::Value*> others;  ///< what it is made of beside the row's beginning
  };

  /// Of what is no hint, as the number of trips before this loop, only the beginning is taken.
  Found of(llvm::Value* value, const llvm::LoopInfo& loops, unsigned depth = 0) {
    constexpr unsigned deepest = 12;
    if (value == row_.begin) return {value, true, {}};
    if (llvm::isa<llvm::Constant>(value)) return {value, false, {}};
    if (llvm::isa<llvm::Argument>(value)) return {value, false, {value}};
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth == deepest) return {};
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) return of_phi(*phi, loops, depth);
    if (!llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::BinaryOperator>(instruction) ||
        divides(*instruction))
      return at_hand(*instruction);
    Found found;
    std::vector<llvm::Value*> operands;
    for (llvm::Value* operand : instruction->operands()) {
      const Found part = of(operand, loops, depth + 1);
      if (!part.value) return at_hand(*instruction);
      operands.push_back(part.value);
      found.from_row |= part.from_row;
      found.others.insert(part.others.begin(), part.others.end());
    }
    if (!found.from_row) return at_hand(*instruction);
    llvm::Instruction* again = instruction->clone();
    for (unsigned i = 0; i < operands.size(); ++i) again->setOperand(i, operands[i]);
    again->dropPoisonGeneratingFlags();
    b_.Insert(again);
    found.value = again;
    return found;
  }

  llvm::IRBuilder<>& builder() { return b_; }

 private:
  Found at_hand(llvm::Instruction& instruction) const {
    if (!dominators_.dominates(&instruction, row_.end)) return {};
    return {&instruction, false, {&instruction}};
  }

  Found of_phi(llvm::PHINode& phi, const llvm::LoopInfo& loops, unsigned depth) {
    const llvm::Loop* loop = loops.getLoopFor(phi.getParent());
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      if (loop && loop->contains(phi.getIncomingBlock(i))) continue;
      if (Found found = of(phi.getIncomingValue(i), loops, depth + 1); found.from_row) return found;
    }
    return at_hand(phi);
  }

  const Row& row_;
  const llvm::DominatorTree& dominators_;
  llvm::IRBuilder<> b_;
};

/// Fetches ahead of all loads of loops that walk `row`, once from each array.
unsigned fetch_behind(const Row& row, llvm::ArrayRef<llvm::LoadInst*> loads,
                      const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops) {
  constexpr std::uint64_t distance = 2048, line = 64, lines = 2;
  constexpr unsigned most_arrays = 4;
  std::set<std::set<const llvm::Value*>> arrays;
  FirstTrip first(row, dominators);
  for (llvm::LoadInst* load : loads) {
    if (arrays.size() == most_arrays) break;
    const FirstTrip::Found place = first.of(load->getPointerOperand(), loops);
    if (!place.from_row || place.others.empty() || !arrays.insert(place.others).second) continue;
    llvm::IRBuilder<>& b = first.builder();
    for (std::uint64_t at = 0; at < lines; ++at)
      b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                        {b.CreateConstGEP1_64(b.getInt8Ty(), place.value, distance + at * line),
                         b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  }
  return static_cast<unsigned>(arrays.size());
}

}  // namespace

unsigned prefetch_next_rows(llvm::Function& kernel) {
  const llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  unsigned fetched = 0;
  for (const Row& row : rows_of(kernel, dominators)) {
    const llvm::Loop* around = loops.getLoopFor(row.begin->getParent());
    std::vector<llvm::LoadInst*> loads;
    for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      const llvm::Loop* loop = load ? loops.getLoopFor(load->getParent()) : nullptr;
      if (loop && loop != around) loads.push_back(load);
    }
    fetched += fetch_behind(row, loads, dominators, loops);
  }
  return fetched;
}

}  // namespace pycuda::cpu::simt
