// SPDX-License-Identifier: MIT
#include "cpu/simt/numbers/divider_load.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

namespace pycuda::cpu::simt {
namespace {

/// A register's worth of arithmetic that is neither root nor division.
unsigned arithmetic_cost(const llvm::Instruction& instruction, const target::DividerCosts& costs) {
  if (!instruction.getType()->isVectorTy()) return 0;
  if (llvm::isa<llvm::CmpInst, llvm::IntrinsicInst>(instruction)) return costs.multiplication;
  if (llvm::isa<llvm::SelectInst>(instruction)) return costs.addition;
  if (!llvm::isa<llvm::BinaryOperator>(instruction)) return 0;
  const bool is_product = instruction.getOpcode() == llvm::Instruction::FMul ||
                          instruction.getOpcode() == llvm::Instruction::Mul;
  return is_product ? costs.multiplication : costs.addition;
}

/// Whether `type` is a vector of whole registers.
bool fills_registers(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector && llvm::isPowerOf2_32(vector->getNumElements()) &&
         vector->getNumElements() * vector->getScalarSizeInBits() >= target::divided_register_bits;
}

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
  return std::max(
      1u, vector->getNumElements() * vector->getScalarSizeInBits() / target::divided_register_bits);
}

bool is_division_of_registers(const llvm::Instruction& instruction) {
  if (instruction.getOpcode() != llvm::Instruction::FDiv) return false;
  const llvm::Type& type = *instruction.getType();
  const llvm::Type& element = *type.getScalarType();
  return (element.isFloatTy() || element.isDoubleTy()) && fills_registers(type);
}

target::DividerCosts::Time division_time(const llvm::Instruction& instruction,
                                         const target::DividerCosts& costs) {
  return instruction.getType()->getScalarType()->isFloatTy() ? costs.division
                                                             : costs.division_of_doubles;
}

bool is_root_of_registers(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::sqrt &&
         float_lanes(*call->getType()) != 0 && fills_registers(*call->getType());
}

void add_load(DividerLoad& load, const llvm::Instruction& instruction, unsigned registers,
              const target::DividerCosts& costs) {
  if (is_root_of_registers(instruction)) {
    load.add(costs.root, registers);
  } else if (is_division_of_registers(instruction)) {
    load.add(division_time(instruction, costs), registers);
  } else {
    load.multipliers += registers * arithmetic_cost(instruction, costs);
  }
}

}  // namespace pycuda::cpu::simt
