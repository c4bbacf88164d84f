// SPDX-License-Identifier: MIT
// Extended-precision arithmetic: add, sub and mad that read and write the carry flag.
//
// PTX says that a subtraction leaves its borrow in the flag. On hardware it is a sum with the
// complement, and leaves that sum's carry: the borrow's complement. The difference shows when an
// addition reads a subtraction's flag, as NVIDIA's own 128-bit division does.
#include "cpu/lower/arith.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

using llvm::Value;

bool emit_carry(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  using enum ptx::Opcode;
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const ptx::Type type = modifiers.type();
  const unsigned bits = ptx::bits_of(type);
  if ((bits != 32 && bits != 64) || ptx::is_float(type) || modifiers.sat) return false;
  const bool is_mad = instruction.opcode == mad || instruction.opcode == madc;
  const bool is_sub = instruction.opcode == sub || instruction.opcode == subc;
  const bool uses_carry =
      instruction.opcode == addc || instruction.opcode == subc || instruction.opcode == madc;
  if (!is_mad && !is_sub && instruction.opcode != add && instruction.opcode != addc) return false;
  if (instruction.operands.size() < (is_mad ? 4u : 3u)) return false;

  Value* left = lowering.read_bits(instruction.operands[1], bits);
  Value* right = lowering.read_bits(instruction.operands[2], bits);
  if (is_mad) {
    if (modifiers.half != ptx::Half::Lo && modifiers.half != ptx::Half::Hi) return false;
    const bool is_signed = ptx::is_signed(type);
    llvm::Type* twice = b.getIntNTy(2 * bits);
    const auto extended = [&](Value* value) {
      return is_signed ? b.CreateSExt(value, twice) : b.CreateZExt(value, twice);
    };
    Value* product = b.CreateMul(extended(left), extended(right));
    if (modifiers.half == ptx::Half::Hi) product = b.CreateLShr(product, bits);
    left = b.CreateTrunc(product, b.getIntNTy(bits));
    right = lowering.read_bits(instruction.operands[3], bits);
  }
  if (is_sub) right = b.CreateNot(right);
  // A sum that wraps is smaller than what went into it. An integer of one bit more would tell the
  // same, but vectors of such a width are taken apart lane by lane.
  Value* result = b.CreateAdd(left, right);
  Value* carry = b.CreateICmpULT(result, left);
  if (uses_carry || is_sub) {
    Value* carry_in = uses_carry ? lowering.carry() : b.getTrue();
    Value* sum = b.CreateAdd(result, b.CreateZExt(carry_in, result->getType()));
    carry = b.CreateOr(carry, b.CreateICmpULT(sum, result));
    result = sum;
  }
  if (modifiers.cc) lowering.set_carry(carry);
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace pycuda::cpu::lower
