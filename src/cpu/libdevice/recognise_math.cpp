// SPDX-License-Identifier: MIT
// Patterns of expf and logf in scalar IR, constant by constant; what is found becomes calls.
#include "cpu/libdevice/recognise_math.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <bit>
#include <cstdint>
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

/// Horner's rule in `f` down to the coefficient of the highest power.
bool is_logarithm_polynomial(Value* value, Value* f) {
  // Of f^2 upwards.
  constexpr std::uint32_t coefficients[] = {0xbf000000, 0x3eaaaa78, 0xbe7fff22, 0x3e4ced0b,
                                            0xbe2ad8b9, 0x3e0f2955, 0xbdf8cdcc, 0x3e1039f6};
  constexpr std::uint32_t highest = 0xbe055027;
  for (std::uint32_t coefficient : coefficients) {
    Value *a = nullptr, *b = nullptr;
    if (!match(number(value), m_fma(m_Value(a), m_Value(b), Bits{coefficient}))) return false;
    if (b == f) {
      value = a;
    } else if (a == f) {
      value = b;
    } else {
      return false;
    }
  }
  return is_constant(value, highest);
}

/// Whether `value` is ln(a) for normal positive a, less 23 ln(2) where `small`.
bool is_regular_logarithm(Value* value, Value* a, Value* small) {
  Value *e = nullptr, *rest = nullptr, *f = nullptr, *tail = nullptr, *exponent = nullptr,
        *lift = nullptr, *polynomial = nullptr;
  if (!match(number(value), m_fma(m_Value(e), Bits{0x3f317218}, m_Value(rest)))) return false;
  if (!match(number(rest), m_fma(m_Value(tail), m_Value(f), m_Deferred(f)))) return false;
  if (!match(number(tail), m_c_FMul(m_Specific(f), m_Value(polynomial)))) return false;
  if (!is_logarithm_polynomial(polynomial, f)) return false;
  if (!match(number(e), m_fma(m_SIToFP(m_Value(exponent)), Bits{0x34000000}, m_Value(lift))))
    return false;
  if (!match(lift, m_Select(m_Specific(small), Bits{0xc1b80000}, m_AnyZeroFP()))) return false;
  const auto bits = m_BitCast(m_Specific(a));
  if (!match(exponent, m_And(m_Add(bits, m_SpecificInt(static_cast<std::uint32_t>(-1059760811))),
                             m_SpecificInt(0xff800000))))
    return false;
  return match(number(f), m_c_FAdd(m_BitCast(m_Sub(bits, m_Specific(exponent))), Bits{0xbf800000}));
}

bool is_special_logarithm(Value* value, Value* a) {
  return match(number(value), m_fma(m_Specific(a), Bits{0x7f800000}, Bits{0x7f800000}));
}

/// logf: a = x, or 2^23 x where x is small; a == 0 ? -inf : regular or special.
Value* logarithm_operand(llvm::SelectInst& result) {
  Value* a = nullptr;
  llvm::CmpInst::Predicate predicate;
  if (!match(result.getCondition(), m_FCmp(predicate, m_Value(a), m_AnyZeroFP())) ||
      predicate != llvm::CmpInst::FCMP_OEQ || !is_constant(result.getTrueValue(), 0xff800000))
    return nullptr;
  Value *small = nullptr, *scaled = nullptr, *x = nullptr;
  if (!match(a, m_Select(m_Value(small), m_Value(scaled), m_Value(x))) ||
      !match(small, m_FCmp(predicate, m_Specific(x), Bits{0x00800000})) ||
      predicate != llvm::CmpInst::FCMP_OLT ||
      !match(number(scaled), m_c_FMul(m_Specific(x), Bits{0x4b000000})))
    return nullptr;
  Value* cases[2] = {};
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(result.getFalseValue())) {
    if (phi->getNumIncomingValues() != 2) return nullptr;
    for (unsigned i = 0; i < 2; ++i) cases[i] = phi->getIncomingValue(i);
  } else if (!match(result.getFalseValue(),
                    m_Select(m_Value(), m_Value(cases[0]), m_Value(cases[1])))) {
    return nullptr;
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (is_regular_logarithm(cases[i], a, small) && is_special_logarithm(cases[1 - i], a)) return x;
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

/// Writes the call where `found` stands, and the sum with `addend`, if that is not null.
void replace(llvm::Instruction& found, const char* name, llvm::ArrayRef<Value*> operands,
             Value* addend = nullptr) {
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

}  // namespace

unsigned recognise_math(llvm::Function& function) {
  unsigned found = recognise_powers(function);
  std::vector<llvm::BasicBlock*> regions;
  for (const Expression& expression : find_expressions(function)) {
    replace(*expression.result, expression.name, expression.operands);
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
      operand = logarithm_operand(*choice);
      name = lower::approximation::log;
      if (!operand) {
        operand = complementary_error_operand(*choice);
        name = lower::approximation::erfc;
      }
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
