// SPDX-License-Identifier: MIT
// Atomic operations of gangs. One thread of the host runs all threads of a block: what only they
// see needs no atomic instruction.
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <optional>
#include <utility>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

constexpr const char* in_shared_memory =
    "one lane after the other: an update of shared memory, not atomic since the block is alone";
constexpr const char* in_global_memory = "one lane after the other: atomic";

/// An operation whose effect for many lanes is that of one.
struct Combination {
  llvm::Intrinsic::ID reduction;
  llvm::APInt neutral;
};

std::optional<Combination> combination(llvm::AtomicRMWInst::BinOp operation, unsigned bits) {
  using RMW = llvm::AtomicRMWInst;
  const llvm::APInt zero = llvm::APInt::getZero(bits);
  switch (operation) {
    case RMW::Add:
      return Combination{llvm::Intrinsic::vector_reduce_add, zero};
    case RMW::Or:
      return Combination{llvm::Intrinsic::vector_reduce_or, zero};
    case RMW::Xor:
      return Combination{llvm::Intrinsic::vector_reduce_xor, zero};
    case RMW::And:
      return Combination{llvm::Intrinsic::vector_reduce_and, llvm::APInt::getAllOnes(bits)};
    case RMW::Min:
      return Combination{llvm::Intrinsic::vector_reduce_smin, llvm::APInt::getSignedMaxValue(bits)};
    case RMW::Max:
      return Combination{llvm::Intrinsic::vector_reduce_smax, llvm::APInt::getSignedMinValue(bits)};
    case RMW::UMin:
      return Combination{llvm::Intrinsic::vector_reduce_umin, llvm::APInt::getMaxValue(bits)};
    case RMW::UMax:
      return Combination{llvm::Intrinsic::vector_reduce_umax, zero};
    default:
      return std::nullopt;
  }
}

}  // namespace

/// An atomic instruction waits for its memory, and the next one for it: so all lanes' memory is
/// fetched at once, before.
void Widener::prefetch_for_lanes(llvm::Value* pointer) {
  if (!shapes_.of(pointer).is_varying()) return;
  for_each_lane({pointer}, b_.getVoidTy(), [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value*) {
    return b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                              {values[0], b_.getInt32(1), b_.getInt32(3), b_.getInt32(1)});
  });
}

llvm::Value* Widener::emit_atomic(llvm::AtomicRMWInst& operation) {
  const bool alone = is_in_shared(operation.getPointerOperand()) && !operation.isVolatile();
  const auto once = [&](llvm::Value* pointer, llvm::Value* operand) -> llvm::Value* {
    if (!alone) {
      llvm::AtomicRMWInst* made =
          b_.CreateAtomicRMW(operation.getOperation(), pointer, operand, operation.getAlign(),
                             operation.getOrdering(), operation.getSyncScopeID());
      made->setVolatile(operation.isVolatile());
      return made;
    }
    llvm::Value* old = b_.CreateAlignedLoad(operand->getType(), pointer, operation.getAlign());
    b_.CreateAlignedStore(llvm::buildAtomicRMWValue(operation.getOperation(), b_, old, operand),
                          pointer, operation.getAlign());
    return old;
  };
  llvm::Value* pointer = operation.getPointerOperand();
  llvm::Value* operand = operation.getValOperand();
  const bool counts = operation.getOperation() == llvm::AtomicRMWInst::Add;
  if (shapes_.of(pointer).is_uniform() && operation.getType()->isIntegerTy() &&
      !operation.isVolatile() && (operation.use_empty() || counts)) {
    const unsigned bits = operation.getType()->getIntegerBitWidth();
    if (const auto many = combination(operation.getOperation(), bits)) {
      llvm::Value* values = vector(operand);
      if (!is_full(mask_))
        values = b_.CreateSelect(mask_, values,
                                 llvm::ConstantInt::get(values->getType(), many->neutral));
      note(operation, PlanNote::Kind::Other, "an atomic operation of all lanes at once");
      llvm::Value* total = b_.CreateIntrinsic(many->reduction, {values->getType()}, {values});
      llvm::Value* old = once(scalar(pointer), total);
      if (operation.use_empty()) return nullptr;
      return b_.CreateAdd(b_.CreateVectorSplat(lanes_, old), sums_before(values));
    }
  }
  note(operation, PlanNote::Kind::LaneByLane, alone ? in_shared_memory : in_global_memory,
       alone ? ForEachThread::Update : ForEachThread::Atomic, lanes_);
  if (!alone) prefetch_for_lanes(pointer);
  llvm::Type* result = operation.use_empty() ? b_.getVoidTy() : operation.getType();
  return for_each_lane(
      {pointer, operand}, result,
      [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value*) { return once(values[0], values[1]); },
      alone ? LaneBody::Short : LaneBody::Long);
}

/// For each lane, the sum of `values` of all lanes before it.
llvm::Value* Widener::sums_before(llvm::Value* values) {
  llvm::Value* none = llvm::Constant::getNullValue(values->getType());
  const auto moved = [&](llvm::Value* from, unsigned distance) {
    llvm::SmallVector<int, 64> sources;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      sources.push_back(static_cast<int>(lane < distance ? lanes_ : lane - distance));
    return b_.CreateShuffleVector(from, none, sources);
  };
  llvm::Value* sums = moved(values, 1);
  for (unsigned distance = 1; distance < lanes_; distance *= 2)
    sums = b_.CreateAdd(sums, moved(sums, distance));
  return sums;
}

/// Where memory holds something else, an exchange that asks for a value is a load of it: all lanes
/// load at once, and only those that may well exchange try it, one by one.
llvm::Value* Widener::exchange_where_equal(llvm::AtomicCmpXchgInst& operation) {
  llvm::Value* pointer = operation.getPointerOperand();
  llvm::Type* type = operation.getCompareOperand()->getType();
  llvm::Value* pointers = wide(pointer);
  llvm::Value* expected = wide(operation.getCompareOperand());
  wide(operation.getNewValOperand());
  // What was loaded in an earlier trip of a loop tells nothing.
  b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  llvm::Value* seen = b_.CreateMaskedGather(wide_type(type), pointers, operation.getAlign(), mask_,
                                            llvm::Constant::getNullValue(wide_type(type)));
  // An exchange that fails may acquire all the same: what is read next stays behind it.
  b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
  llvm::Value* equal = b_.CreateAnd(b_.CreateICmpEQ(seen, expected), mask_);
  const auto none = [&] { return std::vector<llvm::Value*>{seen, constant_mask(false)}; };
  const auto some = [&] {
    llvm::Value* const all = std::exchange(mask_, equal);
    llvm::Value* tried = for_each_lane(
        {pointer, operation.getCompareOperand(), operation.getNewValOperand()}, operation.getType(),
        [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value*) {
          return b_.CreateAtomicCmpXchg(values[0], values[1], values[2], operation.getAlign(),
                                        operation.getSuccessOrdering(),
                                        operation.getFailureOrdering(), operation.getSyncScopeID());
        });
    mask_ = all;
    return std::vector<llvm::Value*>{
        b_.CreateSelect(equal, b_.CreateExtractValue(tried, 0), seen),
        b_.CreateSelect(equal, b_.CreateExtractValue(tried, 1), constant_mask(false))};
  };
  const std::vector<llvm::Value*> found = either(b_.CreateNot(any(equal)), none, some);
  llvm::Value* both = llvm::PoisonValue::get(
      llvm::StructType::get(b_.getContext(), {found[0]->getType(), found[1]->getType()}));
  return b_.CreateInsertValue(b_.CreateInsertValue(both, found[0], 0), found[1], 1);
}

llvm::Value* Widener::emit_atomic(llvm::AtomicCmpXchgInst& operation) {
  llvm::Value* pointer = operation.getPointerOperand();
  if (!is_in_shared(pointer) && !operation.isVolatile() && shapes_.of(pointer).is_varying() &&
      operation.getCompareOperand()->getType()->isIntegerTy() &&
      operation.getCompareOperand()->getType()->getIntegerBitWidth() >= 32) {
    note(operation, PlanNote::Kind::LaneByLane,
         "a gather; then one after the other those that find what they ask for: atomic",
         ForEachThread::Gather, lanes_);
    return exchange_where_equal(operation);
  }
  if (!is_in_shared(operation.getPointerOperand()) || operation.isVolatile()) {
    prefetch_for_lanes(operation.getPointerOperand());
    return emit_lane_by_lane(operation);
  }
  note(operation, PlanNote::Kind::LaneByLane, in_shared_memory, ForEachThread::Update, lanes_);
  return for_each_lane(
      {operation.getPointerOperand(), operation.getCompareOperand(), operation.getNewValOperand()},
      operation.getType(), [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value*) -> llvm::Value* {
        llvm::Value* old =
            b_.CreateAlignedLoad(values[1]->getType(), values[0], operation.getAlign());
        llvm::Value* same = b_.CreateICmpEQ(old, values[1]);
        b_.CreateAlignedStore(b_.CreateSelect(same, values[2], old), values[0],
                              operation.getAlign());
        llvm::Value* both = llvm::PoisonValue::get(operation.getType());
        return b_.CreateInsertValue(b_.CreateInsertValue(both, old, 0), same, 1);
      });
}

/// An update without an instruction of its own, by the functions that lower makes for it.
llvm::Value* Widener::emit_update(llvm::CallInst& call) {
  llvm::StringRef name = lower::callee_name(call);
  name.consume_front(pseudo::update_prefix);
  llvm::Function* change = source_.getParent()->getFunction((pseudo::change_prefix + name).str());
  llvm::Value* pointer = call.getArgOperand(0);
  llvm::Value* operand = call.getArgOperand(1);
  llvm::Type* type = call.getType();
  llvm::Type* result = call.use_empty() ? b_.getVoidTy() : type;
  const llvm::Align alignment(type->getIntegerBitWidth() / 8);
  const bool alone = is_in_shared(pointer);
  if (!shapes_.of(pointer).is_uniform()) {
    note(call, PlanNote::Kind::LaneByLane, alone ? in_shared_memory : in_global_memory,
         alone ? ForEachThread::Update : ForEachThread::Atomic, lanes_);
    return for_each_lane({pointer, operand}, result,
                         [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value*) -> llvm::Value* {
                           if (!alone) return b_.CreateCall(call.getCalledFunction(), values);
                           llvm::Value* old = b_.CreateAlignedLoad(type, values[0], alignment);
                           b_.CreateAlignedStore(b_.CreateCall(change, {old, values[1]}), values[0],
                                                 alignment);
                           return old;
                         });
  }
  note(call, PlanNote::Kind::Other, "an atomic operation of all lanes at once");
  // All lanes in one step: the same as one after the other.
  llvm::Value* place = scalar(pointer);
  llvm::AllocaInst* running = slot(type, "running");
  const auto change_all = [&](llvm::Value* old) {
    b_.CreateStore(old, running);
    return for_each_lane({operand}, result, [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value*) {
      llvm::Value* before = b_.CreateLoad(type, running);
      b_.CreateStore(b_.CreateCall(change, {before, values[0]}), running);
      return before;
    });
  };
  if (alone) {
    llvm::Value* results = change_all(b_.CreateAlignedLoad(type, place, alignment));
    b_.CreateAlignedStore(b_.CreateLoad(type, running), place, alignment);
    return results;
  }
  llvm::LoadInst* first = b_.CreateAlignedLoad(type, place, alignment);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* loop = new_block("update");
  llvm::BasicBlock* done = new_block("updated");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* old = b_.CreatePHI(type, 2);
  old->addIncoming(first, before);
  llvm::Value* results = change_all(old);
  llvm::Value* exchange =
      b_.CreateAtomicCmpXchg(place, old, b_.CreateLoad(type, running), alignment,
                             llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Monotonic);
  old->addIncoming(b_.CreateExtractValue(exchange, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), done, loop);
  b_.SetInsertPoint(done);
  return results;
}

}  // namespace pycuda::cpu::simt
