// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/plan_traffic.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "cpu/lower/callee_name.h"
#include "cpu/simt/analysis/access_extents.h"

namespace pycuda::cpu::simt {

void note_traffic(const llvm::Instruction& access, PlanNote& note) {
  const llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  if (!address) return;
  llvm::Type* type =
      llvm::isa<llvm::StoreInst>(access) ? access.getOperand(0)->getType() : access.getType();
  note.bytes =
      static_cast<std::uint32_t>(access.getDataLayout().getTypeStoreSize(type).getFixedValue());
  if (const auto parameter = base_parameter(*address)) note.array = std::uint64_t{*parameter} + 1;
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
