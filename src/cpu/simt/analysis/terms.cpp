// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/terms.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace pycuda::cpu::simt {
namespace {

/// Each key begins with what it is of.
enum KeyKind : std::uint64_t { Outer, Fresh, Sum, Operation };

std::uint64_t place(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// 0 for types that numbers of up to 64 bits do not hold.
unsigned bits_of(const llvm::Instruction& instruction, const llvm::Type* type) {
  if (type->isPointerTy())
    return instruction.getDataLayout().getPointerTypeSizeInBits(const_cast<llvm::Type*>(type));
  const unsigned bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  return type->isVectorTy() || bits > 64 ? 0 : bits;
}

std::uint64_t wrapped(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

bool is_pure(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return call->getCalledFunction() && call->doesNotAccessMemory() && !call->isConvergent() &&
           !call->hasOperandBundles();
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst,
                   llvm::CastInst>(instruction);
}

}  // namespace

Term Terms::fresh() { return {node({Fresh, next_}), 0}; }

std::vector<const llvm::Value*> Terms::operands_of(const llvm::Instruction& instruction) {
  std::vector<const llvm::Value*> operands;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    for (const llvm::Use& argument : call->args()) operands.push_back(argument.get());
  } else {
    for (const llvm::Use& operand : instruction.operands()) operands.push_back(operand.get());
  }
  return operands;
}

Term Terms::outer(const llvm::Value* value) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      constant && constant->getBitWidth() <= 64)
    return {number, constant->getZExtValue()};
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
      constant && !constant->getType()->isVectorTy()) {
    const llvm::APInt bits = constant->getValueAPF().bitcastToAPInt();
    if (bits.getBitWidth() <= 64) return {number, bits.getZExtValue()};
  }
  // What is undefined need not be the same twice.
  if (llvm::isa<llvm::UndefValue>(value)) return fresh();
  return {node({Outer, place(value)}), 0};
}

Term Terms::sum(unsigned bits, Term left, Term right) {
  const std::uint64_t offset = wrapped(left.offset + right.offset, bits);
  if (right.node == number) return {left.node, offset};
  if (left.node == number) return {right.node, offset};
  return {node({Sum, bits, std::min(left.node, right.node), std::max(left.node, right.node)}),
          offset};
}

std::optional<Term> Terms::computed(const llvm::Instruction& instruction,
                                    const std::vector<Term>& operands) {
  const unsigned bits = bits_of(instruction, instruction.getType());
  if (bits == 0) return std::nullopt;
  const auto of_operand = [&](unsigned index) {
    return bits_of(instruction, instruction.getOperand(index)->getType());
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return sum(bits, operands[0], operands[1]);
    case llvm::Instruction::Sub:
      if (operands[1].node != number) break;
      return sum(bits, operands[0], {number, wrapped(-operands[1].offset, bits)});
    case llvm::Instruction::Shl:
    case llvm::Instruction::Mul: {
      if (operands[1].node != number) break;
      const bool shifts = instruction.getOpcode() == llvm::Instruction::Shl;
      if (shifts && operands[1].offset >= bits) break;
      const std::uint64_t factor =
          shifts ? std::uint64_t{1} << operands[1].offset : operands[1].offset;
      const std::uint64_t offset = wrapped(operands[0].offset * factor, bits);
      if (operands[0].node == number) return Term{number, offset};
      return Term{node({Operation, llvm::Instruction::Mul, bits, operands[0].node, factor}),
                  offset};
    }
    case llvm::Instruction::SExt:
      if (operands[0].node != unwrapped_ || operands[0].offset > most_added_) break;
      return Term{node({Operation, llvm::Instruction::SExt, bits, operands[0].node}),
                  operands[0].offset};
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
      if (bits == of_operand(0)) return operands[0];
      return std::nullopt;
    case llvm::Instruction::GetElementPtr: {
      const auto& address = llvm::cast<llvm::GetElementPtrInst>(instruction);
      if (bits != 64) return std::nullopt;
      llvm::APInt offset(64, 0);
      if (address.accumulateConstantOffset(instruction.getDataLayout(), offset))
        return sum(bits, operands[0], {number, offset.getZExtValue()});
      if (address.getNumIndices() == 1 && address.getSourceElementType()->isIntegerTy(8) &&
          of_operand(1) == 64)
        return sum(bits, operands[0], operands[1]);
      return std::nullopt;
    }
    default:
      break;
  }
  if (!is_pure(instruction)) return std::nullopt;
  if (const auto* exact = llvm::dyn_cast<llvm::FPMathOperator>(&instruction);
      exact && exact->getFastMathFlags().any())
    return std::nullopt;
  Key key{Operation, instruction.getOpcode(), place(instruction.getType()), 0};
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction))
    key[3] = static_cast<std::uint64_t>(compare->getPredicate());
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    key[3] = place(call->getCalledFunction());
  for (const Term& operand : operands) key.insert(key.end(), {operand.node, operand.offset});
  if (llvm::isa<llvm::CastInst>(instruction))
    key.push_back(place(instruction.getOperand(0)->getType()));
  return Term{node(std::move(key)), 0};
}

}  // namespace pycuda::cpu::simt
