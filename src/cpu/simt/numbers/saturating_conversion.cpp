// SPDX-License-Identifier: MIT

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

/// What `value` is, rounded to a whole number.
llvm::IntrinsicInst* rounding_of(llvm::Value* value) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  if (!call) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
      return call;
    default:
      return nullptr;
  }
}

/// The f64 that `result` is the i32 of, the least one if it is NaN; null if it is something else.
llvm::Value* converted(llvm::SelectInst& result) {
  using namespace llvm::PatternMatch;
  llvm::Value *tested = nullptr, *value = nullptr;
  llvm::CmpInst::Predicate predicate;
  if (!result.getType()->isIntegerTy(32) ||
      !match(&result, m_Select(m_FCmp(predicate, m_Value(tested), m_AnyZeroFP()), m_SignMask(),
                               m_Intrinsic<llvm::Intrinsic::fptosi_sat>(m_Value(value)))) ||
      predicate != llvm::CmpInst::FCMP_UNO || !value->getType()->isDoubleTy())
    return nullptr;
  const llvm::IntrinsicInst* rounding = rounding_of(value);
  const bool same = value == tested || (rounding && rounding->getArgOperand(0) == tested);
  return same ? value : nullptr;
}

bool is_of_singles(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat &&
         call->getType()->isIntegerTy(32) && call->getArgOperand(0)->getType()->isFloatTy();
}

/// The instruction gives the least i32 of what is too small, and of what is too large or NaN too.
void convert_singles(llvm::IntrinsicInst& conversion) {
  llvm::IRBuilder<> b(&conversion);
  llvm::Value* value = conversion.getArgOperand(0);
  const llvm::IntrinsicInst* rounding = rounding_of(value);
  const bool nearest = rounding && rounding->getIntrinsicID() == llvm::Intrinsic::roundeven;
  if (nearest) value = rounding->getArgOperand(0);
  llvm::Value* result = target::call_native(
      b, nearest ? target::NativeOperation::Nearest : target::NativeOperation::Truncated, {value});
  result = b.CreateSelect(
      b.CreateFCmpOGE(value, llvm::ConstantFP::get(value->getType(), std::ldexp(1, 31))),
      b.getInt32(std::numeric_limits<std::int32_t>::max()), result);
  result = b.CreateSelect(b.CreateFCmpUNO(value, llvm::ConstantFP::getZero(value->getType())),
                          b.getInt32(0), result);
  conversion.replaceAllUsesWith(result);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&conversion);
}

}  // namespace

void convert_natively(llvm::Function& function) {
  std::vector<llvm::SelectInst*> conversions;
  std::vector<llvm::IntrinsicInst*> of_singles;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (choice && converted(*choice)) conversions.push_back(choice);
    if (is_of_singles(instruction))
      of_singles.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  }
  for (llvm::IntrinsicInst* conversion : of_singles) convert_singles(*conversion);
  for (llvm::SelectInst* choice : conversions) {
    llvm::IRBuilder<> b(choice);
    llvm::Value* value = converted(*choice);
    const llvm::IntrinsicInst* rounding = rounding_of(value);
    const bool nearest = rounding && rounding->getIntrinsicID() == llvm::Intrinsic::roundeven;
    if (nearest) value = rounding->getArgOperand(0);
    llvm::Constant* most =
        llvm::ConstantFP::get(b.getDoubleTy(), std::numeric_limits<std::int32_t>::max());
    // Of NaNs the NaN.
    value = b.CreateSelect(b.CreateFCmpOGT(value, most), most, value);
    choice->replaceAllUsesWith(target::call_native(
        b, nearest ? target::NativeOperation::Nearest : target::NativeOperation::Truncated,
        {value}));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(choice);
  }
}

llvm::Value* convert_saturating(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* integers,
                                bool is_signed) {
  const unsigned bits = integers->getScalarSizeInBits();
  // Processors convert to 32 bits and more; what fits into fewer survives the way over 32.
  llvm::Type* wide = integers->getWithNewBitWidth(std::max(bits, 32u));
  llvm::Value* whole =
      is_signed || bits < 32 ? b.CreateFPToSI(value, wide) : b.CreateFPToUI(value, wide);
  // Out of range the instruction gives poison: any number will do, as a select replaces it.
  llvm::Value* result = b.CreateFreeze(whole);
  if (wide != integers) result = b.CreateTrunc(result, integers);
  const auto limit = [&](double number) { return llvm::ConstantFP::get(value->getType(), number); };
  const auto integer = [&](const llvm::APInt& number) {
    return llvm::ConstantInt::get(integers, number);
  };
  const double above = std::ldexp(1, static_cast<int>(is_signed ? bits - 1 : bits));
  result = b.CreateSelect(
      b.CreateFCmpOGE(value, limit(above)),
      integer(is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits)),
      result);
  result = b.CreateSelect(
      b.CreateFCmpOLT(value, limit(is_signed ? -above : 0)),
      integer(is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits)),
      result);
  return b.CreateSelect(b.CreateFCmpUNO(value, limit(0)), llvm::Constant::getNullValue(integers),
                        result);
}

}  // namespace pycuda::cpu::simt
