// SPDX-License-Identifier: MIT
// The pattern of powf in scalar IR: the power of |x| constant by constant, what is made of it where
// x or y are special by what comes out.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/libdevice/float_patterns.h"
#include "cpu/libdevice/special_cases.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// a - b, however it is written.
bool is_difference(Value* value, Value* a, Value* b) {
  Value* sum = nullptr;
  value = number(value);
  if (match(value, m_CombineOr(m_FSub(same_number(a), same_number(b)),
                               m_c_FAdd(same_number(a), negated_number(b)))))
    return true;
  // The negative of b, which is a sum.
  return match(value, m_c_FAdd(same_number(a), any_number(sum))) &&
         match(sum, m_FNeg(any_number(sum))) && number(b) == sum;
}

/// What is added to itself, or null.
Value* half_of(Value* twice) {
  Value *one = nullptr, *other = nullptr;
  return match(twice, m_FAdd(any_number(one), any_number(other))) && one == other ? one : nullptr;
}

/// Horner's rule in `variable`, from the constant term up to the coefficient of the highest power.
bool is_polynomial(Value* value, Value* variable, llvm::ArrayRef<std::uint32_t> coefficients) {
  for (std::uint32_t coefficient : coefficients.drop_back()) {
    Value* higher = nullptr;
    if (!match(value,
               as_number(m_c_fma(same_number(variable), m_Value(higher), Bits{coefficient}))))
      return false;
    value = higher;
  }
  return is_constant(value, coefficients.back());
}

struct Mantissa {
  Value* value = nullptr;     ///< from sqrt(1/2) to sqrt(2)
  Value* exponent = nullptr;  ///< as an f32
};

/// How large x is at least in `block` by the branches that lead there; NaN aside.
float least_in(Value* x, const llvm::BasicBlock* block, const llvm::DominatorTree& dominators) {
  float least = -std::numeric_limits<float>::infinity();
  x = number(x);
  const auto* node = dominators.getNode(block);
  for (; node && node->getIDom(); node = node->getIDom()) {
    const llvm::BasicBlock* above = node->getIDom()->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (!branch || branch->isUnconditional()) continue;
    llvm::CmpInst::Predicate predicate;
    Value* bound = nullptr;
    if (!match(branch->getCondition(), m_FCmp(predicate, same_number(x), m_Value(bound)))) continue;
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(bound);
    const bool yes =
        dominators.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(0)), block);
    if (!constant || constant->isNaN() ||
        (!yes &&
         !dominators.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(1)), block)))
      continue;
    if (!yes) predicate = llvm::CmpInst::getInversePredicate(predicate);
    const float limit = constant->getValueAPF().convertToFloat();
    using enum llvm::CmpInst::Predicate;
    if (predicate == FCMP_OGT || predicate == FCMP_UGT)
      least = std::max(least, std::nextafter(limit, std::numeric_limits<float>::infinity()));
    if (predicate == FCMP_OGE || predicate == FCMP_UGE) least = std::max(least, limit);
  }
  return least;
}

/// x, where a is |x|, or x itself if it is positive in `block`; else null.
Value* magnitude_of(Value* a, const llvm::BasicBlock* block,
                    const llvm::DominatorTree& dominators) {
  Value* x = nullptr;
  if (match(a, m_FAbs(m_Value(x)))) return x;
  return least_in(a, block, dominators) > 0 ? a : nullptr;
}

/// a = |x| taken apart, lifted by 2^24 where it is subnormal: x, or null.
Value* apart(const Mantissa& parts) {
  Value *bits = nullptr, *exponent = nullptr, *integer = nullptr, *lift = nullptr;
  if (!match(parts.value, m_BitCast(m_Sub(m_Value(bits), m_Value(exponent)))) ||
      !match(exponent,
             m_And(m_Add(m_Specific(bits), m_SpecificInt(static_cast<std::uint32_t>(-1060439283))),
                   m_SpecificInt(0xff800000))) ||
      !match(number(parts.exponent),
             m_fma(m_SIToFP(m_Value(integer)), Bits{0x34000000}, m_Value(lift))) ||
      integer != exponent)
    return nullptr;
  auto* place = llvm::cast<llvm::Instruction>(parts.value);
  const llvm::DominatorTree dominators(*place->getFunction());
  Value *small = nullptr, *lifted = nullptr, *a = nullptr;
  // It may be known to be no subnormal number.
  if (match(lift, m_AnyZeroFP()) && match(bits, m_BitCast(any_number(a)))) {
    Value* x = magnitude_of(a, place->getParent(), dominators);
    const bool is_normal =
        x && least_in(x, place->getParent(), dominators) >= std::numeric_limits<float>::min();
    return is_normal ? x : nullptr;
  }
  llvm::CmpInst::Predicate predicate;
  if (!match(bits, m_BitCast(m_Select(m_Value(small), any_number(lifted), any_number(a)))) ||
      !match(lift, m_Select(m_Specific(small), Bits{0xc1c00000}, m_AnyZeroFP())) ||
      !match(small, m_FCmp(predicate, same_number(a), Bits{0x00800000})) ||
      predicate != llvm::CmpInst::FCMP_OLT ||
      !match(lifted, m_c_FMul(same_number(a), Bits{0x4b800000})))
    return nullptr;
  return magnitude_of(a, place->getParent(), dominators);
}

/// log2(|x|) as a sum of two: x, or null.
Value* logarithm_operand(Value* high, Value* low) {
  // The sum of the leading part and what it lacks, made shorter by its own rounding.
  Value *lead = nullptr, *tail = nullptr;
  if (!match(high, m_FAdd(any_number(lead), any_number(tail)))) return nullptr;
  const auto splits = [&] {
    Value* rounded = nullptr;
    Value* value = number(low);
    if (match(value, m_c_FAdd(same_number(tail), as_number(m_FNeg(any_number(rounded))))) ||
        match(value, m_FSub(same_number(tail), any_number(rounded))))
      return is_difference(rounded, high, lead);
    return false;
  };
  if (!splits()) {
    std::swap(lead, tail);
    if (!splits()) return nullptr;
  }
  constexpr std::uint32_t log2_e = 0x3fb8aa3b, log2_e_rest = 0x32a55e34;
  Value *q = nullptr, *e = nullptr, *curve = nullptr, *rest = nullptr;
  if (!match(lead, m_fma(any_number(q), Bits{log2_e}, any_number(e))) ||
      !match(tail, m_c_fma(same_number(q), any_number(curve), any_number(rest))))
    return nullptr;
  Value *thrice = nullptr, *q_low = nullptr, *difference = nullptr;
  if (!match(rest, m_fma(any_number(thrice), any_number(q_low), any_number(rest)))) return nullptr;
  const auto is_thrice = m_c_FMul(same_number(curve), Bits{0x40400000});
  if (!match(thrice, is_thrice)) std::swap(thrice, q_low);
  if (!match(thrice, is_thrice) ||
      !match(rest, m_fma(same_number(q), Bits{log2_e_rest},
                         as_number(m_fma(same_number(q_low), Bits{log2_e},
                                         as_number(m_fma(same_number(q), Bits{log2_e},
                                                         any_number(difference))))))) ||
      !is_difference(difference, e, lead))
    return nullptr;
  Value *squared = nullptr, *polynomial = nullptr;
  const auto is_square = m_FMul(same_number(q), same_number(q));
  if (!match(curve, m_FMul(any_number(squared), any_number(polynomial)))) return nullptr;
  if (!match(squared, is_square)) std::swap(squared, polynomial);
  if (!match(squared, is_square) ||
      !is_polynomial(polynomial, squared, {0x3df6384f, 0x3c93bb73, 0x3b52e7db, 0x3a2c32e4}))
    return nullptr;
  // q = 2 f / (m + 1) and what that lacks.
  Value *twice = nullptr, *reciprocal = nullptr, *divisor = nullptr;
  Mantissa parts;
  parts.exponent = e;
  if (!match(q, m_FMul(m_Value(twice), m_Value(reciprocal)))) return nullptr;
  if (half_of(number(twice)) == nullptr) std::swap(twice, reciprocal);
  Value* f = half_of(number(twice));
  if (f == nullptr) return nullptr;
  if (!match(f, m_c_FAdd(m_Value(parts.value), Bits{0xbf800000})) ||
      !match(normal_number(reciprocal), m_FDiv(Bits{0x3f800000}, m_Value(divisor))) ||
      !match(normal_number(divisor), m_c_FAdd(m_Specific(parts.value), Bits{0x3f800000})))
    return nullptr;
  Value *left = nullptr, *doubled = nullptr;
  if (!match(q_low, m_c_FMul(m_Specific(reciprocal), any_number(left))) ||
      !match(left, m_c_fma(negated_number(q), same_number(f), any_number(doubled))) ||
      half_of(doubled) == nullptr || !is_difference(half_of(doubled), f, q))
    return nullptr;
  return apart(parts);
}

/// 2^(high + low), as a polynomial of what is left and two powers of two, and its limits for large
/// |high|: whether `result` is that, with the two.
bool is_exponential(llvm::SelectInst& result, Value*& high, Value*& low) {
  Value *product = nullptr, *first = nullptr, *step = nullptr, *shifted = nullptr, *power = nullptr;
  if (!match(number(result.getFalseValue()),
             m_FMul(as_number(m_FMul(any_number(power), m_BitCast(m_Value(first)))),
                    m_BitCast(m_Sub(m_Value(shifted), m_Value(step))))))
    return false;
  Value *integer = nullptr, *whole = nullptr, *positive = nullptr;
  llvm::CmpInst::Predicate predicate;
  if (!match(first, m_Add(m_Specific(step), m_SpecificInt(2130706432))) ||
      !match(step, m_Select(m_Value(positive), m_Zero(),
                            m_SpecificInt(static_cast<std::uint32_t>(-2097152000)))) ||
      !match(shifted, m_Shl(m_Value(integer), m_SpecificInt(23))) ||
      !match(positive, m_FCmp(predicate, any_number(whole), m_AnyZeroFP())) ||
      predicate != llvm::CmpInst::FCMP_OGT || !is_function_of(integer, whole))
    return false;
  if (!match(whole, m_Intrinsic<llvm::Intrinsic::roundeven>(any_number(product)))) return false;
  Value *sum = nullptr, *left = nullptr;
  if (!match(power, m_c_fma(any_number(sum), m_Value(), Bits{0x3f800000}))) return false;
  constexpr std::uint32_t coefficients[] = {0x3f800000, 0x3f317218, 0x3e75fdec, 0x3d6357bb,
                                            0x3c1d9856, 0x3aaf85ed, 0x391fcb8e};
  if (!is_polynomial(power, sum, coefficients)) {
    if (!match(power, m_c_fma(m_Value(), any_number(sum), Bits{0x3f800000})) ||
        !is_polynomial(power, sum, coefficients))
      return false;
  }
  if (!match(sum, m_FAdd(any_number(low), any_number(left)))) return false;
  if (!is_difference(left, product, whole)) std::swap(low, left);
  if (!is_difference(left, product, whole)) return false;
  // Beyond 152.
  Value* beyond = result.getCondition();
  Value* rest = nullptr;
  if (match(beyond, m_c_And(m_FCmp(predicate, m_Specific(product), m_Value()), m_Value(rest))) &&
      predicate == llvm::CmpInst::FCMP_ORD)
    beyond = rest;
  llvm::CmpInst::Predicate sign;
  if (!match(beyond,
             m_FCmp(predicate, as_number(m_FAbs(same_number(product))), Bits{0x43180000})) ||
      predicate != llvm::CmpInst::FCMP_OGT ||
      !match(result.getTrueValue(), m_Select(m_FCmp(sign, same_number(product), m_AnyZeroFP()),
                                             m_PosZeroFP(), Bits{0x7f800000})) ||
      sign != llvm::CmpInst::FCMP_OLT)
    return false;
  high = product;
  return true;
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// A power that is none of the special ones.
constexpr float some_power = 3;

/// |x|^y as the regular case has it, where that comes into what is asked for.
float power_of_magnitude(float x, float y) {
  const float a = std::fabs(x);
  if (std::isinf(y) && a != 0 && a != 1 && !std::isinf(a)) return (a > 1) == (y > 0) ? infinity : 0;
  const bool regular = a > 0 && a < infinity && std::isfinite(y);
  return regular ? some_power : not_a_number;
}

/// pow(x, y) of C, with `some_power` for what is regular.
float wanted_power(float x, float y) {
  if (x == 1 || y == 0) return 1;
  if (std::isnan(x) || std::isnan(y)) return not_a_number;
  if (x == -1 && std::isinf(y)) return 1;
  const bool odd = std::fabs(std::fmod(y, 2.0f)) == 1;
  const float sign = std::signbit(x) && odd ? -1.0f : 1.0f;
  if (x == 0) return y > 0 ? std::copysign(0.0f, sign) : sign * infinity;
  if (std::isinf(x)) return y > 0 ? sign * infinity : std::copysign(0.0f, sign);
  if (x < 0 && std::floor(y) != y) return not_a_number;
  return sign * power_of_magnitude(x, y);
}

bool is_float(const llvm::Constant* constant, float wanted) {
  llvm::APInt bits;
  if (const auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant)) {
    bits = real->getValueAPF().bitcastToAPInt();
  } else if (const auto* integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant)) {
    bits = integer->getValue();
  } else {
    return false;
  }
  if (bits.getBitWidth() != 32) return false;
  const llvm::APFloat found(llvm::APFloat::IEEEsingle(), bits);
  return std::isnan(wanted) ? found.isNaN() : found.bitwiseIsEqual(llvm::APFloat(wanted));
}

/// Whether `value` is how far y is from twice an integer.
bool is_parity(Value* value, Value* y) {
  Value *twice = nullptr, *half = nullptr;
  if (!match(value, m_FSub(same_number(y), any_number(twice)))) return false;
  half = half_of(twice);
  if (half == nullptr || !match(half, m_Intrinsic<llvm::Intrinsic::trunc>(any_number(half))))
    return false;
  return match(half, m_c_FMul(same_number(y), Bits{0x3f000000}));
}

/// x and y are compared with zero, one and infinity alone, and y with integers: then the kinds of
/// numbers that are tried are all there are.
bool may_compare(const llvm::FCmpInst& comparison, Value* x, Value* y) {
  const auto bare = [](Value* value) {
    value = number(value);
    Value* inner = nullptr;
    while (match(value, m_CombineOr(m_FNeg(m_Value(inner)), m_FAbs(m_Value(inner)))))
      value = number(inner);
    return value;
  };
  Value* left = bare(comparison.getOperand(0));
  Value* right = bare(comparison.getOperand(1));
  if (const auto* limit = llvm::dyn_cast<llvm::ConstantFP>(right)) {
    const llvm::APFloat& size = limit->getValueAPF();
    if (!size.isZero() && !size.isInfinity() && !limit->isExactlyValue(1.0) &&
        !limit->isExactlyValue(-1.0))
      return false;
    return left == x || left == y || is_parity(left, y);
  }
  return right == y && match(left, m_Intrinsic<llvm::Intrinsic::floor>(same_number(y)));
}

/// Of the numbers that `base` is tried for.
float largest_of_kind(float base) {
  constexpr float least_normal = std::numeric_limits<float>::min();
  if (base < 0) return -std::numeric_limits<float>::denorm_min();
  if (base == 0) return 0;
  return base < least_normal ? std::nextafter(least_normal, 0.0f) : infinity;
}

/// Whether `result` is x^y, if `regular` is |x|^y: of every kind of numbers one is tried.
bool is_power(llvm::Instruction& result, const llvm::DominatorTree& dominators, Value* x, Value* y,
              Value* regular) {
  constexpr float bases[] = {2.5f,   -2.5f,     1,          -1,       0,         -0.0f,       0.25f,
                             -0.25f, 0x1p-140f, -0x1p-140f, infinity, -infinity, not_a_number};
  constexpr float exponents[] = {2, -2,      3,    -3,       0.5f,      -0.5f,
                                 0, 0x1p25f, 2.5f, infinity, -infinity, not_a_number};
  SpecialCases cases(result, dominators, regular, [&](const llvm::FCmpInst& comparison) {
    return may_compare(comparison, x, y);
  });
  llvm::LLVMContext& context = result.getContext();
  const auto constant = [&](float value) {
    return llvm::ConstantFP::get(context, llvm::APFloat(value));
  };
  const float least = least_in(x, result.getParent(), dominators);
  const auto holds = [&](float base, float exponent) {
    // All of the kind are too small. Zeros are as large as each other.
    if (largest_of_kind(base) < least) return true;
    llvm::DenseMap<const Value*, llvm::Constant*> given;
    given[x] = constant(base);
    if (!llvm::isa<llvm::Constant>(y)) given[y] = constant(exponent);
    given[regular] = constant(power_of_magnitude(base, exponent));
    return is_float(cases.result_of(given), wanted_power(base, exponent));
  };
  if (const auto* fixed = llvm::dyn_cast<llvm::ConstantFP>(y)) {
    const float exponent = fixed->getValueAPF().convertToFloat();
    return llvm::all_of(bases, [&](float base) { return holds(base, exponent); });
  }
  return llvm::all_of(bases, [&](float base) {
    return llvm::all_of(exponents, [&](float exponent) { return holds(base, exponent); });
  });
}

}  // namespace

Power power_of(llvm::SelectInst& regular) {
  Value *product = nullptr, *low = nullptr, *high = nullptr, *y = nullptr;
  if (!is_exponential(regular, product, low) ||
      !match(product, m_FMul(any_number(high), m_Value(y))))
    return {};
  Value *log_low = nullptr, *error = nullptr, *x = nullptr;
  for (unsigned turn = 0; turn < 2 && x == nullptr; ++turn) {
    // Either factor may be the exponent.
    if (turn == 1) {
      std::swap(high, y);
      high = number(high);
    }
    if (match(low, m_c_fma(m_Specific(y), any_number(log_low), any_number(error))) &&
        match(error, m_c_fma(m_Specific(y), same_number(high), negated_number(product))))
      x = logarithm_operand(high, log_low);
  }
  if (x == nullptr) return {};

  // What is made of it, the last step first.
  std::vector<llvm::Instruction*> steps{&regular};
  llvm::SmallPtrSet<llvm::Instruction*, 16> seen{&regular};
  constexpr std::size_t most_steps = 16;
  for (std::size_t i = 0; i < steps.size() && steps.size() < most_steps; ++i) {
    for (llvm::User* user : steps[i]->users()) {
      auto* next = llvm::cast<llvm::Instruction>(user);
      if (llvm::isa<llvm::BitCastInst, llvm::SelectInst, llvm::PHINode>(next) ||
          next->getOpcode() == llvm::Instruction::FNeg) {
        if (seen.insert(next).second) steps.push_back(next);
      }
    }
  }
  const llvm::DominatorTree dominators(*regular.getFunction());
  for (llvm::Instruction* step : llvm::reverse(steps)) {
    const auto* x_place = llvm::dyn_cast<llvm::Instruction>(x);
    const auto* y_place = llvm::dyn_cast<llvm::Instruction>(y);
    if ((x_place && !dominators.dominates(x_place, step)) ||
        (y_place && !dominators.dominates(y_place, step)))
      continue;
    if (is_power(*step, dominators, x, y, &regular)) return {step, x, y};
  }
  return {};
}

}  // namespace pycuda::cpu::libdevice
