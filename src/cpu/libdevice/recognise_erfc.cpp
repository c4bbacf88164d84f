// SPDX-License-Identifier: MIT
// The pattern of erfcf in scalar IR, constant by constant. CUDA computes it of a = |x|: a quotient
// of a polynomial, exp(-a^2), and 0 for large a.
#include <llvm/ADT/STLExtras.h>

#include <utility>

#include "cpu/libdevice/float_patterns.h"
#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// A value, and one that is known: `number` of it.
auto any(Value*& value) { return as_number(m_Value(value)); }
auto same(Value* value) { return as_number(m_Specific(value)); }

/// Whether `value` is, as rcp.approx.ftz computes it, 1 over what `divisor` matches.
template <class Pattern>
bool is_reciprocal(Value* value, const Pattern& divisor) {
  Value* found = nullptr;
  return match(normal_number(value), m_FDiv(Bits{0x3f800000}, m_Value(found))) &&
         match(normal_number(found), divisor);
}

/// exp(-a^2): 2^w 2^(log2(e) r), with r = -a^2 - w ln(2); then times 1 + (a^2 - a a).
bool is_exponential_of_square(Value* value, Value* a) {
  Value *power = nullptr, *error = nullptr, *factor = nullptr, *square = nullptr;
  if (!match(value, as_number(m_fma(any(power), any(error), any(factor))))) return false;
  if (power != factor) std::swap(power, error);
  if (power != factor || !match(error, m_c_fma(as_number(m_FNeg(same(a))), same(a), any(square))) ||
      !match(square, m_FMul(same(a), same(a))))
    return false;
  Value *ex2 = nullptr, *scale = nullptr, *sum = nullptr;
  if (!match(power, m_FMul(any(ex2), any(scale)))) return false;
  if (!llvm::isa<llvm::CallInst>(ex2)) std::swap(ex2, scale);
  const auto* call = llvm::dyn_cast<llvm::CallInst>(ex2);
  if (!call || !lower::callee_name(*call).starts_with(lower::approximation::ex2)) return false;
  if (!match(scale, m_BitCast(m_Shl(m_BitCast(any(sum)), m_SpecificInt(23))))) return false;
  Value *whole = nullptr, *high = nullptr, *negative = nullptr;
  if (!match(sum, m_c_FAdd(any(whole), Bits{0x4b40007f})) ||
      !match(call->getArgOperand(0),
             as_number(m_c_FMul(as_number(m_c_fma(same(whole), Bits{0x3102e308}, any(high))),
                                Bits{0x3fb8aa3b}))) ||
      !match(high, m_c_fma(same(whole), Bits{0xbf317218}, m_Value(negative))) ||
      !match(negative, as_number(m_FNeg(same(square)))))
    return false;
  // w: log2(e) times -a^2, cut off to an integer, at most 126 of either sign.
  return llvm::any_of(negative->users(), [&](llvm::User* user) {
    return match(user, m_c_FMul(m_Specific(negative), Bits{0x3fb8aa3b})) &&
           is_function_of(whole, user);
  });
}

/// Horner's rule in `t` down to the coefficient of the highest power.
bool is_polynomial(Value* value, Value* t) {
  constexpr std::uint32_t coefficients[] = {0x3f9dd2c9, 0xbe0ef8d4, 0x3c7bf170, 0x3d8b74de,
                                            0xbdced424, 0x3dc021d5, 0xbd887c5a, 0x3d15373b,
                                            0xbc81fb4b, 0x3be6e05b};
  constexpr std::uint32_t highest = 0x3a69a091;
  for (std::uint32_t coefficient : coefficients) {
    Value* higher = nullptr;
    if (!match(value, as_number(m_c_fma(same(t), m_Value(higher), Bits{coefficient}))))
      return false;
    value = higher;
  }
  return is_constant(value, highest);
}

/// Whether `t` is (a - 4) / (a + 4), corrected: m = (a - 4) q, t = m + q (a - 4 (m + 1) - m a).
bool is_mapped(Value* t, Value* a) {
  Value *q = nullptr, *rest = nullptr, *product = nullptr;
  if (!match(t, m_fma(any(q), any(rest), any(product)))) return false;
  const auto sum = m_c_FAdd(same(a), Bits{0x40800000});
  if (!is_reciprocal(q, sum)) std::swap(q, rest);
  const auto above = as_number(m_c_FAdd(same(product), Bits{0x3f800000}));
  const auto first = as_number(m_c_fma(above, Bits{0xc0800000}, same(a)));
  return is_reciprocal(q, sum) &&
         match(product, m_c_FMul(as_number(m_c_FAdd(same(a), Bits{0xc0800000})), same(q))) &&
         match(rest, m_c_fma(as_number(m_FNeg(same(product))), same(a), first));
}

/// Whether `value` is the polynomial p over 1 + 2 a: n = p q, then n + q (p - 2 a n - n).
bool is_quotient(Value* value, Value* a) {
  Value *q = nullptr, *rest = nullptr, *product = nullptr, *p = nullptr;
  if (!match(value, as_number(m_fma(any(q), any(rest), any(product))))) return false;
  const auto sum = m_c_fma(same(a), Bits{0x40000000}, Bits{0x3f800000});
  if (!is_reciprocal(q, sum)) std::swap(q, rest);
  if (!is_reciprocal(q, sum) || !match(product, m_c_FMul(any(p), same(q)))) return false;
  const auto twice = as_number(m_c_FMul(same(product), Bits{0xc0000000}));
  if (!match(rest, m_FSub(as_number(m_c_fma(same(a), twice, same(p))), same(product))))
    return false;
  Value *one = nullptr, *two = nullptr;
  if (!match(p, m_fma(any(one), any(two), m_Value()))) return false;
  // One of them is the polynomial's variable.
  return (is_polynomial(p, one) && is_mapped(one, a)) ||
         (is_polynomial(p, two) && is_mapped(two, a));
}

}  // namespace

Value* complementary_error_operand(llvm::SelectInst& result) {
  Value* a = nullptr;
  llvm::CmpInst::Predicate predicate;
  if (!match(result.getCondition(), m_FCmp(predicate, any(a), Bits{0x4120e148})) ||
      predicate != llvm::CmpInst::FCMP_OGT || !match(result.getTrueValue(), m_PosZeroFP()) ||
      !match(a, m_FAbs(m_Value())))
    return nullptr;
  Value *one = nullptr, *two = nullptr;
  if (!match(result.getFalseValue(), as_number(m_FMul(any(one), any(two))))) return nullptr;
  if (!is_quotient(one, a)) std::swap(one, two);
  return is_quotient(one, a) && is_exponential_of_square(two, a) ? a : nullptr;
}

}  // namespace pycuda::cpu::libdevice
