// SPDX-License-Identifier: MIT
// Phis of loops to which the latch adds a uniform number.

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/memory/memory_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// A phi, and the instruction that adds `step` to it for the next trip.
struct Walk {
  llvm::PHINode* phi;
  llvm::Instruction* next;
  llvm::Value* step;
};

std::optional<Walk> walk_of(llvm::PHINode& phi, const llvm::Loop& loop) {
  const llvm::BasicBlock* const latch = loop.getLoopLatch();
  llvm::Type* type = phi.getType();
  if (!latch || !loop.getLoopPreheader() ||
      !(type->isPointerTy() || type->isIntegerTy(32) || type->isIntegerTy(64)))
    return std::nullopt;
  llvm::Value* value = behind_copies(phi.getIncomingValueForBlock(latch));
  auto* next = llvm::dyn_cast<llvm::Instruction>(value);
  if (!next || !loop.contains(next)) return std::nullopt;
  if (next->getOpcode() == llvm::Instruction::Add) {
    const unsigned own = next->getOperand(0) == &phi ? 0 : 1;
    if (next->getOperand(own) != &phi) return std::nullopt;
    return Walk{&phi, next, next->getOperand(1 - own)};
  }
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(next);
  if (!address || address->getPointerOperand() != &phi || address->getNumIndices() != 1)
    return std::nullopt;
  return Walk{&phi, next, address->getOperand(1)};
}

/// How far the step goes: in bytes if it steps a pointer.
llvm::Value* length_of(const Walk& walk, llvm::IRBuilder<>& b) {
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(walk.next);
  if (!address) return walk.step;
  const llvm::DataLayout& layout = walk.next->getDataLayout();
  return b.CreateMul(
      b.CreateSExtOrTrunc(walk.step, b.getInt64Ty()),
      b.getInt64(layout.getTypeAllocSize(address->getSourceElementType()).getFixedValue()));
}

void part(const Walk& walk, const llvm::Loop& loop) {
  llvm::Value* start = walk.phi->getIncomingValueForBlock(loop.getLoopPreheader());
  const bool is_pointer = walk.phi->getType()->isPointerTy();
  const auto sum = [&](llvm::IRBuilder<>& b, llvm::Value* distance) {
    return is_pointer ? b.CreateGEP(b.getInt8Ty(), start, distance) : b.CreateAdd(start, distance);
  };
  llvm::IRBuilder<> b(walk.phi);
  llvm::Type* type = is_pointer ? b.getInt64Ty() : walk.phi->getType();
  llvm::PHINode* distance = b.CreatePHI(type, 2, "distance");
  b.SetInsertPoint(loop.getHeader(), loop.getHeader()->getFirstInsertionPt());
  walk.phi->replaceAllUsesWith(sum(b, distance));
  b.SetInsertPoint(walk.next);
  llvm::Value* further = b.CreateAdd(distance, length_of(walk, b), "further");
  llvm::Value* kept = walk.phi->getIncomingValueForBlock(loop.getLoopLatch());
  distance->addIncoming(llvm::ConstantInt::get(type, 0), loop.getLoopPreheader());
  distance->addIncoming(further, loop.getLoopLatch());
  walk.phi->eraseFromParent();
  while (kept != walk.next && kept->use_empty()) {
    auto* copy = llvm::cast<llvm::PHINode>(kept);
    kept = copy->getIncomingValue(0);
    copy->eraseFromParent();
  }
  if (!walk.next->use_empty()) walk.next->replaceAllUsesWith(sum(b, further));
  walk.next->eraseFromParent();
}

}  // namespace

void split_uniform_increments(llvm::Function& function, GangSize size) {
  ControlFlow flow(function), guessed_flow(function);
  std::vector<std::pair<Walk, const llvm::Loop*>> walks;
  for (llvm::BasicBlock* block : flow.order()) {
    if (!flow.is_header(block)) continue;
    for (llvm::PHINode& phi : block->phis()) {
      if (const auto walk = walk_of(phi, *flow.loop_of(block)))
        walks.emplace_back(*walk, flow.loop_of(block));
    }
  }
  if (walks.empty()) return;
  const Shapes shapes(function, flow, size);
  const Shapes guesses(function, guessed_flow, size, true);
  std::erase_if(walks, [&](const auto& each) {
    const auto& [phi, next, step] = each.first;
    return !shapes.of(phi).is_varying() || guesses.of(phi).is_varying() ||
           !shapes.of(step).is_uniform();
  });
  for (const auto& [walk, loop] : walks) part(walk, *loop);
}

}  // namespace pycuda::cpu::simt
