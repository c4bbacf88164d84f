// SPDX-License-Identifier: MIT
// The pattern of atan of an f64 in scalar IR, constant by constant: a polynomial of |x| or of its
// reciprocal.
#include "cpu/libdevice/double_patterns.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

constexpr std::uint64_t half_pi = 0x3ff921fb54442d18, infinity_bits = 0x7ff0000000000000;

constexpr std::uint64_t coefficients[] = {
    0xbfd555555555544c, 0x3fc99999999840d2, 0xbfc2492491fa1744, 0x3fbc71c709dfe927,
    0xbfb745d022f8dc5c, 0x3fb3b12b2db51738, 0xbfb11089ca9a5bcd, 0x3fae17813d66954f,
    0xbfaad32ae04a9fd1, 0x3fa7ee3d3f36bb95, 0xbfa4f44d841450e4, 0x3fa171560ce4a489,
    0xbf9a7256feb6fc6b, 0x3f9162b0b2a3bfde, 0xbf82cf5aabc7cf0d, 0x3f6f9690c8249315,
    0xbf5312788dde082e, 0x3f2d3b63dbb65b49, 0xbef53e1d2a25ff7e};

/// `value` if it has no sign, without the select that quiets its NaNs: the result's sign is
/// written over. Null if it may have one.
Value* magnitude_of(Value* value) {
  if (match(value, m_FAbs(m_Value())) ||
      match(value, m_BitCast(m_And(m_Value(), m_SpecificInt(0x7fffffffffffffff)))))
    return value;
  Value *test = nullptr, *kept = nullptr, *x = nullptr;
  if (!match(value, m_Select(m_Value(test), m_Value(), m_Value(kept))) ||
      !match(kept, m_FAbs(m_Value(x))))
    return nullptr;
  const auto* is_nan = llvm::dyn_cast<llvm::FCmpInst>(test);
  return is_nan && is_nan->getPredicate() == llvm::CmpInst::FCMP_UNO &&
                 is_nan->getOperand(0) == x && match(is_nan->getOperand(1), m_AnyZeroFP())
             ? kept
             : nullptr;
}

/// |x|, where `value` is the smaller one of |x| and 1 / |x|.
Value* magnitude_behind(Value* value) {
  const auto ways = two_ways(value);
  if (!ways) return nullptr;
  llvm::CmpInst::Predicate predicate;
  Value* x = ways->if_true;
  Value* reciprocal = nullptr;
  if (!match(ways->condition, m_FCmp(predicate, m_Specific(x), m_FPOne())) ||
      predicate != llvm::CmpInst::FCMP_ULE || !magnitude_of(x) ||
      !match(ways->if_false, m_Select(m_FCmp(predicate, m_Specific(x), LongBits{infinity_bits}),
                                      m_PosZeroFP(), m_Value(reciprocal))) ||
      predicate != llvm::CmpInst::FCMP_OEQ)
    return nullptr;
  return refined_reciprocal_of(reciprocal) == x ? x : nullptr;
}

}  // namespace

Value* double_arc_tangent_operand(llvm::SelectInst& result) {
  Value *x = nullptr, *near = result.getFalseValue();
  llvm::CmpInst::Predicate predicate;
  if (!match(result.getCondition(), m_FCmp(predicate, m_Value(x), m_FPOne())) ||
      predicate != llvm::CmpInst::FCMP_OGT ||
      !match(result.getTrueValue(), m_FSub(LongBits{half_pi}, m_Specific(near))))
    return nullptr;
  Value *product = nullptr, *r = nullptr, *square = nullptr, *polynomial = nullptr;
  if (!match(near, m_fma(m_Value(product), m_Value(r), m_Deferred(r))) ||
      !match(product, m_FMul(m_Value(square), m_Value(polynomial))))
    return nullptr;
  if (!match(square, m_FMul(m_Specific(r), m_Specific(r)))) std::swap(square, polynomial);
  const bool found = match(square, m_FMul(m_Specific(r), m_Specific(r))) &&
                     is_polynomial(polynomial, square, coefficients) && magnitude_behind(r) == x;
  return found ? magnitude_of(x) : nullptr;
}

}  // namespace pycuda::cpu::libdevice
