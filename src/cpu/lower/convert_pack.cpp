// SPDX-License-Identifier: MIT
// cvt.pack.sat: two integers of 32 bits, saturated to narrow ones, side by side.
#include <optional>

#include "cpu/lower/convert.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

struct NarrowInteger {
  unsigned bits;
  bool is_signed;
};

std::optional<NarrowInteger> narrow_type(const ptx::Modifiers& modifiers) {
  switch (modifiers.type()) {
    case ptx::Type::U16:
    case ptx::Type::S16:
    case ptx::Type::U8:
    case ptx::Type::S8:
      return NarrowInteger{ptx::bits_of(modifiers.type()), ptx::is_signed(modifiers.type())};
    default:
      break;
  }
  for (const unsigned bits : {4u, 2u}) {
    for (const bool is_signed : {false, true}) {
      if (modifiers.has((is_signed ? "s" : "u") + std::to_string(bits)))
        return NarrowInteger{bits, is_signed};
    }
  }
  return std::nullopt;
}

Value* saturated(llvm::IRBuilder<>& b, Value* value, const NarrowInteger& type) {
  using llvm::APInt;
  const APInt least =
      type.is_signed ? APInt::getSignedMinValue(type.bits).sext(32) : APInt::getZero(32);
  const APInt most =
      (type.is_signed ? APInt::getSignedMaxValue(type.bits) : APInt::getMaxValue(type.bits))
          .zext(32);
  value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, b.getInt(least));
  value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, b.getInt(most));
  return b.CreateAnd(value, b.getInt(APInt::getLowBitsSet(32, type.bits)));
}

}  // namespace

bool emit_convert_pack(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::optional<NarrowInteger> type = narrow_type(instruction.modifiers);
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (!type || operands.size() < 3) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  Value* upper = saturated(b, lowering.read(operands[1], ptx::Type::S32), *type);
  Value* lower = saturated(b, lowering.read(operands[2], ptx::Type::S32), *type);
  Value* result = b.CreateOr(b.CreateShl(upper, type->bits), lower);
  if (operands.size() > 3) {
    Value* rest = lowering.read(operands[3], ptx::Type::B32);
    result = b.CreateOr(result, b.CreateShl(rest, std::uint64_t{2} * type->bits));
  }
  lowering.write(operands[0], result);
  return true;
}

}  // namespace pycuda::cpu::lower
