// SPDX-License-Identifier: MIT
// The pattern of exp of an f64 in scalar IR, constant by constant: 2^w p(x - w ln(2)), where w is
// added to the exponent, with two more cases for large |x|.
#include <llvm/ADT/STLExtras.h>

#include "cpu/libdevice/double_patterns.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// Horner's rule down to the coefficient of the highest power: its variable, or null.
Value* polynomial_variable(Value* value) {
  constexpr std::uint64_t coefficients[] = {
      0x3ff0000000000000, 0x3ff0000000000000, 0x3fe000000000000b, 0x3fc5555555555511,
      0x3fa55555555502a1, 0x3f81111111122322, 0x3f56c16c1852b7af, 0x3f2a01a014761f65,
      0x3efa01997c89eb71, 0x3ec71dee62401315, 0x3e928af3fca213ea};
  constexpr std::uint64_t highest = 0x3e5ade1569ce2bdf;
  Value *left = nullptr, *right = nullptr;
  if (!match(value, m_fma(m_Value(left), m_Value(right), m_Value()))) return nullptr;
  for (Value* variable : {left, right}) {
    Value* sum = value;
    const bool all = llvm::all_of(coefficients, [&](std::uint64_t coefficient) {
      Value* higher = nullptr;
      const bool found =
          match(sum, m_c_fma(m_Specific(variable), m_Value(higher), LongBits{coefficient}));
      sum = higher;
      return found;
    });
    if (all && LongBits{highest}.match(sum)) return variable;
  }
  return nullptr;
}

/// The regular case: what is scaled and the sum whose low bits are w.
bool is_scaled(Value* value, Value*& power, Value*& steps) {
  Value *low = nullptr, *high = nullptr;
  return match(
             value,
             m_c_Or(m_And(m_BitCast(m_Value(low)), m_SpecificInt(0xffffffff)),
                    m_c_Add(m_Shl(m_BitCast(m_Value(steps)), m_SpecificInt(52)),
                            m_And(m_BitCast(m_Value(high)), m_SpecificInt(0xffffffff00000000))))) &&
         (power = low) == high;
}

/// Infinity or NaN, or zero for negative x. What x is the negative of is subtracted; a select there
/// quiets NaNs.
bool is_limit(Value* value, Value* x) {
  Value *sum = nullptr, *operand = nullptr;
  if (!match(value, m_Select(m_Value(), m_PosZeroFP(), m_Value(sum)))) return false;
  constexpr LongBits infinity{0x7ff0000000000000};
  return match(sum, m_c_FAdd(m_Specific(x), infinity)) ||
         (match(sum, m_FSub(infinity, m_Value(operand))) &&
          match(x, m_CombineOr(m_FNeg(m_Specific(operand)),
                               m_Select(m_Value(), m_Value(), m_FNeg(m_Specific(operand))))));
}

/// Whether a branch into `block`, or its predecessor's, asks for the size of x as the regular case
/// does.
bool is_for_small(const llvm::BasicBlock& block, Value* x) {
  const llvm::BasicBlock* asks = block.getSinglePredecessor();
  const auto* branch = asks ? llvm::dyn_cast<llvm::BranchInst>(asks->getTerminator()) : nullptr;
  if (!branch || branch->isUnconditional()) return false;
  llvm::CmpInst::Predicate predicate;
  Value* whole = nullptr;
  return match(branch->getCondition(),
               m_FCmp(
                   predicate,
                   as_number(m_FAbs(m_BitCast(m_Trunc(m_LShr(m_Value(whole), m_SpecificInt(32)))))),
                   Bits{0x4086232b})) &&
         predicate == llvm::CmpInst::FCMP_OLT && branch->getSuccessor(0) == &block &&
         without_cast(whole) == without_cast(x);
}

}  // namespace

Value* double_exponential_operand(llvm::PHINode& result) {
  if (result.getNumIncomingValues() != 3) return nullptr;
  Value *x = nullptr, *power = nullptr, *steps = nullptr;
  unsigned regular = 0, limits = 0, products = 0;
  for (unsigned i = 0; i < 3; ++i) {
    if (!is_scaled(without_cast(result.getIncomingValue(i)), power, steps)) continue;
    Value *rest = polynomial_variable(power), *whole = nullptr, *high = nullptr;
    if (!rest || !match(steps, m_c_fma(m_Value(x), LongBits{0x3ff71547652b82fe},
                                       LongBits{0x4338000000000000})))
      return nullptr;
    if (!match(rest, m_c_fma(m_Value(whole), LongBits{0xbc7abc9e3b39803f}, m_Value(high))) ||
        !match(whole, m_c_FAdd(m_Specific(steps), LongBits{0xc338000000000000})) ||
        !match(high, m_c_fma(m_Specific(whole), LongBits{0xbfe62e42fefa39ef}, m_Specific(x))) ||
        !is_for_small(*result.getIncomingBlock(i), x))
      return nullptr;
    ++regular;
  }
  if (regular != 1) return nullptr;
  for (Value* value : result.incoming_values()) {
    limits += is_limit(without_cast(value), x) ? 1 : 0;
    Value *one = nullptr, *two = nullptr;
    products += match(without_cast(value), m_FMul(m_BitCast(m_Value(one)), m_BitCast(m_Value(two))))
                    ? 1
                    : 0;
  }
  return limits == 1 && products == 1 ? x : nullptr;
}

}  // namespace pycuda::cpu::libdevice
