// SPDX-License-Identifier: MIT
// Control flow of gangs: blocks in an order in which lanes that went different ways meet again,
// with masks.
//
// Each block carries the set of blocks that are still to be visited. A uniform branch is a branch;
// after a divergent one the nearer side comes first and the other one stays pending. (Partial
// control-flow linearisation.)
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "cpu/lower/callee_name.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/branches/branch_passes.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

Widener::Widener(llvm::Function& source, const ControlFlow& flow, const Shapes& shapes,
                 const Shapes& guesses, GangSize size, bool full,
                 const target::Processor& processor)
    : source_(source),
      layout_(source.getDataLayout()),
      flow_(flow),
      shapes_(shapes),
      guesses_(guesses),
      distances_(shapes, size, layout_),
      columns_(size.columns),
      rows_(size.rows),
      lanes_(size.lanes()),
      full_(full),
      waits_(has_barriers(source) || needs_warps(source)),
      processor_(processor),
      b_(source.getContext()) {}

llvm::Value* Widener::constant_mask(bool value) {
  return b_.CreateVectorSplat(lanes_, b_.getInt1(value));
}

llvm::AllocaInst* Widener::slot(llvm::Type* type, const llvm::Twine& name) {
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  return at_entry.CreateAlloca(type, nullptr, name);
}

llvm::Value* Widener::any(llvm::Value* mask) {
  llvm::Value* bits = b_.CreateBitCast(mask, b_.getIntNTy(lanes_));
  return b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

llvm::Function* Widener::run(const llvm::Twine& name) {
  target_ = llvm::Function::Create(source_.getFunctionType(), source_.getLinkage(), name,
                                   source_.getParent());
  target_->copyAttributesFrom(&source_);
  target_->getArg(0)->setName("thread");
  local_[source_.getArg(0)] = target_->getArg(0);
  entry_ = new_block("gang");
  llvm::BasicBlock* first = new_block("lanes");
  llvm::Type* mask_type = llvm::FixedVectorType::get(b_.getInt1Ty(), lanes_);
  const std::size_t count = flow_.order().size();
  for (llvm::BasicBlock* block : flow_.order()) {
    starts_[block] = new_block(block->getName());
    pending_[block] = llvm::BitVector(static_cast<unsigned>(count));
    if (flow_.owner(*block) != block) continue;
    masks_[block] = slot(mask_type, "mask");
    sent_[block] = slot(mask_type, "sent");
    llvm::IRBuilder<>(entry_).CreateStore(llvm::Constant::getNullValue(mask_type), sent_[block]);
  }
  b_.SetInsertPoint(first);
  llvm::Value* start = constant_mask(true);
  if (!full_) {
    llvm::Value* number = call_by_name(b_, gang_lanes, b_.getInt32Ty(), target_->getArg(0));
    start =
        b_.CreateICmpULT(steps(b_.getInt32(0), 1, lanes_), b_.CreateVectorSplat(lanes_, number));
  }
  llvm::BasicBlock* source_entry = flow_.order().front();
  b_.CreateStore(start, sent_[source_entry]);
  b_.CreateBr(starts_[source_entry]);
  for (llvm::BasicBlock* block : flow_.order()) emit_block(*block);
  llvm::IRBuilder<>(entry_).CreateBr(first);
  if (plan_) {
    for (const auto& [place, blocks] : work_) {
      double most = 0, all = 0;
      for (const auto& [block, cycles] : blocks) {
        most = std::max(most, cycles);
        all += cycles;
      }
      plan_->work += place.second != 0 ? most : all;
    }
  }
  return target_;
}

namespace {

/// Whether `block` does nothing but lead on, not back to a loop's next trip.
bool is_mere_edge(const llvm::BasicBlock& block, const ControlFlow& flow) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&block.front());
  return branch && branch->isUnconditional() &&
         flow.position(branch->getSuccessor(0)) > flow.position(&block);
}

/// What the source asks for of the loop that `latch` closes. Where an edge has been split it stands
/// at the branch before.
llvm::MDNode* loop_notes(const llvm::BranchInst& latch) {
  if (llvm::MDNode* notes = latch.getMetadata(llvm::LLVMContext::MD_loop)) return notes;
  const llvm::BasicBlock* before = latch.getParent()->getSinglePredecessor();
  return before ? before->getTerminator()->getMetadata(llvm::LLVMContext::MD_loop) : nullptr;
}

}  // namespace

void Widener::emit_block(llvm::BasicBlock& block) {
  local_.clear();
  block_ = &block;
  local_[source_.getArg(0)] = target_->getArg(0);
  b_.SetInsertPoint(starts_[&block]);
  llvm::BitVector& pending = pending_[&block];
  // Lanes wait at the exits of a divergent loop from one trip to the next.
  if (llvm::Loop* loop = flow_.loop_of(&block);
      flow_.is_header(&block) && flow_.is_divergent(*loop)) {
    llvm::SmallVector<llvm::BasicBlock*, 8> exits;
    loop->getExitBlocks(exits);
    for (llvm::BasicBlock* exit : exits) pending.set(static_cast<unsigned>(flow_.position(exit)));
  }
  const bool owner = flow_.owner(block) == &block;
  llvm::Type* mask_type = llvm::FixedVectorType::get(b_.getInt1Ty(), lanes_);
  if (!owner) {
    mask_ = b_.CreateLoad(mask_type, masks_[flow_.owner(block)]);
  } else {
    mask_ = b_.CreateLoad(mask_type, sent_[&block]);
    if (emit_counting_latch(block, pending)) return;
    const Odds odds = odds_of(block);
    if (odds == Odds::Likely && is_mere_edge(block, flow_)) {
      // To move the values of no lane is no harm.
    } else if (&block != flow_.order().front()) {
      llvm::BasicBlock* body = new_block(block.getName() + ".run");
      llvm::MDNode* seldom = odds == Odds::Unlikely
                                 ? llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights()
                                 : nullptr;
      const bool again = flow_.is_header(&block);
      if (!again) b_.CreateStore(llvm::Constant::getNullValue(mask_type), sent_[&block]);
      llvm::BasicBlock* without = again ? emptied(block, pending) : continue_at(pending);
      b_.CreateCondBr(any(mask_), body, without, seldom);
      b_.SetInsertPoint(body);
      if (again) {
        bodies_[&block] = body;
        mask_ = b_.CreateLoad(mask_type, sent_[&block]);
      }
    } else if (full_) {
      mask_ = constant_mask(true);
    }
    b_.CreateStore(mask_, masks_[&block]);
    b_.CreateStore(llvm::Constant::getNullValue(mask_type), sent_[&block]);
  }
  if (full_ && flow_.owner(block) == flow_.order().front()) mask_ = constant_mask(true);
  if (flow_.is_header(&block)) forget_last_trip(block);
  for (llvm::Instruction& instruction : block) {
    if (instruction.isTerminator()) break;
    b_.SetCurrentDebugLocation(instruction.getDebugLoc());
    emit(instruction);
  }
  b_.SetCurrentDebugLocation(block.getTerminator()->getDebugLoc());
  emit_end(block);
  b_.SetCurrentDebugLocation({});
}

/// What phis inside the loop of `header` chose in the last trip nobody reads: lanes wait at exits
/// alone. So it is not kept in registers from trip to trip.
void Widener::forget_last_trip(const llvm::BasicBlock& header) {
  const llvm::Loop* loop = flow_.loop_of(&header);
  for (const llvm::BasicBlock* block : loop->blocks()) {
    if (block == &header || flow_.loop_of(block) != loop) continue;
    for (const llvm::PHINode& phi : block->phis()) {
      if (!shapes_.of(&phi).is_varying()) continue;
      llvm::AllocaInst*& place = slots_[&phi];
      if (!place) place = slot(type_of(phi), phi.getName());
      b_.CreateStore(llvm::UndefValue::get(place->getAllocatedType()), place);
    }
  }
}

/// A latch that only counts and goes back does so before it asks whether there are lanes, and is no
/// block of its own: so the loop ends in that question, and LLVM does not turn it round elsewhere.
bool Widener::emit_counting_latch(llvm::BasicBlock& block, const llvm::BitVector& pending) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || branch->isConditional()) return false;
  llvm::BasicBlock* header = branch->getSuccessor(0);
  llvm::BasicBlock* body = bodies_.lookup(header);
  if (!body || flow_.position(header) > flow_.position(&block)) return false;
  const auto instructions = llvm::make_range(block.begin(), block.getTerminator()->getIterator());
  if (!llvm::all_of(instructions, [](const llvm::Instruction& instruction) {
        return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst>(
                   instruction) &&
               !divides(instruction);
      }))
    return false;
  b_.CreateStore(mask_, masks_[&block]);
  b_.CreateStore(llvm::Constant::getNullValue(mask_->getType()), sent_[&block]);
  for (llvm::Instruction& instruction : instructions) emit(instruction);
  send(block, *header, mask_);
  b_.CreateCondBr(any(mask_), body, emptied(*header, pending))
      ->setMetadata(llvm::LLVMContext::MD_loop, loop_notes(*branch));
  return true;
}

/// Where nobody was sent to `header` this is written down, though it is so, and goes on: LLVM does
/// not see it in the branch, and would keep a mask from trip to trip of the loops around.
llvm::BasicBlock* Widener::emptied(const llvm::BasicBlock& header, const llvm::BitVector& pending) {
  llvm::BasicBlock* none = new_block("none");
  llvm::IRBuilder<> b(none);
  llvm::AllocaInst* sent = sent_[&header];
  b.CreateStore(llvm::Constant::getNullValue(sent->getAllocatedType()), sent);
  b.CreateBr(continue_at(pending));
  return none;
}

/// The block to go to when these are pending; the rest of them stays pending there.
llvm::BasicBlock* Widener::continue_at(llvm::BitVector pending) {
  const int next = pending.find_first();
  if (next < 0) {
    // Nobody ran the last block: it may be one that ends in a fault, after the others' return.
    llvm::BasicBlock* ended = new_block("ended");
    llvm::IRBuilder<>(ended).CreateRetVoid();
    return ended;
  }
  llvm::BasicBlock* block = flow_.order()[static_cast<unsigned>(next)];
  pending.reset(static_cast<unsigned>(next));
  pending_[block] |= pending;
  return starts_[block];
}

/// `lanes` of the block that is being written go on at `to`, taking their values for its phis with
/// them. So do the values of the block's other lanes: these bring others when they come there
/// themselves, and no mask has to be made for those that do not.
void Widener::send(const llvm::BasicBlock& from, const llvm::BasicBlock& to, llvm::Value* lanes) {
  if (const auto sent = sent_.find(&to); sent != sent_.end()) {
    llvm::Value* before = b_.CreateLoad(lanes->getType(), sent->second);
    b_.CreateStore(b_.CreateOr(before, lanes), sent->second);
  }
  const bool choose = flow_.is_divergent_join(to);
  // An exit of a divergent loop is reached at different trips.
  bool left_loop = false;
  for (const llvm::Loop* loop = flow_.loop_of(&from); loop && !loop->contains(&to);
       loop = loop->getParentLoop())
    left_loop |= flow_.is_divergent(*loop);
  // Who comes first brings nobody else's values along: the others write theirs over them.
  const bool first = llvm::all_of(llvm::predecessors(&to), [&](const llvm::BasicBlock* other) {
    return flow_.position(other) >= flow_.position(&from);
  });
  llvm::SmallVector<std::pair<llvm::AllocaInst*, llvm::Value*>, 8> moves;
  for (const llvm::PHINode& phi : to.phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(&from);
    const bool varying = shapes_.of(&phi).is_varying();
    llvm::AllocaInst*& known = slots_[&phi];
    if (!known) known = slot(type_of(phi), phi.getName());
    llvm::AllocaInst* place = known;
    llvm::Value* next = like(phi, value);
    if (varying && ((choose && !first) || left_loop)) {
      llvm::Value* old = b_.CreateLoad(next->getType(), place);
      next = by_part({next, old}, next->getType(), [&](llvm::ArrayRef<llvm::Value*> of) {
        return b_.CreateSelect(mask_, of[0], of[1]);
      });
    }
    moves.emplace_back(place, next);
  }
  for (const auto& [place, value] : moves) b_.CreateStore(value, place);
}

namespace {

bool asks_for_all(llvm::Value& condition) {
  using namespace llvm::PatternMatch;
  llvm::Value *left = nullptr, *right = nullptr;
  if (match(&condition, m_LogicalAnd(m_Value(left), m_Value(right))))
    return asks_for_all(*left) || asks_for_all(*right);
  return lower::callee_name(condition) == gang_all;
}

/// Most gangs pass guards as a whole: their code shall lie in one piece.
llvm::MDNode* mostly(llvm::LLVMContext& context) {
  return llvm::MDBuilder(context).createBranchWeights(7, 1);
}

}  // namespace

void Widener::emit_end(llvm::BasicBlock& block) {
  llvm::Instruction* end = block.getTerminator();
  llvm::BitVector pending = pending_[&block];
  const auto at = [&](const llvm::BasicBlock* target) {
    return static_cast<unsigned>(flow_.position(target));
  };
  const auto is_back_edge = [&](const llvm::BasicBlock* target) {
    return at(target) <= at(&block);
  };
  if (llvm::isa<llvm::UnreachableInst>(end)) {
    b_.CreateUnreachable();
    return;
  }
  if (llvm::isa<llvm::ReturnInst>(end)) {
    if (pending.none()) {
      b_.CreateRetVoid();
    } else {
      b_.CreateBr(continue_at(pending));
    }
    return;
  }
  auto* branch = llvm::cast<llvm::BranchInst>(end);
  llvm::BasicBlock* yes = branch->getSuccessor(0);
  if (branch->isUnconditional() || yes == branch->getSuccessor(1)) {
    send(block, *yes, mask_);
    if (is_back_edge(yes)) {
      // Critical edges are split: this latch only goes back, and it runs only with lanes that do:
      // nobody needs to ask again whether there are any.
      llvm::BasicBlock* body = bodies_.lookup(yes);
      b_.CreateBr(body ? body : starts_[yes])
          ->setMetadata(llvm::LLVMContext::MD_loop, loop_notes(*branch));
      return;
    }
    pending.set(at(yes));
    b_.CreateBr(continue_at(pending));
    return;
  }
  llvm::BasicBlock* no = branch->getSuccessor(1);
  if (lower::callee_name(*branch->getCondition()) == gang_small) {
    note(*branch, PlanNote::Kind::Other,
         "32-bit indexes: tested once for the gang; large ones take gathers and scatters");
  } else {
    const llvm::Loop* loop = flow_.loop_of(&block);
    note(*branch, PlanNote::Kind::Branch,
         llvm::Twine(flow_.is_divergent(block) ? "divergent" : "uniform") +
             (loop && loop->isLoopExiting(&block) ? ", leaves a loop" : ""));
  }
  if (!flow_.is_divergent(block)) {
    llvm::Value* condition = scalar(branch->getCondition());
    llvm::Value* nobody = constant_mask(false);
    send(block, *yes, b_.CreateSelect(condition, mask_, nobody));
    send(block, *no, b_.CreateSelect(condition, nobody, mask_));
    llvm::BitVector other = pending;
    pending.set(at(yes));
    other.set(at(no));
    llvm::BasicBlock* first = continue_at(pending);
    b_.CreateCondBr(condition, first, continue_at(other),
                    asks_for_all(*branch->getCondition()) ? mostly(b_.getContext()) : nullptr);
    return;
  }
  llvm::Value* condition = wide(branch->getCondition());
  send(block, *yes, b_.CreateLogicalAnd(mask_, condition));
  send(block, *no, b_.CreateLogicalAnd(mask_, b_.CreateNot(condition)));
  pending.set(at(yes));
  pending.set(at(no));
  b_.CreateBr(continue_at(pending));
}

/// All lanes of an affine value lie on one side of a uniform one when the outermost of each row
/// does and no lane on the way to it wraps.
llvm::Value* Widener::compare_all(const Shapes::Question& question) {
  const Shape shape = shapes_.of(question.affine);
  llvm::Type* type = question.affine->getType();
  llvm::Value* bound = scalar(question.uniform);
  const std::int64_t way = shape.stride * static_cast<std::int64_t>(columns_ - 1);
  llvm::Value* distance =
      llvm::ConstantInt::get(type, llvm::APInt(64, static_cast<std::uint64_t>(way < 0 ? -way : way))
                                       .zextOrTrunc(type->getIntegerBitWidth()));
  const bool known = shape.bounds && (question.is_signed || shape.bounds->low >= 0);
  const bool is_signed = question.is_signed;
  const llvm::Intrinsic::ID step =
      way < 0
          ? (is_signed ? llvm::Intrinsic::ssub_with_overflow : llvm::Intrinsic::usub_with_overflow)
          : (is_signed ? llvm::Intrinsic::sadd_with_overflow : llvm::Intrinsic::uadd_with_overflow);
  const llvm::ICmpInst::Predicate predicate = question.predicate;
  const bool less = predicate == llvm::ICmpInst::ICMP_SLT ||
                    predicate == llvm::ICmpInst::ICMP_SLE ||
                    predicate == llvm::ICmpInst::ICMP_ULT || predicate == llvm::ICmpInst::ICMP_ULE;
  llvm::Value* all = b_.getTrue();
  for (unsigned number = 0; number < (shape.by_row ? rows_ : 1); ++number) {
    llvm::Value* first = row_value(question.affine, number);
    llvm::Value* last = nullptr;
    if (known) {
      last = way < 0 ? b_.CreateSub(first, distance) : b_.CreateAdd(first, distance);
    } else {
      llvm::Value* both = b_.CreateIntrinsic(step, {type}, {first, distance});
      last = b_.CreateExtractValue(both, 0);
      all = b_.CreateAnd(all, b_.CreateNot(b_.CreateExtractValue(both, 1)));
    }
    llvm::Value* outermost = less == (way > 0) ? last : first;
    if (question.extension)
      outermost =
          b_.CreateCast(question.extension->getOpcode(), outermost, question.extension->getType());
    all = b_.CreateAnd(all, b_.CreateICmp(predicate, outermost, bound));
  }
  return all;
}

/// One test of all bits that small numbers do not have.
llvm::Value* Widener::are_small(llvm::CallInst& call) {
  llvm::Value* bits = b_.getInt32(0);
  for (llvm::Value* number : call.args()) {
    const Shape shape = shapes_.of(number);
    if (shape.is_varying()) return b_.getFalse();
    for (unsigned i = 0; i < (shape.by_row ? rows_ : 1); ++i)
      bits = b_.CreateOr(bits, row_value(number, i));
  }
  return b_.CreateICmpULT(bits, b_.getInt32(1u << 30));
}

llvm::Value* Widener::emit_question(llvm::CallInst& call, bool all) {
  llvm::Value* condition = call.getArgOperand(0);
  if (shapes_.of(condition).is_uniform())
    return all ? scalar(condition) : b_.CreateNot(scalar(condition));
  if (const auto question = shapes_.question(call)) return compare_all(*question);
  llvm::Value* lanes = b_.CreateFreeze(wide(condition));
  return b_.CreateNot(any(all ? b_.CreateNot(lanes) : lanes));
}

}  // namespace pycuda::cpu::simt
