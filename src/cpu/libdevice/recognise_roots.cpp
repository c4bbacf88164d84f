// SPDX-License-Identifier: MIT
// Patterns of roots in scalar IR: cbrtf, by a logarithm and one step of Newton's, and the square
// root in asinf and acosf.
#include "cpu/libdevice/float_patterns.h"
#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// The operand of the approximate function `name` that `value` calls, or null.
Value* operand_of(Value* value, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(number(value));
  if (call == nullptr) return nullptr;
  llvm::StringRef called = lower::callee_name(*call);
  called.consume_back(".ftz");
  return called == name ? call->getArgOperand(0) : nullptr;
}

/// t = 2^(-2/3 log2(a)); y = a t, then y + y (1 - y (y t)) / 3: a, or null.
Value* root_of_magnitude(Value* value) {
  Value *y = nullptr, *third = nullptr, *error = nullptr, *a = nullptr, *t = nullptr;
  if (!match(number(value), m_c_fma(any_number(y), any_number(third), any_number(y))))
    return nullptr;
  if (!match(number(value), m_c_fma(same_number(y), any_number(third), same_number(y))) ||
      !match(third, m_c_FMul(any_number(error), Bits{0x3eaaaaab})) ||
      !match(y, m_FMul(any_number(a), any_number(t))))
    return nullptr;
  if (operand_of(t, lower::approximation::ex2) == nullptr) std::swap(a, t);
  Value* square = nullptr;
  if (!match(error,
             m_c_fma(same_number(y), as_number(m_FNeg(any_number(square))), Bits{0x3f800000})) ||
      !match(square, m_c_FMul(same_number(t), same_number(y))))
    return nullptr;
  Value* power = operand_of(t, lower::approximation::ex2);
  Value* logarithm = nullptr;
  if (power == nullptr || !match(number(power), m_c_FMul(any_number(logarithm), Bits{0xbf2aaaab})))
    return nullptr;
  Value* of = operand_of(logarithm, lower::approximation::lg2);
  return of != nullptr && number(of) == a ? a : nullptr;
}

}  // namespace

Value* cube_root_operand(llvm::SelectInst& result) {
  // x + x where that is x.
  Value *x = nullptr, *twice = nullptr, *root = nullptr;
  llvm::CmpInst::Predicate predicate;
  if (!match(result.getCondition(), m_FCmp(predicate, any_number(twice), m_Value(x))) ||
      predicate != llvm::CmpInst::FCMP_OEQ || !match(twice, m_FAdd(m_Value(x), m_Deferred(x))) ||
      number(result.getTrueValue()) != twice)
    return nullptr;
  x = llvm::cast<llvm::Instruction>(twice)->getOperand(0);
  Value *compared = nullptr, *sign = nullptr;
  if (!match(number(result.getFalseValue()),
             m_Select(m_Value(sign), any_number(compared), any_number(root))) ||
      !match(sign, m_FCmp(predicate, same_number(x), m_AnyZeroFP())) ||
      predicate != llvm::CmpInst::FCMP_OLT || !match(compared, m_FNeg(same_number(root))))
    return nullptr;
  Value* a = root_of_magnitude(root);
  return a != nullptr && match(a, m_FAbs(same_number(x))) ? x : nullptr;
}

Value* refined_root_operand(llvm::SelectInst& result) {
  Value *x = nullptr, *one = nullptr, *a = nullptr;
  llvm::CmpInst::Predicate predicate;
  if (!match(result.getCondition(), m_FCmp(predicate, any_number(x), any_number(one))) ||
      predicate != llvm::CmpInst::FCMP_OEQ || !is_constant(one, 0x3f800000) ||
      !match(result.getTrueValue(), m_PosZeroFP()))
    return nullptr;
  // y = a r, with r near 1 / sqrt(a): y + y (1 / 2 - y (r / 2)).
  Value *y = nullptr, *error = nullptr, *half = nullptr, *r = nullptr;
  Value* refined = number(result.getFalseValue());
  if (!match(refined, m_fma(any_number(y), any_number(error), m_Value()))) return nullptr;
  if (!match(refined, m_fma(same_number(y), same_number(error), same_number(y))))
    std::swap(y, error);
  if (!match(refined, m_c_fma(same_number(y), same_number(error), same_number(y))) ||
      !match(error, m_c_fma(negated_number(y), any_number(half), Bits{0x3f000000})) ||
      !match(half, m_c_FMul(any_number(r), Bits{0x3f000000})))
    return nullptr;
  a = operand_of(r, lower::approximation::rsqrt);
  // a = (1 - x) / 2: no number above 1 / 2, and zero for 1.
  constexpr Bits one_half{0x3f000000};
  if (a == nullptr || !match(y, m_c_FMul(same_number(number(a)), same_number(r))) ||
      !match(number(a), m_c_fma(negated_number(x), one_half, one_half)) ||
      !match(x, m_FAbs(m_Value())))
    return nullptr;
  return a;
}

}  // namespace pycuda::cpu::libdevice
