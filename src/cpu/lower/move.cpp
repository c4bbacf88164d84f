// SPDX-License-Identifier: MIT
// Emitters: mov in all its forms: registers, literals, addresses, special registers, packing and
// unpacking.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

namespace {

/// A vector register as the vector of its elements.
ptx::Operand packed(const FunctionLowering& lowering, const ptx::Operand& operand) {
  std::vector<ptx::Operand> elements = lowering.elements(operand);
  if (operand.kind != ptx::Operand::Kind::Register || elements.size() == 1) return operand;
  ptx::Operand vector;
  vector.kind = ptx::Operand::Kind::Vector;
  vector.elements = std::move(elements);
  return vector;
}

}  // namespace

bool emit_move(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  const ptx::Operand& destination = instruction.operands[0];
  const ptx::Operand& value = instruction.operands[1];
  const ptx::Type type = instruction.modifiers.type();
  if (type == ptx::Type::None) return false;
  if (instruction.modifiers.vector > 1) {
    const std::vector<ptx::Operand> to = lowering.elements(destination);
    const std::vector<ptx::Operand> from = lowering.elements(value);
    if (from.size() == 1 && to.size() > 1) {
      const unsigned part = ptx::bits_of(type) / static_cast<unsigned>(to.size());
      llvm::IRBuilder<>& b = lowering.builder();
      llvm::Value* whole = lowering.read_bits(from[0], ptx::bits_of(type));
      for (std::size_t i = 0; i < to.size(); ++i) {
        lowering.write(
            to[i], b.CreateTrunc(b.CreateLShr(whole, std::uint64_t{i} * part), b.getIntNTy(part)));
      }
      return true;
    }
    if (to.size() != from.size()) return false;
    std::vector<llvm::Value*> values;
    values.reserve(from.size());
    for (const ptx::Operand& element : from) values.push_back(lowering.read(element, type));
    for (std::size_t i = 0; i < to.size(); ++i) lowering.write(to[i], values[i]);
    return true;
  }
  lowering.write(packed(lowering, destination), lowering.read(packed(lowering, value), type),
                 ptx::is_signed(type));
  return true;
}

}  // namespace pycuda::cpu::lower
