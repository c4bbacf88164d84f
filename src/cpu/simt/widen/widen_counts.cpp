// SPDX-License-Identifier: MIT
// What a gang that is a warp counts (kernel_abi/counters.h): in line where the numbers follow from
// the mask or a stride, else by a call with the lanes' addresses.
#include <llvm/IR/Module.h>

#include <cstddef>

#include "cpu/kernel_abi/counters.h"
#include "cpu/simt/lanes/warp_sites.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

llvm::Value* Widener::emit_count(WarpOp operation, llvm::CallInst& call) {
  const std::uint64_t packed = llvm::cast<llvm::ConstantInt>(call.getArgOperand(4))->getZExtValue();
  const auto word = static_cast<std::uint32_t>(packed);
  llvm::Value* value = call.getArgOperand(3);
  const auto lanes = [&](llvm::Value* mask) {
    return b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), b_.getInt64Ty());
  };
  switch (operation) {
    case WarpOp::CountRun:
      add_to_counter(word, b_.getInt64(1));
      add_to_counter(word + 1, is_full(mask_) ? b_.getInt64(warp_lanes) : lanes(bits_of_mask()));
      break;
    case WarpOp::CountBranch: {
      add_to_counter(word, b_.getInt64(1));
      if (shapes_.of(value).is_uniform()) break;
      llvm::Value* ways = b_.CreateFreeze(vector(value));
      llvm::Value* mask = bits_of_mask();
      llvm::Value* first =
          b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt32Ty()}, {mask, b_.getFalse()});
      first = b_.CreateAnd(first, b_.getInt32(warp_lanes - 1));
      llvm::Value* way = b_.CreateVectorSplat(warp_lanes, b_.CreateExtractElement(ways, first));
      llvm::Value* others = lanes_in(b_.CreateICmpNE(ways, way));
      add_to_counter(word + 1, b_.CreateZExt(b_.CreateIsNotNull(others), b_.getInt64Ty()));
      break;
    }
    default:
      count_access(value, word, static_cast<std::uint32_t>(packed >> 32));
  }
  return pair(b_.getInt32(0), b_.getInt32(0));
}

void Widener::count_access(llvm::Value* value, std::uint32_t word, std::uint32_t access) {
  llvm::Module& module = *source_.getParent();
  const auto function = [&](const char* name, llvm::ArrayRef<llvm::Type*> types) {
    llvm::SmallVector<llvm::Type*, 6> all{b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty(),
                                          b_.getInt32Ty()};
    all.append(types.begin(), types.end());
    llvm::FunctionCallee made =
        module.getOrInsertFunction(name, llvm::FunctionType::get(b_.getVoidTy(), all, false));
    llvm::cast<llvm::Function>(made.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    return made;
  };
  llvm::Value* mask = bits_of_mask();
  llvm::Value* thread = target_->getArg(0);
  const Shape shape = shapes_.of(value);
  if (shape.is_varying()) {
    llvm::Value* addresses = vector(value);
    llvm::AllocaInst* memory = slot(addresses->getType(), "addresses");
    b_.CreateStore(addresses, memory);
    b_.CreateCall(function("pycuda_cpu_count_access", {b_.getPtrTy()}),
                  {thread, b_.getInt32(word), b_.getInt32(access), mask, memory});
    return;
  }
  llvm::Value* first = scalar(value);
  const auto count = [&] {
    b_.CreateCall(function("pycuda_cpu_count_strided", {b_.getInt64Ty(), b_.getInt64Ty()}),
                  {thread, b_.getInt32(word), b_.getInt32(access), mask, first,
                   llvm::ConstantInt::getSigned(b_.getInt64Ty(), shape.stride)});
  };
  const CountedAccess what = CountedAccess::of(access);
  // Neighbouring lanes' bytes lie side by side: the usual case needs no call.
  const bool adjacent = what.space == CountedSpace::Global && shape.stride == what.bytes;
  const bool one_wave =
      what.space == CountedSpace::Shared && shape.stride == what.bytes && what.bytes == 4;
  if (!is_full(mask_) || (!adjacent && !one_wave)) {
    count();
    return;
  }
  // The first of a block's worker keeps the addresses as a sample.
  llvm::Value* requests = b_.CreateLoad(b_.getInt64Ty(), counter(word));
  llvm::BasicBlock* known = llvm::BasicBlock::Create(b_.getContext(), "counted", target_);
  llvm::BasicBlock* unknown = llvm::BasicBlock::Create(b_.getContext(), "counts", target_);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(b_.getContext(), "", target_);
  b_.CreateCondBr(b_.CreateIsNotNull(requests), known, unknown);
  b_.SetInsertPoint(unknown);
  count();
  b_.CreateBr(done);
  b_.SetInsertPoint(known);
  constexpr std::uint64_t sector = 32;
  add_to_counter(word, b_.getInt64(1));
  llvm::Value* parts = b_.getInt64(1);
  if (adjacent)
    parts = b_.CreateLShr(
        b_.CreateAdd(b_.CreateAnd(first, sector - 1),
                     b_.getInt64(std::uint64_t{warp_lanes} * what.bytes + sector - 1)),
        5);
  add_to_counter(word + 1, parts);
  add_to_counter(word + 2, b_.getInt64(adjacent ? std::uint64_t{what.bytes} : 1));
  add_to_counter(word + 3, b_.getInt64(warp_lanes));
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// The address of a word of the block's.
llvm::Value* Widener::counter(std::uint32_t word) {
  const auto follow = [&](llvm::Value* base, std::size_t offset) {
    llvm::LoadInst* load =
        b_.CreateLoad(b_.getPtrTy(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return load;
  };
  llvm::Value* block = follow(target_->getArg(0), offsetof(ThreadFrame, block));
  return b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(),
                                       follow(block, offsetof(BlockFrame, counters)), word);
}

void Widener::add_to_counter(std::uint32_t word, llvm::Value* number) {
  llvm::Value* place = counter(word);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), place), number), place);
}

}  // namespace pycuda::cpu::simt
