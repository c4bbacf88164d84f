// SPDX-License-Identifier: MIT
// Operations whose results are others on aarch64 than PTX and x86 have: their code makes up for it.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <vector>

#include "cpu/lower/processor_flushes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::target {
namespace {

bool is_fused_sum(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fma;
}

/// Whether it computes f64 and makes a NaN of numbers where it has no other result.
bool may_be_invalid(const llvm::Instruction& instruction) {
  if (!instruction.getType()->getScalarType()->isDoubleTy()) return false;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return call->getIntrinsicID() == llvm::Intrinsic::fma ||
           call->getIntrinsicID() == llvm::Intrinsic::sqrt;
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
      return true;
    default:
      return false;
  }
}

/// Of an invalid product and a NaN that is added, the product's NaN is the result here, and the NaN
/// that is added there. A sum of the NaN and itself makes it quiet.
void keep_added_nan(llvm::Instruction& sum) {
  llvm::IRBuilder<> b(sum.getNextNode());
  llvm::Value* added = sum.getOperand(2);
  llvm::Value* of_numbers = b.CreateFCmpORD(sum.getOperand(0), sum.getOperand(1));
  llvm::Value* keeps = b.CreateAnd(b.CreateFCmpUNO(added, added), of_numbers);
  auto* result =
      llvm::cast<llvm::Instruction>(b.CreateSelect(keeps, b.CreateFAdd(added, added), &sum));
  sum.replaceUsesWithIf(result, [&](const llvm::Use& use) { return use.getUser() != result; });
}

/// The NaN that numbers give is positive here, and negative there.
void negate_own_nan(llvm::Instruction& instruction) {
  llvm::IRBuilder<> b(instruction.getNextNode());
  llvm::Value* of_numbers = nullptr;
  for (llvm::Value* operand : instruction.operands()) {
    if (operand->getType() != instruction.getType()) continue;
    llvm::Value* is_number = b.CreateFCmpORD(operand, operand);
    of_numbers = of_numbers ? b.CreateAnd(of_numbers, is_number) : is_number;
  }
  constexpr std::uint64_t negative = std::uint64_t{0xfff8} << 48;
  llvm::Type* type = instruction.getType();
  llvm::Value* is_nan = b.CreateAnd(b.CreateFCmpUNO(&instruction, &instruction), of_numbers);
  llvm::Value* nan = llvm::ConstantFP::get(
      type, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, negative)));
  auto* result = llvm::cast<llvm::Instruction>(b.CreateSelect(is_nan, nan, &instruction));
  instruction.replaceUsesWithIf(result, [&](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    return user != result && user != is_nan &&
           user != llvm::cast<llvm::Instruction>(is_nan)->getOperand(0);
  });
}

bool is_from_long_to_float(const llvm::Instruction& instruction) {
  if (!llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(instruction)) return false;
  return instruction.getType()->getScalarType()->isFloatTy() &&
         instruction.getOperand(0)->getType()->getScalarSizeInBits() == 64;
}

/// LLVM converts vectors of i64 by way of f64, and rounds twice. A number of more bits than f64 has
/// gives up the lowest, but for one that tells whether there were some.
void round_once(llvm::Instruction& instruction) {
  llvm::IRBuilder<> b(&instruction);
  llvm::Value* number = instruction.getOperand(0);
  llvm::Type* type = number->getType();
  const auto constant = [&](std::uint64_t value) { return llvm::ConstantInt::get(type, value); };
  constexpr unsigned f64_bits = 53, dropped_bits = 64 - f64_bits;
  constexpr std::uint64_t dropped = (std::uint64_t{1} << dropped_bits) - 1;
  const bool is_signed = llvm::isa<llvm::SIToFPInst>(instruction);
  llvm::Value* sticky = b.CreateAdd(b.CreateAnd(number, constant(dropped)), constant(dropped));
  llvm::Value* cut = b.CreateAnd(b.CreateOr(number, sticky), constant(~dropped));
  llvm::Value* magnitude =
      is_signed ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, number, b.getFalse()) : number;
  llvm::Value* is_long = b.CreateICmpUGE(magnitude, constant(std::uint64_t{1} << f64_bits));
  llvm::Value* exact = b.CreateSelect(is_long, cut, number);
  llvm::Type* wide = type->getWithNewType(b.getDoubleTy());
  llvm::Value* real = is_signed ? b.CreateSIToFP(exact, wide) : b.CreateUIToFP(exact, wide);
  instruction.replaceAllUsesWith(b.CreateFPTrunc(real, instruction.getType()));
  instruction.eraseFromParent();
}

/// Where the processor flushes, it looks at numbers before they are rounded: what rounds up to the
/// least normal number is no subnormal one.
void keep_least_normal(llvm::Instruction& instruction) {
  llvm::IRBuilder<> b(instruction.getNextNode());
  llvm::Value* wide = instruction.getOperand(0);
  const auto real = [&](double value) { return llvm::ConstantFP::get(wide->getType(), value); };
  llvm::Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide);
  llvm::Value* rounds_up = b.CreateAnd(b.CreateFCmpOGE(magnitude, real(0x1.ffffffp-127)),
                                       b.CreateFCmpOLT(magnitude, real(0x1p-126)));
  llvm::Value* least =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                              llvm::ConstantFP::get(instruction.getType(), 0x1p-126), &instruction);
  auto* result = llvm::cast<llvm::Instruction>(b.CreateSelect(rounds_up, least, &instruction));
  instruction.replaceUsesWithIf(result, [&](const llvm::Use& use) {
    return use.getUser() != result && use.getUser() != least;
  });
}

bool is_narrowed_and_flushed(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::FPTruncInst>(instruction) &&
         instruction.getType()->getScalarType()->isFloatTy() &&
         lower::processor_flushes(*instruction.getFunction());
}

}  // namespace

bool is_native_instruction(const llvm::CallInst&) { return false; }

void select_native_operations(llvm::Module& module) {
  std::vector<llvm::Instruction*> invalid, longs, narrowed;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (may_be_invalid(instruction)) invalid.push_back(&instruction);
      if (is_from_long_to_float(instruction)) longs.push_back(&instruction);
      if (is_narrowed_and_flushed(instruction)) narrowed.push_back(&instruction);
    }
  }
  for (llvm::Instruction* instruction : invalid) {
    if (is_fused_sum(*instruction)) keep_added_nan(*instruction);
    negate_own_nan(*instruction);
  }
  for (llvm::Instruction* instruction : narrowed) keep_least_normal(*instruction);
  for (llvm::Instruction* instruction : longs) round_once(*instruction);
}

}  // namespace pycuda::cpu::target
