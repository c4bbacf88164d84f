// SPDX-License-Identifier: MIT
// The pattern of log of an f64 in scalar IR, constant by constant: x = 2^n m with m from sqrt(1/2)
// to sqrt(2), and log(m) by powers of (m - 1) / (m + 1).
#include "cpu/libdevice/double_patterns.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

constexpr std::uint64_t ln2 = 0x3fe62e42fefa39ef, ln2_rest = 0x3c7abc9e3b39803f;
constexpr std::uint64_t infinity = 0x7ff0000000000000, negative_infinity = 0xfff0000000000000;

constexpr std::uint64_t coefficients[] = {
    0x3fb5555555555554, 0x3f8999999999a3c4, 0x3f624924923be72d, 0x3f3c71c72d1b5154,
    0x3f1745cba9ab0956, 0x3ef3b2669f02676f, 0x3ed0ee258b7a8b04, 0x3eb1380b3ae80f1e};

/// What the logarithm is a sum of.
struct Parts {
  Value* exponent = nullptr;  ///< as an i32
  Value* mantissa = nullptr;
};

/// The f64 of an i32, made of its bits.
Value* integer_behind(Value* real) {
  Value* integer = nullptr;
  return match(real, m_c_FAdd(m_BitCast(m_c_Or(
                                  m_ZExt(m_c_Xor(m_Value(integer), m_SpecificInt(0x80000000U))),
                                  m_SpecificInt(0x4330000000000000))),
                              LongBits{0xc330000080000000}))
             ? integer
             : nullptr;
}

/// log(m) of m - 1, where `twice` is 2 (m - 1) / (m + 1), less that.
bool is_rest_of_logarithm(Value* value, Value* twice, Value*& mantissa) {
  Value *high = nullptr, *correction = nullptr, *square = nullptr, *polynomial = nullptr;
  if (!match(value, m_c_fma(m_Value(high), m_Specific(twice), m_Value(correction))) ||
      !match(high, m_FMul(m_Value(square), m_Value(polynomial))))
    return false;
  if (!match(square, m_FMul(m_Specific(twice), m_Specific(twice)))) std::swap(square, polynomial);
  if (!match(square, m_FMul(m_Specific(twice), m_Specific(twice))) ||
      !is_polynomial(polynomial, square, coefficients))
    return false;
  Value *left = nullptr, *right = nullptr;
  if (!match(twice,
             m_fma(m_Value(left), m_Value(right), m_c_FMul(m_Deferred(left), m_Deferred(right)))))
    return false;
  for (const auto& [less, reciprocal] : {std::pair(left, right), std::pair(right, left)}) {
    Value *more = refined_reciprocal_of(reciprocal), *error = nullptr, *doubled = nullptr;
    if (!more || !match(more, m_c_FAdd(m_Value(mantissa), m_FPOne())) ||
        !match(less, m_c_FAdd(m_Specific(mantissa), LongBits{0xbff0000000000000})) ||
        !match(correction, m_c_FMul(m_Specific(reciprocal), m_Value(error))))
      continue;
    auto* sum = llvm::dyn_cast<llvm::IntrinsicInst>(error);
    if (!sum || sum->getIntrinsicID() != llvm::Intrinsic::fma) continue;
    doubled = sum->getArgOperand(2);
    Value* half = nullptr;
    if (is_negative_product(error, twice, less, doubled) &&
        match(doubled, m_FAdd(m_Value(half), m_Deferred(half))) &&
        match(half, m_FSub(m_Specific(less), m_Specific(twice))))
      return true;
  }
  return false;
}

std::optional<Parts> parts_of(Value* value) {
  Value *left = nullptr, *right = nullptr;
  if (!match(value, m_FAdd(m_Value(left), m_Value(right)))) return std::nullopt;
  for (const auto& [high, low] : {std::pair(left, right), std::pair(right, left)}) {
    Value *whole = nullptr, *twice = nullptr, *rest = nullptr, *back = nullptr;
    if (!match(high, m_c_fma(m_Value(whole), LongBits{ln2}, m_Value(twice))) ||
        !match(low, m_c_fma(m_Specific(whole), LongBits{ln2_rest},
                            m_FSub(m_Value(rest), m_FSub(m_Value(back), m_Specific(twice))))))
      continue;
    Value *one = nullptr, *other = nullptr;
    if (!match(back, m_fma(m_Value(one), m_Value(other), m_Specific(high)))) continue;
    if (LongBits{ln2}.match(one)) std::swap(one, other);
    const bool undone = (negated(one) == whole && LongBits{ln2}.match(other)) ||
                        (one == whole && LongBits{ln2 | 0x8000000000000000}.match(other));
    Parts parts;
    parts.exponent = integer_behind(whole);
    if (undone && parts.exponent && is_rest_of_logarithm(rest, twice, parts.mantissa)) return parts;
  }
  return std::nullopt;
}

/// The bits of a number in words: which are those of x, or of 2^54 x where x is small.
struct Operand {
  Value* x = nullptr;       ///< as an f64
  Value* bits = nullptr;    ///< of the two, as an i64
  Value* upper = nullptr;   ///< and their upper word
  Value* lifted = nullptr;  ///< what is added to the exponent
};

Value* upper_word_of(Value* value) {
  Value* bits = nullptr;
  return match(value, m_Trunc(m_LShr(m_Value(bits), m_SpecificInt(32)))) ? bits : nullptr;
}

std::optional<Operand> operand_of(Value* upper, Value* bits, Value* lifted) {
  const auto words = two_ways(upper), numbers = two_ways(bits), exponents = two_ways(lifted);
  if (!words || !numbers || !exponents || words->condition != numbers->condition ||
      words->condition != exponents->condition ||
      !match(words->condition, m_SpecificICmp(llvm::CmpInst::ICMP_SGT, m_Specific(words->if_true),
                                              m_SpecificInt(0x000fffff))) ||
      upper_word_of(words->if_true) != numbers->if_true ||
      upper_word_of(words->if_false) != numbers->if_false ||
      !match(exponents->if_true, m_SpecificInt(static_cast<std::uint32_t>(-1023))) ||
      !match(exponents->if_false, m_SpecificInt(static_cast<std::uint32_t>(-1077))))
    return std::nullopt;
  Value* x = nullptr;
  if (!match(without_cast(numbers->if_false), m_c_FMul(m_Value(x), LongBits{0x4350000000000000})) ||
      without_cast(x) != without_cast(numbers->if_true))
    return std::nullopt;
  return Operand{x, bits, upper, lifted};
}

/// m with the upper word `word` in its place: the lower one is that of `bits`.
bool has_words(Value* value, Value* bits, std::uint32_t exponent, Value*& mantissa) {
  Value* word = nullptr;
  return match(value, m_c_Or(m_And(m_Specific(bits), m_SpecificInt(0xffffffff)),
                             m_Shl(m_ZExt(m_Value(word)), m_SpecificInt(32)))) &&
         match(word, m_c_Or(m_Value(mantissa), m_SpecificInt(exponent)));
}

/// x, where the parts are those of a number that is neither zero, negative, infinite nor NaN; and
/// the block that is left for them.
std::optional<Operand> operand_of(const Parts& parts, const llvm::BasicBlock*& asks) {
  const auto mantissas = two_ways(without_cast(parts.mantissa)),
             exponents = two_ways(parts.exponent);
  if (!mantissas || !exponents || mantissas->condition != exponents->condition) return std::nullopt;
  Value *lifted = nullptr, *upper = nullptr, *bits = nullptr, *fraction = nullptr;
  if (!match(exponents->if_true,
             m_c_Add(m_Value(lifted), m_LShr(m_Value(upper), m_SpecificInt(20))))) {
    return std::nullopt;
  }
  if (!match(exponents->if_false, m_c_Add(m_Specific(exponents->if_true), m_One())) ||
      !match(mantissas->if_true, m_c_Or(m_And(m_Value(bits), m_SpecificInt(0xffffffff)),
                                        m_Shl(m_Value(), m_SpecificInt(32)))) ||
      !has_words(mantissas->if_true, bits, 0x3ff00000, fraction) ||
      !match(fraction, m_And(m_Specific(upper), m_SpecificInt(0x000fffff))))
    return std::nullopt;
  Value* same = nullptr;
  if (!has_words(mantissas->if_false, bits, 0x3fe00000, same) || same != fraction ||
      !match(mantissas->condition,
             m_SpecificICmp(llvm::CmpInst::ICMP_ULT,
                            m_c_Or(m_Specific(fraction), m_SpecificInt(0x3ff00000)),
                            m_SpecificInt(0x3ff6a09f))))
    return std::nullopt;
  // All of it stands where the exponent is computed or behind it.
  const auto* sum = llvm::dyn_cast<llvm::Instruction>(exponents->if_true);
  if (!sum) return std::nullopt;
  asks = sum->getParent();
  return operand_of(upper, bits, lifted);
}

/// log of what is neither positive nor finite.
bool is_special(Value* value, const Operand& operand) {
  Value *zero = nullptr, *limit = nullptr, *sum = nullptr;
  if (!match(without_cast(value), m_Select(m_Value(zero), m_Value(limit), m_Value(sum))))
    return false;
  const bool is_limit =
      match(limit, m_SpecificInt(negative_infinity)) || LongBits{negative_infinity}.match(limit);
  Value* number = nullptr;
  return is_limit &&
         match(without_cast(sum), m_fma(m_Value(number), LongBits{infinity}, LongBits{infinity})) &&
         without_cast(number) == without_cast(operand.bits) &&
         match(zero,
               m_SpecificICmp(llvm::CmpInst::ICMP_EQ,
                              m_And(m_Specific(operand.bits), m_SpecificInt(0x7fffffff00000000)),
                              m_Zero()));
}

}  // namespace

Value* double_logarithm_operand(llvm::PHINode& result) {
  if (result.getNumIncomingValues() != 2) return nullptr;
  for (unsigned i = 0; i < 2; ++i) {
    const auto parts = parts_of(without_cast(result.getIncomingValue(i)));
    const llvm::BasicBlock* regular = nullptr;
    const auto operand = parts ? operand_of(*parts, regular) : std::nullopt;
    if (!operand || !is_special(result.getIncomingValue(1 - i), *operand)) continue;
    const llvm::BranchInst* asks = branch_to(*regular);
    const bool is_told =
        asks && asks == branch_to(*result.getIncomingBlock(1 - i)) &&
        asks->getSuccessor(0) == regular &&
        match(asks->getCondition(), m_SpecificICmp(llvm::CmpInst::ICMP_ULT,
                                                   m_c_Add(m_Specific(operand->upper), m_AllOnes()),
                                                   m_SpecificInt(0x7fefffff)));
    if (is_told) return operand->x;
  }
  return nullptr;
}

}  // namespace pycuda::cpu::libdevice
