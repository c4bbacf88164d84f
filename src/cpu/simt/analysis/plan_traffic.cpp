// SPDX-License-Identifier: MIT
// Backwards from an address to a pointer among the kernel's parameters.
#include "cpu/simt/analysis/plan_traffic.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {
namespace {

/// Where among the parameters a pointer lies that `value` loads, from 1, or 0.
std::uint64_t parameter_of(const llvm::LoadInst& value) {
  const llvm::DataLayout& layout = value.getModule()->getDataLayout();
  const unsigned pointer_bits = layout.getPointerSizeInBits();
  if (layout.getTypeSizeInBits(value.getType()) != pointer_bits) return 0;
  llvm::APInt offset(pointer_bits, 0);
  const llvm::Value* base =
      value.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  return lower::callee_name(*base) == lower::pseudo::params ? offset.getZExtValue() + 1 : 0;
}

std::uint64_t array_of(const llvm::Value& address) {
  constexpr unsigned most_steps = 32;
  llvm::SmallVector<const llvm::Value*, 8> pending{&address};
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  for (unsigned step = 0; !pending.empty() && step < most_steps; ++step) {
    const llvm::Value* value = pending.pop_back_val();
    if (!seen.insert(value).second) continue;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      if (const std::uint64_t found = parameter_of(*load)) return found;
    } else if (const auto* place = llvm::dyn_cast<llvm::GEPOperator>(value)) {
      pending.push_back(place->getPointerOperand());
    } else if (llvm::isa<llvm::BinaryOperator, llvm::PHINode, llvm::PtrToIntInst,
                         llvm::IntToPtrInst>(value)) {
      for (const llvm::Use& operand : llvm::cast<llvm::Instruction>(value)->operands())
        pending.push_back(operand.get());
    }
  }
  return 0;
}

}  // namespace

void note_traffic(const llvm::Instruction& access, PlanNote& note) {
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  if (!address) return;
  llvm::Type* type =
      llvm::isa<llvm::StoreInst>(access) ? access.getOperand(0)->getType() : access.getType();
  const llvm::DataLayout& layout = access.getModule()->getDataLayout();
  note.bytes = static_cast<std::uint32_t>(layout.getTypeStoreSize(type).getFixedValue());
  note.array = array_of(*address);
}

PlanNote note_of(const llvm::Instruction& instruction, PlanNote::Kind kind, std::string form) {
  PlanNote made{kind, std::move(form), {}, 0};
  if (const llvm::DILocation* mark = instruction.getDebugLoc()) {
    made.function = mark->getScope()->getSubprogram()->getName().str();
    made.instruction = mark->getLine();
  }
  return made;
}

}  // namespace pycuda::cpu::simt
