// SPDX-License-Identifier: MIT
// Which loops step over the grid: a counter whose step is computed from nctaid.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/memory/memory_passes.h"

namespace pycuda::cpu::simt {
namespace {

bool reads_grid_size(const llvm::Value* value) {
  return find_in_slice({value}, [](const llvm::Instruction& source) {
    if (special_register(&source) == "nctaid.x") return Slice::Found;
    return is_plain_arithmetic(source) ? Slice::Through : Slice::Past;
  });
}

/// Whether `phi`, which differs between lanes, grows by a step that depends on the grid.
bool steps_over_grid(const llvm::PHINode& phi, const llvm::BasicBlock& latch,
                     const Shapes& shapes) {
  if (!shapes.of(&phi).is_affine()) return false;
  const llvm::Value* next = behind_copies(phi.getIncomingValueForBlock(&latch));
  // An unrolled loop makes several steps a trip.
  bool grows = false;
  for (const auto* add = llvm::dyn_cast<llvm::BinaryOperator>(next);
       add && add->getOpcode() == llvm::Instruction::Add;
       add = llvm::dyn_cast<llvm::BinaryOperator>(next)) {
    const bool left = shapes.of(add->getOperand(0)).is_affine();
    const llvm::Value* step = add->getOperand(left ? 1 : 0);
    if (!shapes.of(step).is_uniform()) return false;
    grows |= reads_grid_size(step);
    next = add->getOperand(left ? 0 : 1);
  }
  if (next == &phi) return grows;
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(next);
  return address && address->getPointerOperand() == &phi && address->getNumIndices() == 1 &&
         reads_grid_size(address->getOperand(1));
}

bool touches_memory(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return true;
    }
  }
  return false;
}

}  // namespace

bool pause_in_grid_strides(llvm::Function& function, unsigned lanes) {
  ControlFlow flow(function);
  const Shapes shapes(function, flow, lanes);
  flow.assign_owners();
  std::vector<llvm::BasicBlock*> latches;
  for (llvm::BasicBlock* block : flow.order()) {
    const llvm::Loop* loop = flow.loop_of(block);
    if (!loop || loop->getHeader() != block || flow.is_divergent(*loop)) continue;
    llvm::BasicBlock* latch = loop->getLoopLatch();
    if (!latch || flow.owner(*latch) != &function.getEntryBlock() || !touches_memory(*loop))
      continue;
    for (const llvm::PHINode& phi : block->phis()) {
      if (!steps_over_grid(phi, *latch, shapes)) continue;
      latches.push_back(latch);
      break;
    }
  }
  for (llvm::BasicBlock* latch : latches) {
    llvm::IRBuilder<> b(latch->getTerminator());
    llvm::CallInst* call = call_by_name(b, gang_pause, b.getVoidTy(), function.getArg(0));
    call->setConvergent();
    call->setDoesNotThrow();
  }
  return !latches.empty();
}

bool may_stride_over_grid(llvm::Function& kernel, unsigned lanes) {
  ControlFlow flow(kernel);
  const Shapes shapes(kernel, flow, lanes);
  return llvm::any_of(flow.order(), [&](const llvm::BasicBlock* block) {
    const llvm::Loop* loop = flow.loop_of(block);
    const llvm::BasicBlock* latch =
        loop && loop->getHeader() == block ? loop->getLoopLatch() : nullptr;
    return latch && touches_memory(*loop) &&
           llvm::any_of(block->phis(), [&](const llvm::PHINode& phi) {
             return steps_over_grid(phi, *latch, shapes);
           });
  });
}

void drop_pauses(llvm::Function& gang) {
  for (llvm::CallInst* pause : calls_of(gang, gang_pause)) pause->eraseFromParent();
}

}  // namespace pycuda::cpu::simt
