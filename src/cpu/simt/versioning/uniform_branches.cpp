// SPDX-License-Identifier: MIT
// Which branches are guards, what they guard, and the second copy of it.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/versioning/alignment_checks.h"
#include "cpu/simt/versioning/region_copy.h"
#include "cpu/simt/versioning/versioning_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// Conditions with more terms are left as they are.
constexpr unsigned most_terms = 8;
/// Instructions that gangs may run divided, though they need not, so that guards share a copy.
constexpr std::size_t most_shared = 24;
/// The copies may make a function so many times longer.
constexpr unsigned most_growth = 4;
/// In longer code a check of a parameter costs nothing that can be measured.
constexpr std::size_t most_without_checks = 100;

using BlockMap = llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*>;

struct Guard {
  llvm::BasicBlock* block;
  llvm::Value* condition;
  llvm::BasicBlock *yes, *no;
  llvm::BasicBlock* join;  ///< where its sides meet; null: at the function's end
  Blocks region;           ///< what lies between the guard and that place
  bool open = false;
  const Guard* like = nullptr;  ///< shares the copy of this guard, if that has one
  bool edges[2] = {};           ///< `yes` and `no` only lead on
  /// The copy of the region, and perhaps of more, for gangs that the guard has divided.
  std::shared_ptr<const BlockMap> copy = {};
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
    return ask_by_name(b_, all ? gang_all : gang_none, b_.getInt1Ty(), value);
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

/// Leaves out of `region` what gangs seldom come to, behind a question that rolled_loops asks: one
/// copy of it will do, with masks.
void leave_seldom(Blocks& region, const llvm::PostDominatorTree& post_dominators) {
  Blocks seldom;
  for (llvm::BasicBlock* block : region) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || branch->isUnconditional() ||
        lower::callee_name(*branch->getCondition()) != active_all)
      continue;
    const auto* node = post_dominators.getNode(block);
    if (!node || !node->getIDom() || !node->getIDom()->getBlock()) continue;
    llvm::BasicBlock* rest = branch->getSuccessor(1);
    seldom.insert(rest);
    for (llvm::BasicBlock* behind : blocks_between(rest, node->getIDom()->getBlock()))
      seldom.insert(behind);
  }
  for (llvm::BasicBlock* block : seldom) region.erase(block);
}

llvm::BasicBlock* join_of(llvm::BasicBlock* guard, const llvm::PostDominatorTree& post_dominators) {
  const auto* node = post_dominators.getNode(guard);
  return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
}

/// Whether `block` does nothing but lead on from one block to another.
bool is_edge(const llvm::BasicBlock* block) {
  return block->getSinglePredecessor() && block->getSingleSuccessor() &&
         block->getFirstNonPHIIt() == block->getTerminator()->getIterator();
}

/// Whether a copy of `outer`'s region may be entered where `side` leads: not within one of its
/// loops, but at a loop's header.
bool may_be_entered(const llvm::BasicBlock* side, const Guard& outer, const llvm::LoopInfo& loops) {
  if (is_edge(side)) side = side->getSingleSuccessor();
  const llvm::Loop* const loop = loops.getLoopFor(side);
  if (!loop || loop->contains(outer.block)) return true;
  const llvm::Loop* const parent = loop->getParentLoop();
  return loop->getHeader() == side && (!parent || parent->contains(outer.block));
}

/// Whether gangs that `inner` divides may run the rest of `outer`'s region as those do that `outer`
/// divides: where they would soon be whole again anyway.
bool may_share(const Guard& inner, const Guard& outer, const llvm::LoopInfo& loops) {
  if (!outer.region.contains(inner.block)) return false;
  for (llvm::BasicBlock* side : {inner.yes, inner.no}) {
    if (outer.region.contains(side) && !may_be_entered(side, outer, loops)) return false;
  }
  if (inner.join == outer.join) return true;
  if (inner.join == nullptr) return false;
  Blocks rest = blocks_between(inner.join, outer.join);
  rest.insert(inner.join);
  if (rest.contains(inner.block)) return false;
  std::size_t count = 0;
  for (const llvm::BasicBlock* block : rest)
    count += static_cast<std::size_t>(std::distance(block->getFirstNonPHIIt(), block->end()));
  return count <= most_shared;
}

/// `guards`: outer ones first.
void let_share(std::vector<Guard>& guards) {
  if (guards.empty()) return;
  llvm::DominatorTree dominators(*guards.front().block->getParent());
  const llvm::LoopInfo loops(dominators);
  for (auto inner = guards.begin(); inner != guards.end(); ++inner) {
    inner->edges[0] = is_edge(inner->yes);
    inner->edges[1] = is_edge(inner->no);
    const auto outer = std::find_if(guards.begin(), inner, [&](const Guard& candidate) {
      return may_share(*inner, candidate, loops);
    });
    if (outer != inner) inner->like = &*outer;
  }
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

using OpenGuards = llvm::MapVector<llvm::BasicBlock*, const Guard*>;

/// The checks that parameters are aligned, as questions that guards ask along with their own: gangs
/// that go on as a whole then need no check, in loops in particular, and those of misaligned
/// parameters take the way that divided ones take, on which nothing has been taken away.
class AskedByGuards {
 public:
  /// Before values that cross blocks are in memory.
  explicit AskedByGuards(llvm::Function& function) : dominators_(function) {
    for (const auto& [check, question] : parameter_checks(function))
      checks_.insert({check, question});
  }

  /// i1: whether what is behind `side`, one of `guard`'s, finds its parameters aligned; null if it
  /// does not care. Its checks are `settled` then.
  llvm::Value* ask(const Guard& guard, llvm::BasicBlock* side, llvm::IRBuilder<>& b) {
    // A condition of two parts hides how often a loop runs.
    if (checks_.empty() || guard.region.contains(guard.block)) return nullptr;
    std::vector<ParameterQuestion> questions;
    Blocks behind = blocks_between(side, guard.join);
    behind.insert(side);
    if (instructions_in(behind) > most_without_checks) return nullptr;
    for (const auto& [check, question] : checks_) {
      if (!guard.region.contains(check->getParent()) || !behind.contains(check->getParent()) ||
          !dominators_.dominates(guard.block, check->getParent()))
        continue;
      settled_.insert(check);
      add_question(questions, question);
    }
    return questions.empty() ? nullptr : answer(questions, b);
  }

  /// After both sides of a guard.
  void drop_settled() {
    for (llvm::CallInst* check : settled_) {
      checks_.erase(check);
      check->eraseFromParent();
    }
    settled_.clear();
  }

 private:
  static llvm::Value* answer(const std::vector<ParameterQuestion>& questions,
                             llvm::IRBuilder<>& b) {
    llvm::Function& function = *b.GetInsertBlock()->getParent();
    llvm::Value* params =
        b.CreateCall(function.getParent()->getFunction(lower::pseudo::params), function.getArg(0));
    return are_passed(b, params, questions);
  }

  llvm::DominatorTree dominators_;  ///< of the function before the first guard was opened
  llvm::MapVector<llvm::CallInst*, ParameterQuestion> checks_;
  llvm::SmallSetVector<llvm::CallInst*, 8> settled_;
};

/// Copies `guard`'s region for gangs that the guard divides. `opened`: by block, those that are
/// open already, which the copy has as they were.
void copy_for_divided(Guard& guard, const OpenGuards& opened) {
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
  auto copy = std::make_shared<BlockMap>();
  for (llvm::BasicBlock* block : guard.region)
    copy->try_emplace(block, llvm::cast<llvm::BasicBlock>(map.lookup(block)));
  guard.copy = std::move(copy);
}

/// Asks `guard`'s questions; its region has a copy already.
void open(Guard& guard, AskedByGuards& asked) {
  llvm::Function& function = *guard.block->getParent();
  const auto masked = [&](llvm::BasicBlock* block, bool is_edge) {
    const auto found = guard.copy->find(block);
    if (found == guard.copy->end()) return block;
    if (!guard.like || !is_edge) return found->second;
    // Where the edge leads back into a loop, that is entered by an edge of its own.
    llvm::ValueToValueMapTy map;
    Blocks edge;
    edge.insert(found->second);
    return copy_region(function, edge, ".entered", map).front();
  };
  llvm::Instruction* end = guard.block->getTerminator();
  llvm::IRBuilder<> b(end);
  Question question(b, *function.getParent());
  const auto with_checks = [&](llvm::Value* agreed, llvm::BasicBlock* side) {
    llvm::Value* aligned = asked.ask(guard, side, b);
    return aligned ? b.CreateAnd(agreed, aligned) : agreed;
  };
  llvm::Value* all = with_checks(question.ask(guard.condition, true), guard.yes);
  llvm::Value* none = with_checks(question.ask(guard.condition, false), guard.no);
  asked.drop_settled();
  llvm::BasicBlock* check = llvm::BasicBlock::Create(b.getContext(), "some", &function);
  llvm::BasicBlock* slow = llvm::BasicBlock::Create(b.getContext(), "divided", &function);
  b.CreateCondBr(all, guard.yes, check);
  end->eraseFromParent();
  b.SetInsertPoint(check);
  b.CreateCondBr(none, guard.no, slow);
  b.SetInsertPoint(slow);
  llvm::BranchInst* divide = b.CreateCondBr(guard.condition, masked(guard.yes, guard.edges[0]),
                                            masked(guard.no, guard.edges[1]));
  // Made here once more, so that gangs that stay whole need no comparison of vectors.
  divide->setCondition(repeat(guard.condition, divide));
  divide->setMetadata(divergent_branch, llvm::MDNode::get(b.getContext(), {}));
}

}  // namespace

llvm::Function* version_uniform_branches(llvm::Function& source, GangSize size) {
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
      if (!branch || branch->isUnconditional() || branch->hasMetadata(divergent_branch) ||
          branch->getSuccessor(0) == branch->getSuccessor(1) ||
          shapes.of(branch->getCondition()).is_uniform() ||
          !condition.is_guard(branch->getCondition()))
        continue;
      llvm::BasicBlock* const join = join_of(block, post_dominators);
      Guard guard{
          block, branch->getCondition(),     branch->getSuccessor(0), branch->getSuccessor(1),
          join,  blocks_between(block, join)};
      leave_seldom(guard.region, post_dominators);
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
  // A copy holds the guards within as they were: outer ones first.
  std::stable_sort(guards.begin(), guards.end(), [](const Guard& a, const Guard& b) {
    return a.region.size() > b.region.size();
  });
  let_share(guards);
  AskedByGuards asked(*function);
  demote_crossing_values(*function);
  const std::size_t most = std::size_t{most_growth} * function->getInstructionCount();
  OpenGuards opened;
  bool full = false;
  for (Guard& guard : guards) {
    if (guard.like) guard.copy = guard.like->copy;
    if (!guard.copy) {
      full |= function->getInstructionCount() + instructions_in(guard.region) > most;
      if (full) continue;
      copy_for_divided(guard, opened);
    }
    open(guard, asked);
    opened[guard.block] = &guard;
  }
  return function;
}

}  // namespace pycuda::cpu::simt
