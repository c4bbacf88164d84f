// SPDX-License-Identifier: MIT
// Fields of bits: bfe bfi bfind bmsk fns prmt szext.
#include "cpu/lower/bit_fields.h"

#include <llvm/IR/Intrinsics.h>

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;
using ptx::Instruction;

/// Reads operand `index` as a position or length, in the field's type. Numbers above 255 are
/// undefined in PTX: hardware takes the low 8 bits for 32-bit fields, and any large number as large
/// for 64-bit ones.
Value* small_number(FunctionLowering& lowering, const Instruction& instruction, std::size_t index,
                    llvm::Type* type) {
  llvm::IRBuilder<>& b = lowering.builder();
  Value* raw = lowering.read_bits(instruction.operands[index], 32);
  raw = type->isIntegerTy(64)
            ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, raw, b.getInt32(0xff))
            : b.CreateAnd(raw, 0xff);
  return b.CreateZExtOrTrunc(raw, type);
}

/// Bits [position, position + length) of a, extended; beyond the end the sign (or zero) goes on.
bool emit_extract(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  const unsigned bits = ptx::bits_of(type);
  if (instruction.operands.size() < 4 || bits < 32 || ptx::is_float(type) || ptx::is_untyped(type))
    return false;
  const bool is_signed = ptx::is_signed(type);
  Value* value = lowering.read(instruction.operands[1], type);
  llvm::Type* integer = value->getType();
  Value* position = small_number(lowering, instruction, 2, integer);
  Value* length = small_number(lowering, instruction, 3, integer);
  const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(integer, n); };
  Value* outside = b.CreateICmpUGE(position, number(bits));
  Value* start = b.CreateSelect(outside, number(bits - 1), position);
  Value* room = b.CreateSub(number(bits), start);
  Value* taken = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length, room);
  Value* none = b.CreateICmpEQ(length, number(0));
  Value* safe = b.CreateSelect(none, number(1), taken);
  Value* top = b.CreateShl(value, b.CreateSub(room, safe));
  Value* down = b.CreateSub(number(bits), safe);
  Value* field = is_signed ? b.CreateAShr(top, down) : b.CreateLShr(top, down);
  Value* beyond = is_signed ? b.CreateAShr(value, bits - 1) : number(0);
  Value* result = b.CreateSelect(none, number(0), b.CreateSelect(outside, beyond, field));
  lowering.write(instruction.operands[0], result, is_signed);
  return true;
}

bool emit_insert(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  const unsigned bits = ptx::bits_of(type);
  if (instruction.operands.size() < 5 || !ptx::is_untyped(type) || bits < 32) return false;
  Value* field = lowering.read(instruction.operands[1], type);
  Value* base = lowering.read(instruction.operands[2], type);
  llvm::Type* integer = field->getType();
  Value* position = small_number(lowering, instruction, 3, integer);
  Value* length = small_number(lowering, instruction, 4, integer);
  const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(integer, n); };
  const auto inside = [&](Value* n) { return b.CreateAnd(n, number(bits - 1)); };
  Value* outside = b.CreateICmpUGE(position, number(bits));
  Value* whole = b.CreateICmpUGE(length, number(bits));
  Value* ones = b.CreateSelect(whole, llvm::Constant::getAllOnesValue(integer),
                               b.CreateSub(b.CreateShl(number(1), inside(length)), number(1)));
  Value* mask = b.CreateSelect(outside, number(0), b.CreateShl(ones, inside(position)));
  Value* placed = b.CreateShl(field, inside(position));
  Value* result = b.CreateOr(b.CreateAnd(base, b.CreateNot(mask)), b.CreateAnd(placed, mask));
  lowering.write(instruction.operands[0], result);
  return true;
}

/// The highest bit that differs from the sign (bfind); all ones where there is none.
bool emit_find(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Type type = instruction.modifiers.type();
  const unsigned bits = ptx::bits_of(type);
  if (instruction.operands.size() < 2 || bits < 32 || ptx::is_float(type) || ptx::is_untyped(type))
    return false;
  Value* value = lowering.read(instruction.operands[1], type);
  if (ptx::is_signed(type)) value = b.CreateXor(value, b.CreateAShr(value, bits - 1));
  Value* leading = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, value, b.getFalse());
  leading = b.CreateZExtOrTrunc(leading, b.getInt32Ty());
  Value* found =
      instruction.modifiers.shiftamt ? leading : b.CreateSub(b.getInt32(bits - 1), leading);
  Value* none = b.CreateICmpEQ(value, llvm::Constant::getNullValue(value->getType()));
  lowering.write(instruction.operands[0], b.CreateSelect(none, b.getInt32(~0u), found));
  return true;
}

/// A number of 0..32, clamped or taken modulo 32.
Value* bounded(llvm::IRBuilder<>& b, Value* number, ptx::ShiftMode mode) {
  if (mode == ptx::ShiftMode::Wrap) return b.CreateAnd(number, 31);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number, b.getInt32(32));
}

/// `length` ones, as 64 bits so that 32 is no special case.
Value* ones_of(llvm::IRBuilder<>& b, Value* length) {
  Value* one = b.getInt64(1);
  return b.CreateSub(b.CreateShl(one, b.CreateZExt(length, b.getInt64Ty())), one);
}

bool emit_mask(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::ShiftMode mode = instruction.modifiers.shift;
  if (instruction.operands.size() < 3 || mode == ptx::ShiftMode::None) return false;
  Value* position = bounded(b, lowering.read_bits(instruction.operands[1], 32), mode);
  Value* length = bounded(b, lowering.read_bits(instruction.operands[2], 32), mode);
  Value* mask = b.CreateShl(ones_of(b, length), b.CreateZExt(position, b.getInt64Ty()));
  lowering.write(instruction.operands[0], b.CreateTrunc(mask, b.getInt32Ty()));
  return true;
}

bool emit_extend(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::ShiftMode mode = instruction.modifiers.shift;
  const ptx::Type type = instruction.modifiers.type();
  if (instruction.operands.size() < 3 || mode == ptx::ShiftMode::None) return false;
  if (type != ptx::Type::U32 && type != ptx::Type::S32) return false;
  Value* value = b.CreateZExt(lowering.read_bits(instruction.operands[1], 32), b.getInt64Ty());
  Value* length = bounded(b, lowering.read_bits(instruction.operands[2], 32), mode);
  // With the field at the top of 64 bits, one shift back extends it. No bits at all give 0.
  Value* up = b.CreateSub(b.getInt64(64), b.CreateZExt(length, b.getInt64Ty()));
  Value* none = b.CreateICmpEQ(length, b.getInt32(0));
  Value* amount = b.CreateSelect(none, b.getInt64(63), up);
  Value* top = b.CreateShl(value, amount);
  Value* field = type == ptx::Type::S32 ? b.CreateAShr(top, amount) : b.CreateLShr(top, amount);
  Value* result = b.CreateSelect(none, b.getInt32(0), b.CreateTrunc(field, b.getInt32Ty()));
  lowering.write(instruction.operands[0], result);
  return true;
}

bool emit_find_nth(FunctionLowering& lowering, const Instruction& instruction) {
  if (instruction.operands.size() < 4) return false;
  llvm::Type* integer = lowering.int_type(32);
  lowering.write(instruction.operands[0],
                 lowering.pure_call("pycuda_cpu_find_nth_set", integer,
                                    {lowering.read_bits(instruction.operands[1], 32),
                                     lowering.read_bits(instruction.operands[2], 32),
                                     lowering.read_bits(instruction.operands[3], 32)}));
  return true;
}

/// The selector that a mode of prmt uses for each value of c's two low bits.
const std::uint32_t* mode_selectors(ptx::PermuteMode mode) {
  static constexpr std::uint32_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543};
  static constexpr std::uint32_t b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
  static constexpr std::uint32_t rc8[] = {0x0000, 0x1111, 0x2222, 0x3333};
  static constexpr std::uint32_t ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
  static constexpr std::uint32_t ecr[] = {0x0000, 0x1110, 0x2210, 0x3210};
  static constexpr std::uint32_t rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (mode) {
    case ptx::PermuteMode::F4e:
      return f4e;
    case ptx::PermuteMode::B4e:
      return b4e;
    case ptx::PermuteMode::Rc8:
      return rc8;
    case ptx::PermuteMode::Ecl:
      return ecl;
    case ptx::PermuteMode::Ecr:
      return ecr;
    case ptx::PermuteMode::Rc16:
      return rc16;
    case ptx::PermuteMode::None:
      break;
  }
  return nullptr;
}

bool emit_permute(FunctionLowering& lowering, const Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (instruction.operands.size() < 4) return false;
  Value* low = b.CreateZExt(lowering.read_bits(instruction.operands[1], 32), b.getInt64Ty());
  Value* high = b.CreateZExt(lowering.read_bits(instruction.operands[2], 32), b.getInt64Ty());
  Value* source = b.CreateOr(low, b.CreateShl(high, 32));
  Value* selector = lowering.read_bits(instruction.operands[3], 32);
  if (const std::uint32_t* table = mode_selectors(instruction.modifiers.permute)) {
    Value* which = b.CreateAnd(selector, 3);
    selector = b.getInt32(table[0]);
    for (std::uint32_t i = 1; i < 4; ++i) {
      selector =
          b.CreateSelect(b.CreateICmpEQ(which, b.getInt32(i)), b.getInt32(table[i]), selector);
    }
  }
  Value* result = b.getInt32(0);
  for (std::uint64_t i = 0; i < 4; ++i) {
    Value* nibble = b.CreateLShr(selector, 4 * i);
    Value* amount = b.CreateZExt(b.CreateShl(b.CreateAnd(nibble, 7), 3), b.getInt64Ty());
    Value* byte = b.CreateTrunc(b.CreateLShr(source, amount), b.getInt8Ty());
    Value* sign = b.CreateICmpNE(b.CreateAnd(nibble, 8), b.getInt32(0));
    byte = b.CreateSelect(sign, b.CreateAShr(byte, 7), byte);
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * i));
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace

bool emit_bit_field(FunctionLowering& lowering, const Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::bfe:
      return emit_extract(lowering, instruction);
    case ptx::Opcode::bfi:
      return emit_insert(lowering, instruction);
    case ptx::Opcode::bfind:
      return emit_find(lowering, instruction);
    case ptx::Opcode::bmsk:
      return emit_mask(lowering, instruction);
    case ptx::Opcode::fns:
      return emit_find_nth(lowering, instruction);
    case ptx::Opcode::prmt:
      return emit_permute(lowering, instruction);
    case ptx::Opcode::szext:
      return emit_extend(lowering, instruction);
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
