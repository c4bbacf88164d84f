// SPDX-License-Identifier: MIT

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>

#include "cpu/jit/finishing_passes.h"

namespace pycuda::cpu::jit {
namespace {

/// Of fewer lanes the branches are as short as the loop. Of more there is no integer with a bit for
/// each lane that fits a register.
constexpr unsigned fewest_lanes = 8, most_lanes = 64;

/// The operands of a masked access.
struct Access {
  llvm::IntrinsicInst* call;
  bool is_load;
  llvm::Value* place;  ///< of consecutive elements, or a vector with the address of each
  llvm::Value* mask;
  llvm::Value* value;  ///< what is stored, or what inactive lanes of a load become
  llvm::Align alignment;
  llvm::FixedVectorType* type;

  unsigned lanes() const { return type->getNumElements(); }
  bool is_consecutive() const { return !place->getType()->isVectorTy(); }
};

/// `instruction` as a masked access, without `type` if it is none.
Access access_of(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  const llvm::Intrinsic::ID id =
      call != nullptr ? call->getIntrinsicID() : llvm::Intrinsic::not_intrinsic;
  const bool is_load = id == llvm::Intrinsic::masked_load || id == llvm::Intrinsic::masked_gather;
  if (!is_load && id != llvm::Intrinsic::masked_store && id != llvm::Intrinsic::masked_scatter)
    return {};
  // A store has its value before the operands that both have.
  const unsigned first = is_load ? 0 : 1;
  llvm::Value* const value = call->getArgOperand(is_load ? 3 : 0);
  return {call,
          is_load,
          call->getArgOperand(first),
          call->getArgOperand(first + 2),
          value,
          llvm::cast<llvm::ConstantInt>(call->getArgOperand(first + 1))->getAlignValue(),
          llvm::dyn_cast<llvm::FixedVectorType>(value->getType())};
}

bool is_legal(const Access& access, const llvm::TargetTransformInfo& target) {
  if (access.is_consecutive())
    return access.is_load ? target.isLegalMaskedLoad(access.type, access.alignment)
                          : target.isLegalMaskedStore(access.type, access.alignment);
  return access.is_load ? target.isLegalMaskedGather(access.type, access.alignment) &&
                              !target.forceScalarizeMaskedGather(access.type, access.alignment)
                        : target.isLegalMaskedScatter(access.type, access.alignment) &&
                              !target.forceScalarizeMaskedScatter(access.type, access.alignment);
}

/// Elements of bits would not have an address each.
bool has_whole_bytes(llvm::Type* element, const llvm::DataLayout& layout) {
  return layout.getTypeSizeInBits(element) == layout.getTypeStoreSizeInBits(element);
}

/// Constant masks become accesses of the lanes that they name.
bool becomes_loop(const Access& access, const llvm::TargetTransformInfo& target,
                  const llvm::DataLayout& layout) {
  return access.type != nullptr && access.lanes() >= fewest_lanes && access.lanes() <= most_lanes &&
         !llvm::isa<llvm::Constant>(access.mask) &&
         has_whole_bytes(access.type->getElementType(), layout) && !is_legal(access, target);
}

class MaskedLoops {
 public:
  explicit MaskedLoops(llvm::Function& function)
      : function_(function), layout_(function.getDataLayout()) {}

  void replace(const Access& access) {
    llvm::IRBuilder<> builder(access.call);
    llvm::Type* const bits_type = builder.getIntNTy(access.lanes());
    // An undefined lane could be active for the test and inactive for the loop.
    llvm::Value* const bits = builder.CreateBitCast(builder.CreateFreeze(access.mask), bits_type);
    if (!access.is_consecutive()) return finish(access, loop(access, bits, *access.call));
    llvm::Value* const all =
        builder.CreateICmpEQ(bits, llvm::ConstantInt::getAllOnesValue(bits_type));
    llvm::Instruction *whole_end = nullptr, *rest_end = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(
        all, access.call, &whole_end, &rest_end,
        llvm::MDBuilder(function_.getContext()).createLikelyBranchWeights());
    llvm::Value* const whole = access_whole(access, *whole_end);
    llvm::Value* const rest = loop(access, bits, *rest_end);
    if (!access.is_load) return finish(access, nullptr);
    builder.SetInsertPoint(access.call);
    llvm::PHINode* const loaded = builder.CreatePHI(access.type, 2);
    loaded->addIncoming(whole, whole_end->getParent());
    loaded->addIncoming(rest, rest_end->getParent());
    finish(access, loaded);
  }

 private:
  static void finish(const Access& access, llvm::Value* loaded) {
    if (loaded != nullptr) access.call->replaceAllUsesWith(loaded);
    access.call->eraseFromParent();
  }

  static llvm::Value* access_whole(const Access& access, llvm::Instruction& before) {
    llvm::IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(access.call->getDebugLoc());
    llvm::Instruction* made =
        access.is_load ? static_cast<llvm::Instruction*>(
                             builder.CreateAlignedLoad(access.type, access.place, access.alignment))
                       : builder.CreateAlignedStore(access.value, access.place, access.alignment);
    made->copyMetadata(*access.call);
    return made;
  }

  using Buffers = std::map<llvm::Type*, llvm::AllocaInst*>;

  /// One for all accesses of a type: nothing is in it from one access to the next.
  llvm::AllocaInst* buffer_of(Buffers& buffers, llvm::Type* type) {
    llvm::AllocaInst*& buffer = buffers[type];
    if (buffer == nullptr) {
      llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
      buffer = builder.CreateAlloca(type);
    }
    return buffer;
  }

  /// The access for each active lane, lowest first, before `before`; gives what is loaded.
  llvm::Value* loop(const Access& access, llvm::Value* bits, llvm::Instruction& before) {
    llvm::Type* const element = access.type->getElementType();
    llvm::AllocaInst* const values = buffer_of(values_, access.type);
    llvm::IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(access.call->getDebugLoc());
    builder.CreateStore(access.value, values);
    llvm::AllocaInst* places = nullptr;
    if (!access.is_consecutive()) {
      places = buffer_of(places_, access.place->getType());
      builder.CreateStore(access.place, places);
    }

    llvm::BasicBlock* const start = before.getParent();
    llvm::BasicBlock* const end = llvm::SplitBlock(start, &before);
    llvm::BasicBlock* const body =
        llvm::BasicBlock::Create(function_.getContext(), "active.lane", &function_, end);
    llvm::Value* const none = llvm::ConstantInt::getNullValue(bits->getType());
    builder.SetInsertPoint(start->getTerminator());
    builder.CreateCondBr(builder.CreateICmpEQ(bits, none), end, body);
    start->getTerminator()->eraseFromParent();

    builder.SetInsertPoint(body);
    llvm::PHINode* const left = builder.CreatePHI(bits->getType(), 2);
    llvm::Value* const lane = builder.CreateZExtOrTrunc(
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue()),
        builder.getInt64Ty());
    llvm::Value* const in_buffer = builder.CreateInBoundsGEP(element, values, lane);
    llvm::Type* const address = access.place->getType()->getScalarType();
    llvm::Value* const place =
        places == nullptr
            ? builder.CreateGEP(element, access.place, lane)
            : builder.CreateLoad(address, builder.CreateInBoundsGEP(address, places, lane));
    const llvm::Align alignment =
        places == nullptr
            ? llvm::commonAlignment(access.alignment, layout_.getTypeStoreSize(element))
            : access.alignment;
    if (access.is_load)
      builder.CreateStore(builder.CreateAlignedLoad(element, place, alignment), in_buffer);
    else
      builder.CreateAlignedStore(builder.CreateLoad(element, in_buffer), place, alignment);
    llvm::Value* const next = builder.CreateAnd(
        left, builder.CreateSub(left, llvm::ConstantInt::get(bits->getType(), 1)));
    builder.CreateCondBr(builder.CreateICmpEQ(next, none), end, body);
    left->addIncoming(bits, start);
    left->addIncoming(next, body);

    if (!access.is_load) return nullptr;
    builder.SetInsertPoint(&before);
    return builder.CreateLoad(access.type, values);
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  Buffers values_, places_;  ///< apart: what is read or written may be addresses too
};

}  // namespace

bool loop_over_masked_lanes(llvm::Module& module, llvm::TargetMachine& target) {
  bool changed = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::TargetTransformInfo processor = target.getTargetTransformInfo(function);
    // Not their operands: one may be the result of another, which is replaced first.
    llvm::SmallVector<llvm::Instruction*> accesses;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (becomes_loop(access_of(instruction), processor, module.getDataLayout()))
        accesses.push_back(&instruction);
    }
    MaskedLoops loops(function);
    for (llvm::Instruction* access : accesses) loops.replace(access_of(*access));
    changed |= !accesses.empty();
  }
  return changed;
}

}  // namespace pycuda::cpu::jit
