// SPDX-License-Identifier: MIT
// Warp operations of a gang that is a warp: for its active lanes, as exec/warp_ops does them for
// threads. Values of lanes that are not active may be poison: they are selected away, or frozen.
#include <cassert>
#include <vector>

#include "cpu/kernel_abi/shuffle.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned lane_count = warp_lanes;

llvm::Constant* lane_numbers(llvm::IRBuilder<>& b) {
  llvm::SmallVector<llvm::Constant*, lane_count> numbers;
  for (unsigned lane = 0; lane < lane_count; ++lane) numbers.push_back(b.getInt32(lane));
  return llvm::ConstantVector::get(numbers);
}

}  // namespace

/// Both results, as i64 or vectors of it.
llvm::Value* Widener::pair(llvm::Value* first, llvm::Value* second) {
  const auto wide = [&](llvm::Value* value) {
    return b_.CreateZExt(value, value->getType()->getWithNewBitWidth(64));
  };
  first = wide(first);
  second = wide(second);
  llvm::Value* both = llvm::PoisonValue::get(
      llvm::StructType::get(b_.getContext(), {first->getType(), second->getType()}));
  return b_.CreateInsertValue(b_.CreateInsertValue(both, first, 0), second, 1);
}

/// The active ones of `lanes` (<32 x i1>) as an i32.
llvm::Value* Widener::lanes_in(llvm::Value* lanes) {
  if (!is_full(mask_)) lanes = b_.CreateLogicalAnd(mask_, lanes);
  return b_.CreateBitCast(lanes, b_.getInt32Ty());
}

llvm::Value* Widener::emit_warp_operation(llvm::CallInst& call) {
  assert(lanes_ == lane_count);
  const auto operation =
      static_cast<WarpOp>(llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue());
  note_warp_order(call);
  if (is_shuffle(operation))
    return shapes_.of(&call).is_uniform() ? emit_broadcast(call) : emit_shuffle(operation, call);
  note_warp_operation(call, nullptr);
  llvm::Value* none = b_.getInt32(0);
  switch (operation) {
    case WarpOp::Sync:
      return pair(none, none);
    case WarpOp::ActiveMask:
      return pair(bits_of_mask(), none);
    case WarpOp::VoteAll:
    case WarpOp::VoteAny:
    case WarpOp::VoteUniform:
    case WarpOp::VoteBallot:
      return emit_vote(operation, vector(call.getArgOperand(3)));
    case WarpOp::MatchAny:
      return emit_match_any(vector(call.getArgOperand(3)));
    case WarpOp::MatchAll:
      return emit_match_all(vector(call.getArgOperand(3)));
    case WarpOp::CountRun:
    case WarpOp::CountBranch:
    case WarpOp::CountAccess:
      return emit_count(operation, call);
    default:
      return emit_reduction(operation, vector(call.getArgOperand(3)));
  }
}

llvm::Value* Widener::emit_vote(WarpOp operation, llvm::Value* values) {
  llvm::Value* none = b_.getInt32(0);
  llvm::Value* ballot =
      lanes_in(b_.CreateICmpNE(values, llvm::Constant::getNullValue(values->getType())));
  llvm::Value* all = b_.CreateICmpEQ(ballot, bits_of_mask());
  llvm::Value* nobody = b_.CreateICmpEQ(ballot, none);
  switch (operation) {
    case WarpOp::VoteAll:
      return pair(all, none);
    case WarpOp::VoteAny:
      return pair(b_.CreateNot(nobody), none);
    case WarpOp::VoteUniform:
      return pair(b_.CreateOr(all, nobody), none);
    default:
      return pair(ballot, none);
  }
}

/// A round for each value that occurs.
llvm::Value* Widener::emit_match_any(llvm::Value* values) {
  llvm::Type* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lane_count);
  llvm::Value* all = bits_of_mask();
  values = b_.CreateFreeze(values);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* loop = new_block("match");
  llvm::BasicBlock* after = new_block("matched");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* left = b_.CreatePHI(b_.getInt32Ty(), 2);
  llvm::PHINode* found = b_.CreatePHI(type, 2);
  left->addIncoming(all, before);
  found->addIncoming(llvm::Constant::getNullValue(type), before);
  llvm::Value* first =
      b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt32Ty()}, {left, b_.getTrue()});
  llvm::Value* value = b_.CreateExtractElement(values, first);
  llvm::Value* same = b_.CreateICmpEQ(values, b_.CreateVectorSplat(lane_count, value));
  llvm::Value* equal = lanes_in(same);
  llvm::Value* next = b_.CreateSelect(same, b_.CreateVectorSplat(lane_count, equal), found);
  llvm::Value* rest = b_.CreateAnd(left, b_.CreateNot(equal));
  left->addIncoming(rest, loop);
  found->addIncoming(next, loop);
  b_.CreateCondBr(b_.CreateIsNotNull(rest), loop, after);
  b_.SetInsertPoint(after);
  return pair(next, b_.CreateVectorSplat(lane_count, b_.getInt32(1)));
}

llvm::Value* Widener::emit_match_all(llvm::Value* values) {
  llvm::Value* active = bits_of_mask();
  llvm::Value* first =
      b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt32Ty()}, {active, b_.getTrue()});
  llvm::Value* value = b_.CreateExtractElement(values, first);
  llvm::Value* equal = lanes_in(b_.CreateICmpEQ(values, b_.CreateVectorSplat(lane_count, value)));
  llvm::Value* all = b_.CreateICmpEQ(equal, active);
  return pair(b_.CreateSelect(all, active, b_.getInt32(0)), all);
}

llvm::Value* Widener::emit_reduction(WarpOp operation, llvm::Value* values) {
  struct Reduction {
    llvm::Intrinsic::ID id;
    std::uint32_t neutral;
  };
  const auto reduction = [&]() -> Reduction {
    switch (operation) {
      case WarpOp::ReduceAdd:
        return {llvm::Intrinsic::vector_reduce_add, 0};
      case WarpOp::ReduceMinU32:
        return {llvm::Intrinsic::vector_reduce_umin, 0xffffffff};
      case WarpOp::ReduceMaxU32:
        return {llvm::Intrinsic::vector_reduce_umax, 0};
      case WarpOp::ReduceMinS32:
        return {llvm::Intrinsic::vector_reduce_smin, 0x7fffffff};
      case WarpOp::ReduceMaxS32:
        return {llvm::Intrinsic::vector_reduce_smax, 0x80000000};
      case WarpOp::ReduceAnd:
        return {llvm::Intrinsic::vector_reduce_and, 0xffffffff};
      case WarpOp::ReduceOr:
        return {llvm::Intrinsic::vector_reduce_or, 0};
      default:
        return {llvm::Intrinsic::vector_reduce_xor, 0};
    }
  }();
  llvm::Type* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lane_count);
  values = b_.CreateTrunc(values, type);
  if (!is_full(mask_))
    values = b_.CreateSelect(mask_, values,
                             b_.CreateVectorSplat(lane_count, b_.getInt32(reduction.neutral)));
  return pair(b_.CreateIntrinsic(reduction.id, {type}, {values}), b_.getInt32(0));
}

/// What a shuffle gives: of `moved` where the lane that is read takes part, which `there` tells
/// (null: all do), else the lane's own one of `values`.
llvm::Value* Widener::taken(llvm::CallInst& call, llvm::Value* there, llvm::Value* moved,
                            llvm::Value* values) {
  note_warp_operation(call, there != nullptr ? b_.CreateNot(there) : nullptr);
  return there != nullptr ? b_.CreateSelect(there, moved, values) : moved;
}

/// One lane's value, which is active.
llvm::Value* Widener::emit_broadcast(llvm::CallInst& shuffle) {
  note_warp_operation(shuffle, nullptr);
  llvm::Value* value = shuffle.getArgOperand(3);
  if (shapes_.of(value).is_uniform())
    return pair(b_.CreateTrunc(scalar(value), b_.getInt32Ty()), b_.getInt32(1));
  llvm::Type* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lane_count);
  llvm::Value* values = b_.CreateTrunc(vector(value), type);
  llvm::Value* lane = b_.CreateTrunc(scalar(shuffle.getArgOperand(4)), b_.getInt32Ty());
  lane = b_.CreateAnd(lane, b_.getInt32(lane_count - 1));
  return pair(b_.CreateExtractElement(values, lane), b_.getInt32(1));
}

llvm::Value* Widener::emit_shuffle(WarpOp operation, llvm::CallInst& call) {
  llvm::Type* type = llvm::FixedVectorType::get(b_.getInt32Ty(), lane_count);
  llvm::Value* values = b_.CreateTrunc(vector(call.getArgOperand(3)), type);
  const std::vector<std::uint64_t> distance = constants_.of(*call.getArgOperand(4));
  const std::vector<std::uint64_t> shape = constants_.of(*call.getArgOperand(5));
  if (!distance.empty() && !shape.empty()) {
    llvm::SmallVector<int, lane_count> sources;
    llvm::SmallVector<llvm::Constant*, lane_count> in_range;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
      const ShuffleSource source =
          shuffle_source(operation, lane, static_cast<unsigned>(distance[lane] & 31),
                         static_cast<unsigned>(shape[lane]));
      sources.push_back(static_cast<int>(source.lane));
      in_range.push_back(b_.getInt32(source.in_range ? 1 : 0));
    }
    llvm::Value* moved = b_.CreateShuffleVector(values, sources);
    llvm::Value* there = is_full(mask_) ? nullptr : b_.CreateShuffleVector(mask_, sources);
    return pair(taken(call, there, moved, values), llvm::ConstantVector::get(in_range));
  }
  const auto all = [&](llvm::Value* value) { return b_.CreateVectorSplat(lane_count, value); };
  llvm::Value* lane = lane_numbers(b_);
  llvm::Value* b =
      b_.CreateAnd(b_.CreateTrunc(vector(call.getArgOperand(4)), type), all(b_.getInt32(31)));
  llvm::Value* c = b_.CreateTrunc(vector(call.getArgOperand(5)), type);
  llvm::Value* clamp = b_.CreateAnd(c, all(b_.getInt32(31)));
  llvm::Value* segment = b_.CreateAnd(b_.CreateLShr(c, all(b_.getInt32(8))), all(b_.getInt32(31)));
  llvm::Value* lowest = b_.CreateAnd(lane, segment);
  llvm::Value* limit = b_.CreateOr(lowest, b_.CreateAnd(clamp, b_.CreateNot(segment)));
  llvm::Value* source = nullptr;
  switch (operation) {
    case WarpOp::ShuffleUp:
      source = b_.CreateSub(lane, b);
      break;
    case WarpOp::ShuffleDown:
      source = b_.CreateAdd(lane, b);
      break;
    case WarpOp::ShuffleButterfly:
      source = b_.CreateXor(lane, b);
      break;
    default:
      source = b_.CreateOr(lowest, b_.CreateAnd(b, b_.CreateNot(segment)));
  }
  llvm::Value* in_range = operation == WarpOp::ShuffleUp ? b_.CreateICmpSGE(source, limit)
                                                         : b_.CreateICmpSLE(source, limit);
  llvm::Value* index = b_.CreateSelect(in_range, source, lane);
  index = b_.CreateAnd(b_.CreateFreeze(index), all(b_.getInt32(31)));
  // Through memory: there is no other permutation by a variable that fits all processors.
  llvm::AllocaInst* place = slot(type, "shuffled");
  b_.CreateStore(values, place);
  llvm::Value* moved = b_.CreateMaskedGather(type, b_.CreateGEP(b_.getInt32Ty(), place, index),
                                             llvm::Align(4), constant_mask(true));
  llvm::Value* there = nullptr;
  if (!is_full(mask_)) {
    there = b_.CreateIsNotNull(
        b_.CreateAnd(b_.CreateLShr(all(bits_of_mask()), index), all(b_.getInt32(1))));
  }
  return pair(taken(call, there, moved, values), in_range);
}

}  // namespace pycuda::cpu::simt
