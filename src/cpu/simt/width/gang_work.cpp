// SPDX-License-Identifier: MIT
#include "cpu/simt/width/gang_work.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cstdlib>

namespace pycuda::cpu::simt {

bool reads_data(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::LoadInst>(instruction) &&
         !instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load);
}

bool writes_data(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store &&
         !llvm::isa<llvm::Argument>(store->getPointerOperand()->stripInBoundsConstantOffsets());
}

GangWork::GangWork(llvm::Function& kernel, GangSize size)
    : kernel_(kernel), size_(size), flow_(kernel), guesses_(kernel, flow_, size, true) {
  constexpr std::uint32_t word = 4;
  const llvm::DataLayout& layout = kernel.getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
    if (!address || !(reads_data(instruction) || writes_data(instruction))) continue;
    llvm::Type* type = llvm::getLoadStoreType(&instruction);
    const auto bytes = static_cast<std::uint32_t>(layout.getTypeStoreSize(type).getFixedValue());
    const Access access{&instruction, guesses_.of(address), bytes,
                        llvm::isa<llvm::LoadInst>(instruction)};
    accesses_.push_back(access);
    ++counts_.all;
    counts_.reads += access.reads ? 1 : 0;
    counts_.gathered += access.stride() == StrideClass::Gathered ? 1 : 0;
    counts_.narrow += type->getScalarSizeInBits() < word * 8 ? 1 : 0;
  }
}

StrideClass Access::stride() const {
  if (shape.is_uniform()) return StrideClass::Uniform;
  if (shape.is_varying()) return StrideClass::Gathered;
  return shape.stride == 0 || std::abs(shape.stride) == bytes ? StrideClass::Contiguous
                                                              : StrideClass::Strided;
}

namespace {

/// Whether lanes may part for reasons that lie in data, not in their numbers alone.
bool diverges_by_data(const llvm::Value* condition, const Shapes& shapes) {
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(condition);
  if (!operation || !shapes.of(operation).is_varying()) return false;
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(operation))
    return llvm::any_of(compare->operands(), [&](const llvm::Value* operand) {
      return shapes.of(operand).is_varying();
    });
  if (!llvm::isa<llvm::BinaryOperator, llvm::SelectInst, llvm::FreezeInst>(operation)) return true;
  return llvm::any_of(operation->operands(), [&](const llvm::Value* operand) {
    return diverges_by_data(operand, shapes);
  });
}

bool is_by_data(const llvm::BasicBlock& block, const Shapes& guesses) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && diverges_by_data(branch->getCondition(), guesses);
}

}  // namespace

bool GangWork::parts_by_data() const {
  return llvm::any_of(kernel_,
                      [&](const llvm::BasicBlock& block) { return is_by_data(block, guesses_); });
}

bool GangWork::parts_by_data(const llvm::Loop& loop) const {
  llvm::SmallVector<llvm::BasicBlock*, 4> leaving;
  loop.getExitingBlocks(leaving);
  return llvm::any_of(leaving,
                      [&](const llvm::BasicBlock* block) { return is_by_data(*block, guesses_); });
}

}  // namespace pycuda::cpu::simt
