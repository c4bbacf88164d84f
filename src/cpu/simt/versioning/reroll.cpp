// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/terms.h"
#include "cpu/simt/versioning/region_copy.h"
#include "cpu/simt/versioning/versioning_passes.h"

namespace pycuda::cpu::simt {
namespace {

using namespace llvm::PatternMatch;

/// A loop's block that goes on or leaves, and what it has of each trip.
struct Trips {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock* exit = nullptr;
  llvm::BranchInst* branch = nullptr;
  bool stays_if = false;  ///< how the branch's condition comes out where there is one trip more
};

/// Loops of one way through, with one exit, that write no memory.
std::optional<Trips> trips_of(llvm::Loop* loop) {
  if (!loop || !loop->isLoopSimplifyForm() || !loop->getSubLoops().empty()) return std::nullopt;
  llvm::BasicBlock* exiting = loop->getExitingBlock();
  llvm::BasicBlock* exit = loop->getUniqueExitBlock();
  if (!exiting || !exit || !exit->getSingleSuccessor() || !exit->getSinglePredecessor())
    return std::nullopt;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  if (!branch || !branch->isConditional()) return std::nullopt;
  for (llvm::BasicBlock* block : loop->blocks()) {
    if (block != exiting && !block->getSingleSuccessor()) return std::nullopt;
    for (const llvm::Instruction& instruction : *block) {
      if (lower::callee_name(instruction) == lower::pseudo::check_alignment) continue;
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (instruction.mayHaveSideEffects() ||
          (call && (call->isConvergent() || !call->doesNotAccessMemory())))
        return std::nullopt;
    }
  }
  return Trips{loop, exit, branch, branch->getSuccessor(0) != exit};
}

/// The value that comes out of a loop, without the phi that it passes and the types it is taken
/// in. Where NaNs become one NaN on the way, `canonical` is that one.
llvm::Value* bare(llvm::Value* value, const llvm::APFloat*& canonical) {
  for (;;) {
    llvm::Value *number = nullptr, *compared = nullptr;
    llvm::CmpInst::Predicate predicate;
    const llvm::APFloat* nan = nullptr;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value); phi && phi->getNumIncomingValues() == 1) {
      value = phi->getIncomingValue(0);
    } else if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) {
      value = cast->getOperand(0);
    } else if (match(value, m_Select(m_FCmp(predicate, m_Value(compared), m_AnyZeroFP()),
                                     m_APFloat(nan), m_Value(number))) &&
               predicate == llvm::CmpInst::FCMP_UNO && nan->isNaN() && compared == number) {
      canonical = nan;
      value = number;
    } else {
      return value;
    }
  }
}

/// Where `block` leads if it does nothing else.
llvm::BasicBlock* behind_edge(llvm::BasicBlock* block) {
  const bool is_edge = block->getSinglePredecessor() && block->getSingleSuccessor() &&
                       &block->front() == block->getTerminator();
  return is_edge ? block->getSingleSuccessor() : block;
}

class Roller {
 public:
  Roller(llvm::Function& function, ControlFlow& flow, const Shapes& shapes, GangSize size)
      : function_(function), flow_(flow), shapes_(shapes), size_(size) {}

  /// Whether `loop` makes the trips that are left over, and another one the rest.
  bool matches(llvm::Loop* loop) {
    const auto few = trips_of(loop);
    if (!few) return false;
    few_ = *few;
    return finds_fork() && finds_many() && finds_index() && is_wanted() && stays_inside() &&
           finds_states() && computes_the_same() && ends_alike();
  }

  void roll();

 private:
  bool finds_fork();
  bool finds_many();
  bool finds_index();
  bool is_wanted() const;
  bool stays_inside();
  bool finds_states();
  bool computes_the_same();
  bool ends_alike();
  bool counts_whole(llvm::Value* condition) const;
  bool is_canonical_sum(const llvm::PHINode& phi) const;
  std::optional<Term> trip(const llvm::Loop& loop, const llvm::Value* value, KnownTerms& known) {
    return terms_.of(value, known, [&](const llvm::Instruction& inside) {
      return loop.contains(inside.getParent());
    });
  }
  /// What `phi` begins with, as it follows from the index in the block before the loop.
  std::optional<Term> begin(const llvm::Loop& loop, const llvm::PHINode& phi,
                            const llvm::Value* index, Term at) {
    KnownTerms known{{index, at}};
    const llvm::BasicBlock* before = loop.getLoopPreheader();
    return terms_.of(phi.getIncomingValueForBlock(before), known,
                     [&](const llvm::Instruction& inside) { return inside.getParent() == before; });
  }
  static llvm::Value* next_of(const Trips& trips, const llvm::PHINode& phi) {
    return phi.getIncomingValueForBlock(trips.loop->getLoopLatch());
  }
  static llvm::Value* first_of(const Trips& trips, const llvm::PHINode& phi) {
    return phi.getIncomingValueForBlock(trips.loop->getLoopPreheader());
  }
  Term later(std::uint64_t steps) const { return {at_.node, steps * step_}; }

  llvm::Function& function_;
  ControlFlow& flow_;
  const Shapes& shapes_;
  const GangSize size_;
  Trips few_, many_;
  llvm::PHINode* left_ = nullptr;        ///< how many of the few trips are left
  llvm::Value* count_ = nullptr;         ///< all trips, of which the few are what 4 leaves over
  llvm::BasicBlock* fork_ = nullptr;     ///< goes to the few trips unless there are none
  llvm::BasicBlock* skip_ = nullptr;     ///< how it comes to `between_` then
  llvm::BasicBlock* between_ = nullptr;  ///< the two loops
  llvm::BasicBlock* pass_ = nullptr;     ///< how it comes to `end_` without the second one
  llvm::BasicBlock* end_ = nullptr;
  llvm::PHINode *index_ = nullptr, *between_index_ = nullptr, *many_index_ = nullptr;
  llvm::Value *first_ = nullptr, *limit_ = nullptr;
  std::uint64_t factor_ = 0, step_ = 0;
  Blocks region_;
  Terms terms_;
  Term at_;                              ///< the index when the second loop makes a trip
  KnownTerms few_states_, many_states_;  ///< then
  llvm::DenseMap<const llvm::PHINode*, const llvm::PHINode*> carried_;  ///< by the second loop's
  /// The first loop's sums that the second one takes over with all NaNs made one.
  llvm::SmallVector<const llvm::PHINode*, 4> canonical_;
};

/// if ((count & 3) == 0) goto between; before the loop that counts count & 3 down.
bool Roller::finds_fork() {
  llvm::ICmpInst::Predicate predicate;
  llvm::Value* next = nullptr;
  if (!match(few_.branch->getCondition(), m_ICmp(predicate, m_Value(next), m_Zero()))) return false;
  if (predicate != (few_.stays_if ? llvm::ICmpInst::ICMP_NE : llvm::ICmpInst::ICMP_EQ))
    return false;
  llvm::Value* left = nullptr;
  if (!match(next, m_Add(m_Value(left), m_AllOnes()))) return false;
  left_ = llvm::dyn_cast<llvm::PHINode>(left);
  if (!left_ || left_->getParent() != few_.loop->getHeader() || next_of(few_, *left_) != next)
    return false;
  const llvm::APInt* mask = nullptr;
  llvm::Value* trips = first_of(few_, *left_);
  if (!match(trips, m_And(m_Value(count_), m_APInt(mask))) || mask->getActiveBits() > 5)
    return false;
  factor_ = mask->getZExtValue() + 1;
  llvm::BasicBlock* begin = few_.loop->getLoopPreheader();
  fork_ = begin->getSinglePredecessor();
  auto* branch = fork_ ? llvm::dyn_cast<llvm::BranchInst>(fork_->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || factor_ < 2 || (factor_ & (factor_ - 1)) != 0)
    return false;
  const bool skips_if = branch->getSuccessor(1) == begin;
  if (!match(branch->getCondition(), m_ICmp(predicate, m_Specific(trips), m_Zero())) ||
      predicate != (skips_if ? llvm::ICmpInst::ICMP_EQ : llvm::ICmpInst::ICMP_NE))
    return false;
  // Those that have a third loop beside them.
  if (const llvm::BasicBlock* before = fork_->getSinglePredecessor()) {
    const auto* question = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (question && question->isConditional() &&
        lower::callee_name(*question->getCondition()) == active_all)
      return false;
  }
  between_ = few_.exit->getSingleSuccessor();
  llvm::BasicBlock* skip = branch->getSuccessor(skips_if ? 0 : 1);
  skip_ = skip == between_ ? fork_ : skip;
  return behind_edge(skip) == between_ || skip == between_;
}

/// Whether `condition` says that there are fewer trips than one round of the second loop makes.
bool Roller::counts_whole(llvm::Value* condition) const {
  llvm::ICmpInst::Predicate predicate;
  llvm::Value* value = nullptr;
  const llvm::APInt* limit = nullptr;
  if (!match(condition, m_ICmp(predicate, m_Value(value), m_APInt(limit))) ||
      predicate != llvm::ICmpInst::ICMP_ULT)
    return false;
  if (value == count_) return *limit == factor_;
  llvm::Value *before = nullptr, *span = nullptr;
  const llvm::APInt* shift = nullptr;
  if (!match(count_, m_Add(m_Value(before), m_One()))) return false;
  if (value == before) return *limit == factor_ - 1;
  return match(before, m_LShr(m_Value(span), m_APInt(shift))) && value == span && shift->ult(32) &&
         *limit == (factor_ - 1) << shift->getZExtValue();
}

bool Roller::finds_many() {
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(between_->getTerminator());
  if (!branch || !branch->isConditional() || !counts_whole(branch->getCondition())) return false;
  llvm::BasicBlock *pass = branch->getSuccessor(0), *begin = branch->getSuccessor(1);
  if (begin->getSinglePredecessor() != between_ || !begin->getSingleSuccessor()) return false;
  llvm::Loop* loop = flow_.loop_of(begin->getSingleSuccessor());
  if (!loop || loop->getLoopPreheader() != begin || loop == few_.loop) return false;
  const auto many = trips_of(loop);
  if (!many) return false;
  many_ = *many;
  end_ = many_.exit->getSingleSuccessor();
  pass_ = pass == end_ ? between_ : pass;
  return (pass == end_ || behind_edge(pass) == end_) && between_->hasNPredecessors(2) &&
         flow_.loop_of(end_) == flow_.loop_of(fork_);
}

/// The number that says when the second loop ends, and how the first one and both begin with it.
bool Roller::finds_index() {
  llvm::ICmpInst::Predicate predicate;
  llvm::Value *next = nullptr, *phi = nullptr;
  if (!match(many_.branch->getCondition(), m_ICmp(predicate, m_Value(next), m_Value(limit_))))
    return false;
  if (predicate != (many_.stays_if ? llvm::ICmpInst::ICMP_SLT : llvm::ICmpInst::ICMP_SGE))
    return false;
  const llvm::APInt* round = nullptr;
  if (!match(next, m_Add(m_Value(phi), m_APInt(round)))) return false;
  many_index_ = llvm::dyn_cast<llvm::PHINode>(phi);
  if (!many_index_ || many_index_->getParent() != many_.loop->getHeader() ||
      next_of(many_, *many_index_) != next || next->getType() != count_->getType())
    return false;
  between_index_ = llvm::dyn_cast<llvm::PHINode>(first_of(many_, *many_index_));
  if (!between_index_ || between_index_->getParent() != between_) return false;
  first_ = between_index_->getIncomingValueForBlock(skip_);
  const llvm::APFloat* canonical = nullptr;
  const llvm::Value* after = bare(between_index_->getIncomingValueForBlock(few_.exit), canonical);
  for (llvm::PHINode& candidate : few_.loop->getHeader()->phis()) {
    const llvm::APInt* step = nullptr;
    if (first_of(few_, candidate) != first_ || next_of(few_, candidate) != after ||
        !match(after, m_Add(m_Specific(&candidate), m_APInt(step))) || !step->isPowerOf2() ||
        step->getActiveBits() > 16)
      continue;
    index_ = &candidate;
    step_ = step->getZExtValue();
  }
  return index_ && *round == step_ * factor_;
}

/// Whether lanes begin at neighbouring places and end at the same one, and most gangs part there:
/// their lanes span as much as a trip.
bool Roller::is_wanted() const {
  const Shape first = shapes_.of(first_);
  return !size_.is_tile() && first.is_affine() && first.stride > 0 &&
         step_ <= static_cast<std::uint64_t>(first.stride) * size_.columns &&
         shapes_.of(limit_).is_uniform() && !shapes_.of(count_).is_uniform();
}

/// Whether nobody asks for what is computed from the fork on but the phis where the ways end.
bool Roller::stays_inside() {
  for (llvm::BasicBlock* block : few_.loop->blocks()) region_.insert(block);
  for (llvm::BasicBlock* block : many_.loop->blocks()) region_.insert(block);
  for (llvm::BasicBlock* block : {few_.loop->getLoopPreheader(), many_.loop->getLoopPreheader(),
                                  few_.exit, many_.exit, skip_, pass_, between_})
    region_.insert(block);
  region_.erase(fork_);
  const auto* limit = llvm::dyn_cast<llvm::Instruction>(limit_);
  if ((limit && !flow_.dominators().dominates(limit, fork_->getTerminator())) ||
      !few_.loop->getLoopPreheader()->phis().empty())
    return false;
  return llvm::all_of(region_, [&](llvm::BasicBlock* block) {
    return llvm::all_of(*block, [&](const llvm::Instruction& instruction) {
      if (!block->isEntryBlock() && instruction.mayHaveSideEffects() &&
          lower::callee_name(instruction) != lower::pseudo::check_alignment &&
          !instruction.isTerminator())
        return false;
      return llvm::all_of(instruction.users(), [&](const llvm::User* user) {
        const auto* other = llvm::cast<llvm::Instruction>(user);
        return region_.contains(other->getParent()) ||
               (other->getParent() == end_ && llvm::isa<llvm::PHINode>(other));
      });
    });
  });
}

/// Whether `phi`, of the first loop, is a sum that is NaN for ever once it is.
bool Roller::is_canonical_sum(const llvm::PHINode& phi) const {
  const auto* sum = llvm::dyn_cast<llvm::Instruction>(next_of(few_, phi));
  if (!sum || !phi.hasOneUse() || phi.user_back() != sum) return false;
  // No other phi may depend on which NaN it is.
  const auto reaches_phi = [&](const llvm::Instruction& next) {
    if (&next == &phi || !few_.loop->contains(&next)) return Slice::Past;
    return llvm::isa<llvm::PHINode>(next) ? Slice::Found : Slice::Through;
  };
  if (find_in_users(*sum, reaches_phi, all_of_slice)) return false;
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(sum);
  return sum->getOpcode() == llvm::Instruction::FAdd ||
         sum->getOpcode() == llvm::Instruction::FSub ||
         sum->getOpcode() == llvm::Instruction::FMul ||
         (call && call->getIntrinsicID() == llvm::Intrinsic::fma);
}

/// What both loops' phis are when the second one begins a round: each follows from the index, or is
/// what the first loop has summed up.
bool Roller::finds_states() {
  at_ = terms_.fresh();
  terms_.does_not_wrap(at_, factor_ * step_);
  const auto follows = [&](const Trips& trips, const llvm::PHINode& phi, const llvm::Value* index,
                           std::uint64_t steps) -> std::optional<Term> {
    const auto now = begin(*trips.loop, phi, index, at_);
    const auto then = begin(*trips.loop, phi, index, later(steps));
    const Term own = terms_.fresh();
    KnownTerms known{{&phi, own}};
    const auto next = trip(*trips.loop, next_of(trips, phi), known);
    if (!now || !then || !next || next->node != own.node || now->node != then->node)
      return std::nullopt;
    // Both in 64 bits: pointers.
    const bool same = phi.getType()->getScalarSizeInBits() == 64 || phi.getType()->isPointerTy();
    return same && then->offset == now->offset + next->offset ? now : std::nullopt;
  };
  for (llvm::PHINode& phi : few_.loop->getHeader()->phis()) {
    if (&phi == left_) continue;
    if (&phi == index_) {
      few_states_[&phi] = at_;
    } else if (const auto term = follows(few_, phi, first_, 1)) {
      few_states_[&phi] = *term;
    } else {
      few_states_[&phi] = terms_.fresh();
    }
  }
  for (llvm::PHINode& phi : many_.loop->getHeader()->phis()) {
    const llvm::APFloat* canonical = nullptr;
    if (&phi == many_index_) {
      many_states_[&phi] = at_;
      continue;
    }
    auto* between = llvm::dyn_cast<llvm::PHINode>(bare(first_of(many_, phi), canonical));
    if (canonical) return false;
    if (!between || between->getParent() != between_) {
      const auto term = follows(many_, phi, between_index_, factor_);
      if (!term) return false;
      many_states_[&phi] = *term;
      continue;
    }
    const llvm::Value* after = bare(between->getIncomingValueForBlock(few_.exit), canonical);
    const auto origin = llvm::find_if(few_.loop->getHeader()->phis(), [&](llvm::PHINode& other) {
      KnownTerms none;
      const auto outside = [](const llvm::Instruction&) { return false; };
      return &other != left_ && &other != index_ && next_of(few_, other) == after &&
             terms_.of(first_of(few_, other), none, outside) ==
                 terms_.of(between->getIncomingValueForBlock(skip_), none, outside);
    });
    if (origin == few_.loop->getHeader()->phis().end() || (canonical && !is_canonical_sum(*origin)))
      return false;
    if (canonical) canonical_.push_back(&*origin);
    many_states_[&phi] = few_states_[&*origin];
    carried_[&phi] = &*origin;
  }
  return true;
}

bool Roller::computes_the_same() {
  KnownTerms state = few_states_;
  for (std::uint64_t i = 0; i < factor_; ++i) {
    KnownTerms known = state, next;
    for (const auto& [phi, term] : state) {
      const auto computed = trip(*few_.loop, next_of(few_, *llvm::cast<llvm::PHINode>(phi)), known);
      if (!computed) return false;
      next[phi] = *computed;
    }
    state = std::move(next);
  }
  KnownTerms known = many_states_;
  return llvm::all_of(carried_, [&](const auto& pair) {
    const auto computed = trip(*many_.loop, next_of(many_, *pair.first), known);
    return computed && *computed == state.lookup(pair.second);
  });
}

/// Whether what comes out of the second loop is what would come out of the first one.
bool Roller::ends_alike() {
  return llvm::all_of(end_->phis(), [&](llvm::PHINode& phi) {
    llvm::Value* passed = phi.getIncomingValueForBlock(pass_);
    llvm::Value* looped = phi.getIncomingValueForBlock(many_.exit);
    auto* between = llvm::dyn_cast<llvm::PHINode>(passed);
    if (!between || between->getParent() != between_) {
      const auto* inside = llvm::dyn_cast<llvm::Instruction>(passed);
      return passed == looped && !(inside && region_.contains(inside->getParent()));
    }
    const llvm::APFloat *canonical = nullptr, *canonical_looped = nullptr;
    const llvm::Value* after = bare(between->getIncomingValueForBlock(few_.exit), canonical);
    const llvm::Value* end = bare(looped, canonical_looped);
    if ((canonical == nullptr) != (canonical_looped == nullptr) ||
        (canonical && !canonical->bitwiseIsEqual(*canonical_looped)))
      return false;
    if (between == between_index_) return end == next_of(many_, *many_index_);
    return llvm::any_of(carried_, [&](const auto& pair) {
      return end == next_of(many_, *pair.first) && after == next_of(few_, *pair.second) &&
             (canonical || !llvm::is_contained(canonical_, pair.second));
    });
  });
}

void Roller::roll() {
  llvm::BasicBlock* begin = few_.loop->getLoopPreheader();
  Blocks single;
  for (llvm::BasicBlock* block : few_.loop->blocks()) single.insert(block);
  single.insert(begin);
  single.insert(few_.exit);
  llvm::ValueToValueMapTy map;
  const auto in_copy = [&](llvm::Value* value) -> llvm::Value* {
    const auto found = map.find(value);
    return found == map.end() ? value : static_cast<llvm::Value*>(found->second);
  };
  const auto copies = copy_region(function_, single, ".single", map);
  for (llvm::BasicBlock* copy : copies) {
    // They held for a few trips.
    for (llvm::Instruction& instruction : *copy) instruction.dropPoisonGeneratingFlags();
  }
  auto* exit = llvm::cast<llvm::BasicBlock>(map[few_.exit]);
  exit->getTerminator()->replaceSuccessorWith(between_, end_);
  for (llvm::PHINode& phi : end_->phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(pass_);
    auto* between = llvm::dyn_cast<llvm::PHINode>(value);
    if (between && between->getParent() == between_)
      value = in_copy(between->getIncomingValueForBlock(few_.exit));
    phi.addIncoming(value, exit);
  }
  auto* branch = llvm::cast<llvm::BranchInst>(map[few_.branch]);
  llvm::IRBuilder<> b(branch);
  llvm::Type* type = index_->getType();
  llvm::Value* stays =
      b.CreateICmpSLT(b.CreateAdd(in_copy(index_), llvm::ConstantInt::get(type, step_)), limit_);
  branch->setCondition(few_.stays_if ? stays : b.CreateNot(stays));

  llvm::BasicBlock* rest = fork_->splitBasicBlock(fork_->getTerminator(), "unrolled");
  llvm::Instruction* end = fork_->getTerminator();
  b.SetInsertPoint(end);
  llvm::Value* one = llvm::ConstantInt::get(type, 1);
  llvm::Value* span = b.CreateSub(b.CreateSub(limit_, first_), one);
  llvm::Value* counted =
      b.CreateICmpEQ(b.CreateAdd(b.CreateLShr(span, llvm::Log2_64(step_)), one), count_);
  const llvm::APInt room =
      llvm::APInt::getSignedMaxValue(type->getIntegerBitWidth()) - 2 * factor_ * step_;
  llvm::Value* fits = b.CreateAnd(b.CreateICmpSLT(first_, limit_),
                                  b.CreateICmpSLE(limit_, llvm::ConstantInt::get(type, room)));
  llvm::Value* all = ask_by_name(b, active_all, b.getInt1Ty(), b.CreateAnd(counted, fits));
  b.CreateCondBr(all, llvm::cast<llvm::BasicBlock>(map[begin]), rest);
  end->eraseFromParent();
  llvm::Value* before = nullptr;
  auto* division = llvm::dyn_cast<llvm::Instruction>(
      match(count_, m_Add(m_Value(before), m_One())) ? before : count_);
  if (division)
    division->setMetadata(unversioned_division, llvm::MDNode::get(function_.getContext(), {}));
}

}  // namespace

bool reroll_loops(llvm::Function& function, GangSize size) {
  ControlFlow flow(function);
  const Shapes shapes(function, flow, size);
  for (llvm::BasicBlock* block : flow.order()) {
    if (!flow.is_header(block)) continue;
    Roller roller(function, flow, shapes, size);
    if (!roller.matches(flow.loop_of(block))) continue;
    roller.roll();
    return true;
  }
  return false;
}

}  // namespace pycuda::cpu::simt
