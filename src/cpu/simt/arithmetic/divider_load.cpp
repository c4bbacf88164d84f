// SPDX-License-Identifier: MIT
#include "cpu/simt/arithmetic/divider_load.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned register_bits = 512;

}  // namespace

unsigned float_lanes(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector && vector->getElementType()->isFloatTy() ? vector->getNumElements() : 0;
}

unsigned registers_of(const llvm::Instruction& instruction) {
  const llvm::Type* type = llvm::isa<llvm::CmpInst>(instruction)
                               ? instruction.getOperand(0)->getType()
                               : instruction.getType();
  const auto* vector = llvm::cast<llvm::FixedVectorType>(type);
  return std::max(1u, vector->getNumElements() * vector->getScalarSizeInBits() / register_bits);
}

unsigned arithmetic_cost(const llvm::Instruction& instruction, const DividerCosts& costs) {
  if (!instruction.getType()->isVectorTy()) return 0;
  if (llvm::isa<llvm::CmpInst, llvm::IntrinsicInst>(instruction)) return costs.multiplication;
  if (llvm::isa<llvm::SelectInst>(instruction)) return costs.addition;
  if (!llvm::isa<llvm::BinaryOperator>(instruction)) return 0;
  const bool is_product = instruction.getOpcode() == llvm::Instruction::FMul ||
                          instruction.getOpcode() == llvm::Instruction::Mul;
  return is_product ? costs.multiplication : costs.addition;
}

}  // namespace pycuda::cpu::simt
