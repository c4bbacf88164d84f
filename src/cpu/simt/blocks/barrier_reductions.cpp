// SPDX-License-Identifier: MIT

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <cstddef>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/blocks/block_passes.h"

namespace pycuda::cpu::simt {

using namespace llvm::PatternMatch;
namespace pseudo = lower::pseudo;

namespace {

std::vector<llvm::CallInst*> reductions_in(llvm::Function& function) {
  std::vector<llvm::CallInst*> found = calls_of(function, pseudo::barrier_reduce);
  std::erase_if(found, [](const llvm::CallInst* call) {
    return !match(call->getArgOperand(1), m_Zero()) || !match(call->getArgOperand(2), m_Zero());
  });
  return found;
}

}  // namespace

void expand_barrier_reductions(llvm::Function& function) {
  const std::vector<llvm::CallInst*> calls = reductions_in(function);
  if (calls.empty()) return;
  llvm::Value* thread = function.getArg(0);
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> b(&entry, entry.getFirstInsertionPt());
  llvm::AllocaInst* round = b.CreateAlloca(b.getInt32Ty(), nullptr, "round");
  b.CreateStore(b.getInt32(0), round);
  llvm::Value* block = load_block(b, thread);
  llvm::Value* sums =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), block, offsetof(BlockFrame, barrier_sums));
  constexpr std::uint64_t one_thread = std::uint64_t{1} << 32;
  for (llvm::CallInst* call : calls) {
    b.SetInsertPoint(call);
    llvm::Value* now = b.CreateLoad(b.getInt32Ty(), round);
    const auto following = [&](llvm::Value* number) {
      return b.CreateSelect(b.CreateICmpEQ(number, b.getInt32(block_barrier_sums - 1)),
                            b.getInt32(0), b.CreateAdd(number, b.getInt32(1)));
    };
    llvm::Value* next = following(now);
    const auto sum_of = [&](llvm::Value* number) {
      return b.CreateGEP(b.getInt64Ty(), sums, b.CreateZExt(number, b.getInt64Ty()));
    };
    // Threads in the upper half, those whose predicate holds in the lower one.
    llvm::Value* own = b.CreateOr(b.CreateZExt(call->getArgOperand(3), b.getInt64Ty()), one_thread);
    b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, sum_of(now), own, llvm::Align(8),
                      llvm::AtomicOrdering::Monotonic);
    llvm::CallInst* waiting = call_by_name(b, pseudo::barrier_sync, b.getVoidTy(),
                                           {thread, b.getInt32(0), b.getInt32(0)});
    for (const auto kind :
         {llvm::Attribute::NoUnwind, llvm::Attribute::Convergent, llvm::Attribute::NoDuplicate})
      waiting->getCalledFunction()->addFnAttr(kind);
    waiting->setDoesNotThrow();
    waiting->setConvergent();
    llvm::Value* sum = b.CreateLoad(b.getInt64Ty(), sum_of(now));
    b.CreateStore(b.getInt64(0), sum_of(following(next)));
    b.CreateStore(next, round);
    llvm::Value* holds = b.CreateTrunc(sum, b.getInt32Ty());
    llvm::Value* threads = b.CreateTrunc(b.CreateLShr(sum, 32), b.getInt32Ty());
    const auto* kind = llvm::cast<llvm::ConstantInt>(call->getArgOperand(4));
    llvm::Value* result = holds;
    switch (static_cast<BarrierReduce>(kind->getZExtValue())) {
      case BarrierReduce::Popc:
        break;
      case BarrierReduce::And:
        result = b.CreateZExt(b.CreateICmpEQ(holds, threads), b.getInt32Ty());
        break;
      case BarrierReduce::Or:
        result = b.CreateZExt(b.CreateIsNotNull(holds), b.getInt32Ty());
        break;
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
