// SPDX-License-Identifier: MIT
// Which branches are guards, what they guard, and the second copy of it.
#include "cpu/simt/guards.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <vector>

#include "cpu/simt/divergence.h"
#include "cpu/simt/region_copy.h"
#include "cpu/simt/shape.h"

namespace pycuda::cpu::simt {
namespace {

/// Conditions with more terms are left as they are.
constexpr unsigned most_terms = 8;
/// Marks the branches of gangs that a guard has divided: they are no guards again.
constexpr const char* divides = "pycuda.divides";
/// The copies may make a function so many times longer.
constexpr unsigned most_growth = 4;

struct Guard {
  llvm::BasicBlock* block;
  llvm::Value* condition;
  llvm::BasicBlock *yes, *no;
  Blocks region;  ///< what lies between the guard and the place where its sides meet
  bool open = false;
};

/// Conditions of and, or, not over comparisons whose shapes are known.
class Condition {
 public:
  explicit Condition(const Shapes& shapes) : shapes_(shapes) {}

  bool is_guard(const llvm::Value* value) {
    terms_ = affine_terms_ = 0;
    return accepts(value) && affine_terms_ != 0;
  }

 private:
  bool accepts(const llvm::Value* value) {
    using namespace llvm::PatternMatch;
    if (++terms_ > most_terms) return false;
    const llvm::Value *left = nullptr, *right = nullptr;
    if (shapes_.of(value).is_uniform()) return true;
    if (match(value, m_Not(m_Value(left)))) return accepts(left);
    if (match(value, m_LogicalAnd(m_Value(left), m_Value(right))) ||
        match(value, m_LogicalOr(m_Value(left), m_Value(right))))
      return accepts(left) && accepts(right);
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(value);
    if (!compare || compare->isEquality() || !compare->getOperand(0)->getType()->isIntegerTy())
      return false;
    const Shape one = compared(compare->getOperand(0)), other = compared(compare->getOperand(1));
    if (!(one.is_affine() && other.is_uniform()) && !(one.is_uniform() && other.is_affine()))
      return false;
    ++affine_terms_;
    return true;
  }

  /// As it is if no lane wraps before it is extended: the question will ask that too.
  Shape compared(const llvm::Value* value) const {
    const Shape shape = shapes_.of(value);
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
    return shape.is_varying() && cast && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast)
               ? shapes_.of(cast->getOperand(0))
               : shape;
  }

  const Shapes& shapes_;
  unsigned terms_ = 0;
  unsigned affine_terms_ = 0;
};

/// Asks both questions about a condition whose parts lie in the block that `b` writes to.
class Question {
 public:
  Question(llvm::IRBuilder<>& b, llvm::Module& module) : b_(b), module_(module) {}

  llvm::Value* ask(llvm::Value* value, bool all) {
    using namespace llvm::PatternMatch;
    llvm::Value *left = nullptr, *right = nullptr;
    if (match(value, m_Not(m_Value(left)))) return ask(left, !all);
    if (match(value, m_LogicalAnd(m_Value(left), m_Value(right))))
      return join(left, right, all, all);
    if (match(value, m_LogicalOr(m_Value(left), m_Value(right))))
      return join(left, right, all, !all);
    llvm::FunctionCallee question = module_.getOrInsertFunction(
        all ? gang_all : gang_none,
        llvm::FunctionType::get(b_.getInt1Ty(), {b_.getInt1Ty()}, false));
    auto* function = llvm::cast<llvm::Function>(question.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    return b_.CreateCall(question, {value});
  }

 private:
  llvm::Value* join(llvm::Value* left, llvm::Value* right, bool all, bool both) {
    llvm::Value* one = ask(left, all);
    llvm::Value* other = ask(right, all);
    return both ? b_.CreateLogicalAnd(one, other) : b_.CreateLogicalOr(one, other);
  }

  llvm::IRBuilder<>& b_;
  llvm::Module& module_;
};

/// The condition's tree again, before `before`.
llvm::Value* repeat(llvm::Value* value, llvm::Instruction* before, unsigned depth = 0) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > most_terms) return value;
  if (!llvm::isa<llvm::ICmpInst, llvm::SelectInst, llvm::BinaryOperator>(instruction) ||
      !value->getType()->isIntegerTy(1))
    return value;
  llvm::Instruction* copy = instruction->clone();
  copy->insertBefore(before);
  if (llvm::isa<llvm::ICmpInst>(copy)) {
    for (llvm::Use& operand : copy->operands()) {
      auto* extension = llvm::dyn_cast<llvm::Instruction>(operand.get());
      if (!extension || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extension)) continue;
      llvm::Instruction* own = extension->clone();
      own->insertBefore(copy);
      operand.set(own);
    }
    return copy;
  }
  for (llvm::Use& operand : copy->operands()) operand.set(repeat(operand.get(), copy, depth + 1));
  return copy;
}

/// Up to where the guard's sides meet.
Blocks region_of(llvm::BasicBlock* guard, const llvm::PostDominatorTree& post_dominators) {
  const auto* node = post_dominators.getNode(guard);
  return blocks_between(guard, node && node->getIDom() ? node->getIDom()->getBlock() : nullptr);
}

/// The guards that gangs reach as a whole when all of them are open.
void choose(llvm::Function& function, std::vector<Guard>& guards, GangSize size) {
  for (Guard& guard : guards) guard.open = true;
  for (bool changed = true; changed;) {
    for (Guard& guard : guards) {
      auto* branch = llvm::cast<llvm::BranchInst>(guard.block->getTerminator());
      if (!guard.open) continue;
      llvm::IRBuilder<> b(branch);
      branch->setCondition(Question(b, *function.getParent()).ask(guard.condition, true));
    }
    ControlFlow flow(function);
    const Shapes shapes(function, flow, size);
    flow.assign_owners();
    changed = false;
    for (Guard& guard : guards) {
      llvm::cast<llvm::BranchInst>(guard.block->getTerminator())->setCondition(guard.condition);
      if (!guard.open || flow.owner(*guard.block) == &function.getEntryBlock()) continue;
      guard.open = false;
      changed = true;
    }
  }
}

/// Copies `guard`'s region for gangs that the guard divides. `guards` by block, those that are open
/// already: the copy has them as they were.
void open(Guard& guard, llvm::DenseMap<llvm::BasicBlock*, const Guard*>& opened) {
  llvm::Function& function = *guard.block->getParent();
  llvm::ValueToValueMapTy map;
  copy_region(function, guard.region, ".masked", map);
  for (const auto& [block, other] : opened) {
    const auto found = map.find(block);
    if (found == map.end()) continue;
    const auto in_copy = [&](llvm::Value* value) -> llvm::Value* {
      const auto copied = map.find(value);
      return copied == map.end() ? value : static_cast<llvm::Value*>(copied->second);
    };
    llvm::Instruction* end = llvm::cast<llvm::BasicBlock>(found->second)->getTerminator();
    llvm::BranchInst::Create(llvm::cast<llvm::BasicBlock>(in_copy(other->yes)),
                             llvm::cast<llvm::BasicBlock>(in_copy(other->no)),
                             in_copy(other->condition), end->getIterator());
    end->eraseFromParent();
  }
  const auto masked = [&](llvm::BasicBlock* block) {
    const auto found = map.find(block);
    return found == map.end() ? block : llvm::cast<llvm::BasicBlock>(found->second);
  };
  llvm::Instruction* end = guard.block->getTerminator();
  llvm::IRBuilder<> b(end);
  Question question(b, *function.getParent());
  llvm::Value* all = question.ask(guard.condition, true);
  llvm::Value* none = question.ask(guard.condition, false);
  llvm::BasicBlock* check = llvm::BasicBlock::Create(b.getContext(), "some", &function);
  llvm::BasicBlock* slow = llvm::BasicBlock::Create(b.getContext(), "divided", &function);
  b.CreateCondBr(all, guard.yes, check);
  end->eraseFromParent();
  b.SetInsertPoint(check);
  b.CreateCondBr(none, guard.no, slow);
  b.SetInsertPoint(slow);
  llvm::BranchInst* divide = b.CreateCondBr(guard.condition, masked(guard.yes), masked(guard.no));
  // Made here once more, so that gangs that stay whole need no comparison of vectors.
  divide->setCondition(repeat(guard.condition, divide));
  divide->setMetadata(divides, llvm::MDNode::get(b.getContext(), {}));
  opened[guard.block] = &guard;
}

}  // namespace

llvm::Function* open_guards(llvm::Function& source, GangSize size) {
  llvm::ValueToValueMapTy map;
  llvm::Function* function = llvm::CloneFunction(&source, map);
  std::vector<Guard> guards;
  {
    ControlFlow flow(*function);
    const Shapes shapes(*function, flow, size);
    const llvm::PostDominatorTree post_dominators(*function);
    Condition condition(shapes);
    for (llvm::BasicBlock* block : flow.order()) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch || branch->isUnconditional() || branch->hasMetadata(divides) ||
          branch->getSuccessor(0) == branch->getSuccessor(1) ||
          shapes.of(branch->getCondition()).is_uniform() ||
          !condition.is_guard(branch->getCondition()))
        continue;
      Guard guard{block, branch->getCondition(), branch->getSuccessor(0), branch->getSuccessor(1),
                  region_of(block, post_dominators)};
      if (may_be_copied(guard.region)) guards.push_back(std::move(guard));
    }
  }
  for (Guard& guard : guards) {
    auto* branch = llvm::cast<llvm::BranchInst>(guard.block->getTerminator());
    guard.condition = repeat(guard.condition, branch);
    branch->setCondition(guard.condition);
  }
  if (!guards.empty()) choose(*function, guards, size);
  std::erase_if(guards, [](const Guard& guard) { return !guard.open; });
  if (guards.empty()) {
    function->eraseFromParent();
    return nullptr;
  }
  demote_crossing_values(*function);
  // A copy holds the guards within as they were: outer ones first.
  std::stable_sort(guards.begin(), guards.end(), [](const Guard& a, const Guard& b) {
    return a.region.size() > b.region.size();
  });
  const std::size_t most = std::size_t{most_growth} * function->getInstructionCount();
  llvm::DenseMap<llvm::BasicBlock*, const Guard*> opened;
  for (Guard& guard : guards) {
    if (function->getInstructionCount() + instructions_in(guard.region) > most) break;
    open(guard, opened);
  }
  return function;
}

}  // namespace pycuda::cpu::simt
