// SPDX-License-Identifier: MIT
// The pattern of expf in scalar IR, constant by constant; what is found becomes calls.
#include "cpu/libdevice/recognise_math.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "cpu/libdevice/double_patterns.h"
#include "cpu/libdevice/float_patterns.h"
#include "cpu/libdevice/recognise_expressions.h"
#include "cpu/libdevice/region_fingerprint.h"
#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::libdevice {

namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// log2 of a power's base, in two parts, and over 252.
struct Base {
  std::uint32_t logarithm, logarithm_rest, step;
  const char* name;
};
constexpr Base bases[] = {
    {0x3fb8aa3b, 0x32a57060, 0x3bbb989d, lower::approximation::exp},
    {0x40549a78, 0x33979a37, 0x3c57fa62, lower::approximation::exp10},
};

/// expf and exp10f: 2^(x log2(e) - n) * 2^n, where n is x log2(e), clamped and rounded: its
/// rounding does not matter for the product. n comes as t - 12583039 with t's low bits those of n +
/// 127.
Value* exponential_operand(Value* exponent, Value* scale, const Base& base) {
  Value* shifted = nullptr;
  if (!match(scale, m_BitCast(m_Shl(m_Value(shifted), m_SpecificInt(23))))) return nullptr;
  auto* power = llvm::dyn_cast<llvm::CallInst>(exponent);
  if (!power || !lower::callee_name(*power).starts_with(lower::approximation::ex2)) return nullptr;
  Value *x = nullptr, *sum = nullptr, *negative = nullptr, *t = nullptr;
  if (!match(number(power->getArgOperand(0)),
             m_fma(m_Value(x), Bits{base.logarithm_rest}, m_Value(sum))) ||
      !match(number(sum), m_fma(m_Specific(x), Bits{base.logarithm}, m_Value(negative))))
    return nullptr;
  negative = number(negative);
  Value* whole = nullptr;
  if (match(negative, m_FNeg(m_Value(whole)))) {
    if (!match(number(whole), m_c_FAdd(m_Value(t), Bits{0xcb40007f}))) return nullptr;
  } else if (!match(negative, m_FSub(Bits{0x4b40007f}, m_Value(t)))) {
    return nullptr;
  }
  if (!match(shifted, m_BitCast(m_Specific(t)))) return nullptr;
  // t: 252 saturate(x / (252 ln(2)) + 1 / 2) + 12582913, rounded down.
  for (llvm::User* user : x->users()) {
    if (match(user, m_fma(m_Specific(x), Bits{base.step}, Bits{0x3f000000})) &&
        is_function_of(t, user))
      return x;
  }
  return nullptr;
}

/// The factors of a product, or of the product that a fused sum begins with.
std::pair<Value*, Value*> factors_of(llvm::Instruction& instruction) {
  if (instruction.getOpcode() == llvm::Instruction::FMul)
    return {instruction.getOperand(0), instruction.getOperand(1)};
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != llvm::Intrinsic::fma) return {};
  return {call->getArgOperand(0), call->getArgOperand(1)};
}

/// The negative of a number, and the NaN of NaNs.
Value* negative_of(llvm::IRBuilder<>& b, Value* value) {
  Value* is_nan = b.CreateFCmpUNO(value, llvm::ConstantFP::getZero(value->getType()));
  return b.CreateSelect(is_nan, value, b.CreateFNeg(value));
}

/// Writes the call where `found` stands, and the sum with `addend`, if that is not null.
void replace(llvm::Instruction& found, const char* name, llvm::ArrayRef<Value*> operands,
             Value* addend = nullptr, bool negative = false) {
  llvm::IRBuilder<> b(&found);
  if (llvm::isa<llvm::PHINode>(found))
    b.SetInsertPoint(found.getParent(), found.getParent()->getFirstInsertionPt());
  llvm::Type* real = operands.front()->getType();
  if (real->isIntegerTy(32)) real = b.getFloatTy();
  const llvm::SmallVector<llvm::Type*, 2> types(operands.size(), real);
  llvm::Function* callee =
      approximate_function(*found.getModule(), name, llvm::FunctionType::get(real, types, false));
  llvm::SmallVector<Value*, 2> numbers;
  for (Value* operand : operands) numbers.push_back(b.CreateBitCast(operand, real));
  Value* call = b.CreateCall(callee, numbers);
  if (negative) call = negative_of(b, call);
  if (found.getType() != real) {
    found.replaceAllUsesWith(b.CreateBitCast(call, found.getType()));
    return;
  }
  if (addend) {
    found.replaceAllUsesWith(b.CreateFAdd(call, addend));
    return;
  }
  // Its NaNs are canonical.
  for (llvm::User* user : found.users()) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(user);
    if (choice && choice->getFalseValue() == &found && number(choice) == &found)
      choice->replaceAllUsesWith(call);
  }
  found.replaceAllUsesWith(call);
}

/// A branch round a case that is dead asks for what nobody else looks at: logf's for bits.
bool drop_idle_branches(llvm::Function& function) {
  bool dropped = false;
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional()) continue;
    const llvm::BasicBlock* end = after_nothing(branch->getSuccessor(0));
    if (end != after_nothing(branch->getSuccessor(1)) || llvm::isa<llvm::PHINode>(end->front()))
      continue;
    llvm::Value* condition = branch->getCondition();
    branch->getSuccessor(1)->removePredecessor(&block);
    llvm::BranchInst::Create(branch->getSuccessor(0), branch->getIterator());
    branch->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(condition);
    dropped = true;
  }
  llvm::removeUnreachableBlocks(function);
  return dropped;
}

/// Replaces all of powf: its last step comes behind what it is recognised by.
unsigned recognise_powers(llvm::Function& function) {
  std::vector<Power> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (!choice || !choice->getType()->isFloatTy()) continue;
    if (const Power power = power_of(*choice); power.result != nullptr) found.push_back(power);
  }
  for (const Power& power : found)
    replace(*power.result, lower::approximation::power, {power.x, power.y});
  return static_cast<unsigned>(found.size());
}

/// The root itself takes less than what approximates and refines it.
bool take_root(llvm::SelectInst& choice) {
  Value* operand = refined_root_operand(choice);
  if (!operand) return false;
  llvm::IRBuilder<> b(&choice);
  choice.replaceAllUsesWith(b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, operand));
  return true;
}

/// Whether `value` is no number where `operand` is none.
bool passes_nan_on(Value* value, Value* operand) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return false;
  switch (instruction->getOpcode()) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
      break;
    default: {
      const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
      if (!call || call->getIntrinsicID() != llvm::Intrinsic::fma) return false;
    }
  }
  return llvm::is_contained(instruction->operand_values(), operand);
}

/// LLVM makes one test for NaN of those of a number and of what is computed from it.
void part_tests_for_nan(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* test = llvm::dyn_cast<llvm::FCmpInst>(&instruction);
    if (!test || (test->getPredicate() != llvm::CmpInst::FCMP_UNO &&
                  test->getPredicate() != llvm::CmpInst::FCMP_ORD))
      continue;
    Value *left = test->getOperand(0), *right = test->getOperand(1);
    if (passes_nan_on(right, left)) std::swap(left, right);
    if (!passes_nan_on(left, right)) continue;
    test->setOperand(0, left);
    test->setOperand(1, llvm::ConstantFP::getZero(left->getType()));
  }
}

}  // namespace

unsigned recognise_math(llvm::Function& function) {
  part_tests_for_nan(function);
  unsigned found = recognise_powers(function);
  std::vector<llvm::BasicBlock*> regions;
  for (const Expression& expression : find_expressions(function)) {
    replace(*expression.result, expression.name, expression.operands, nullptr, expression.negative);
    for (llvm::BasicBlock* region : expression.regions) {
      if (!llvm::is_contained(regions, region)) regions.push_back(region);
    }
    ++found;
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    Value* operand = nullptr;
    Value* addend = nullptr;
    const char* name = lower::approximation::exp;
    if (auto* cases = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      operand = double_exponential_operand(*cases);
      name = lower::approximation::exp_f64;
      if (!operand) {
        operand = double_logarithm_operand(*cases);
        name = lower::approximation::log_f64;
      }
    } else if (instruction.getType()->isDoubleTy() && llvm::isa<llvm::SelectInst>(instruction)) {
      operand = double_arc_tangent_operand(llvm::cast<llvm::SelectInst>(instruction));
      name = lower::approximation::atan_f64;
    } else if (!instruction.getType()->isFloatTy()) {
      continue;
    } else if (const auto [left, right] = factors_of(instruction); left) {
      for (const Base& base : bases) {
        if (!operand) operand = exponential_operand(left, right, base);
        if (!operand) operand = exponential_operand(right, left, base);
        if (operand) name = base.name;
        if (operand) break;
      }
      // The product, by a power of two, is exact.
      if (const auto* sum = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        addend = sum->getArgOperand(2);
    } else if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      operand = complementary_error_operand(*choice);
      name = lower::approximation::erfc;
      if (!operand) {
        operand = cube_root_operand(*choice);
        name = lower::approximation::cbrt;
      }
      if (!operand && take_root(*choice)) ++found;
    }
    if (!operand) continue;
    replace(instruction, name, operand, addend);
    ++found;
  }
  if (found == 0) return 0;
  // Comparisons that nobody reads hold on to what they compare.
  llvm::SmallVector<llvm::WeakTrackingVH, 64> dead;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    dead.emplace_back(&instruction);
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  drop_regions(regions, llvm::DominatorTree(function));
  while (drop_idle_branches(function)) {
  }
  return found;
}

}  // namespace pycuda::cpu::libdevice
