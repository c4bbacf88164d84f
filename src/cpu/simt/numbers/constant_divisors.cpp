// SPDX-License-Identifier: MIT
// Compilers divide by constants with a product that is twice as wide: for 0 <= x,
//     x * m / 2^k = x / d + e * x / (d * 2^k),  e = m * d - 2^k,
// and as long as 0 < e and e * x < 2^k, what the second term adds does not reach the next quotient
// (T. Granlund, P. L. Montgomery, "Division by invariant integers using multiplication", 1994).

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstdint>
#include <optional>

#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

constexpr unsigned number_bits = 32, product_bits = 64;

/// d, if x * factor / 2^shift is x / d, rounded down, for all x from 0 to `largest`.
std::optional<std::uint32_t> divisor_of(std::uint64_t factor, unsigned shift,
                                        std::uint64_t largest) {
  if (factor == 0 || shift > 3 * number_bits || largest == 0) return std::nullopt;
  constexpr unsigned wide = 4 * number_bits;
  const llvm::APInt power = llvm::APInt::getOneBitSet(wide, shift);
  const llvm::APInt divisor = power.udiv(llvm::APInt(wide, factor)) + 1;
  if (divisor.ugt(INT32_MAX) || divisor.ult(2)) return std::nullopt;
  const llvm::APInt excess = divisor * factor - power;
  if ((excess * llvm::APInt(wide, largest)).uge(power)) return std::nullopt;
  return static_cast<std::uint32_t>(divisor.getZExtValue());
}

std::uint64_t largest_value(const Value& x, const llvm::DataLayout& layout) {
  return llvm::computeKnownBits(&x, layout).getMaxValue().getZExtValue();
}

bool is_number(const Value* value) { return value->getType()->isIntegerTy(number_bits); }

struct Division {
  Value* dividend;
  std::int32_t divisor;
};

/// What `high`, the upper half of a product or a sum with one, multiplies x by, in 2^32nds.
std::optional<std::int64_t> signed_factor(Value* high, Value*& x) {
  const auto product = [&](Value* value, std::int64_t& factor) {
    const llvm::APInt* number = nullptr;
    if (!match(value, m_Trunc(m_LShr(m_c_Mul(m_SExt(m_Value(x)), m_APInt(number)),
                                     m_SpecificInt(number_bits)))) ||
        !is_number(x) || !number->isSignedIntN(number_bits))
      return false;
    factor = number->getSExtValue();
    return true;
  };
  std::int64_t factor = 0;
  Value *left = nullptr, *right = nullptr;
  constexpr std::int64_t one = std::int64_t{1} << number_bits;
  if (product(high, factor)) return factor;
  if (match(high, m_Add(m_Value(left), m_Value(right)))) {
    if (product(left, factor) && x == right && factor < 0) return factor + one;
    if (product(right, factor) && x == left && factor < 0) return factor + one;
  }
  if (match(high, m_Sub(m_Value(left), m_Value(right))) && product(left, factor) && x == right &&
      factor > 0)
    return factor - one;
  return std::nullopt;
}

/// high / 2^s, rounded down, and 1 more where that is negative.
std::optional<Division> signed_division(Value* value) {
  Value *sum_of = nullptr, *high = nullptr;
  if (!is_number(value) ||
      !match(value,
             m_c_Add(m_LShr(m_Value(high), m_SpecificInt(number_bits - 1)), m_Value(sum_of))))
    return std::nullopt;
  const llvm::APInt* places = nullptr;
  unsigned shift = 0;
  if (match(sum_of, m_AShr(m_Specific(high), m_APInt(places)))) {
    if (places->uge(number_bits - 2)) return std::nullopt;
    shift = static_cast<unsigned>(places->getZExtValue());
  } else if (sum_of != high) {
    return std::nullopt;
  }
  Value* x = nullptr;
  const auto factor = signed_factor(high, x);
  if (!factor) return std::nullopt;
  // Below zero the product is rounded away from the quotient, so that the second term may just
  // reach the next one: a factor that is right up to 2^31 - 1 is right down to -2^31.
  const std::uint64_t most = INT32_MAX;
  const auto divisor = divisor_of(static_cast<std::uint64_t>(std::abs(*factor)),
                                  number_bits + shift, *factor < 0 ? most + 1 : most);
  if (!divisor) return std::nullopt;
  const auto number = static_cast<std::int32_t>(*divisor);
  return Division{x, *factor < 0 ? -number : number};
}

/// The same by a power of two: 2^s - 1 is added to negative numbers before they are rounded down.
std::optional<Division> signed_shift(Value* value) {
  Value *sum = nullptr, *x = nullptr;
  const llvm::APInt *places = nullptr, *rest = nullptr;
  if (!is_number(value) || !match(value, m_AShr(m_Value(sum), m_APInt(places))) ||
      places->uge(number_bits - 1) || places->isZero() ||
      !match(sum, m_c_Add(m_LShr(m_AShr(m_Value(x), m_SpecificInt(number_bits - 1)), m_APInt(rest)),
                          m_Deferred(x))) ||
      *rest + *places != number_bits)
    return std::nullopt;
  return Division{x, std::int32_t{1} << places->getZExtValue()};
}

/// A quotient of 64 bits.
std::optional<Division> unsigned_division(Value* value, const llvm::DataLayout& layout) {
  Value* x = nullptr;
  const llvm::APInt *number = nullptr, *places = nullptr;
  if (!value->getType()->isIntegerTy(product_bits) ||
      !match(value, m_LShr(m_c_Mul(m_ZExt(m_Value(x)), m_APInt(number)), m_APInt(places))) ||
      !is_number(x) || !number->isIntN(number_bits) || places->ult(number_bits) ||
      places->uge(product_bits))
    return std::nullopt;
  const auto divisor =
      divisor_of(number->getZExtValue(), static_cast<unsigned>(places->getZExtValue()),
                 largest_value(*x, layout));
  if (!divisor) return std::nullopt;
  return Division{x, static_cast<std::int32_t>(*divisor)};
}

/// By a factor of 33 bits: ((x - high) / 2 + high) / 2^s.
std::optional<Division> unsigned_division_of_sum(Value* value, const llvm::DataLayout& layout) {
  Value *high = nullptr, *x = nullptr, *again = nullptr;
  const llvm::APInt *places = nullptr, *number = nullptr;
  if (!is_number(value) ||
      !match(value, m_LShr(m_c_Add(m_LShr(m_Sub(m_Value(x), m_Value(high)), m_SpecificInt(1)),
                                   m_Deferred(high)),
                           m_APInt(places))) ||
      places->uge(number_bits) ||
      !match(high, m_Trunc(m_LShr(m_c_Mul(m_ZExt(m_Value(again)), m_APInt(number)),
                                  m_SpecificInt(number_bits)))) ||
      again != x || !number->isIntN(number_bits))
    return std::nullopt;
  const auto divisor = divisor_of((std::uint64_t{1} << number_bits) + number->getZExtValue(),
                                  number_bits + 1 + static_cast<unsigned>(places->getZExtValue()),
                                  largest_value(*x, layout));
  if (!divisor) return std::nullopt;
  return Division{x, static_cast<std::int32_t>(*divisor)};
}

/// Lets `sum`, whose bits from `places` on are the quotient by 2^places, be computed from that.
void round_by(Value& quotient, Value& sum, unsigned places) {
  const llvm::APInt upper = llvm::APInt::getHighBitsSet(number_bits, number_bits - places);
  for (llvm::User* user : llvm::make_early_inc_range(sum.users())) {
    if (!match(user, m_And(m_Specific(&sum), m_SpecificInt(upper)))) continue;
    llvm::IRBuilder<> b(llvm::cast<llvm::Instruction>(user));
    user->replaceAllUsesWith(b.CreateShl(&quotient, places, "", false, true));
  }
}

void replace(llvm::Instruction& value, const Division& division, bool is_signed) {
  auto* sum = value.getOpcode() == llvm::Instruction::AShr
                  ? llvm::cast<llvm::Instruction>(value.getOperand(0))
                  : nullptr;
  llvm::IRBuilder<> b(sum ? sum : &value);
  llvm::Constant* divisor = b.getInt32(static_cast<std::uint32_t>(division.divisor));
  Value* quotient = is_signed ? b.CreateSDiv(division.dividend, divisor)
                              : b.CreateUDiv(division.dividend, divisor);
  if (sum) {
    const auto* places = llvm::cast<llvm::ConstantInt>(value.getOperand(1));
    round_by(*quotient, *sum, static_cast<unsigned>(places->getZExtValue()));
  }
  if (value.getType() != quotient->getType()) {
    for (llvm::User* user : llvm::make_early_inc_range(value.users())) {
      auto* narrow = llvm::dyn_cast<llvm::TruncInst>(user);
      if (narrow && is_number(narrow)) narrow->replaceAllUsesWith(quotient);
    }
    quotient = b.CreateZExt(quotient, value.getType());
  }
  value.replaceAllUsesWith(quotient);
}

}  // namespace

bool recover_divisions(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  llvm::SmallVector<llvm::WeakTrackingVH, 16> replaced;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    std::optional<Division> division = signed_division(&instruction);
    if (!division) division = signed_shift(&instruction);
    const bool is_signed = division.has_value();
    if (!division) division = unsigned_division(&instruction, layout);
    if (!division) division = unsigned_division_of_sum(&instruction, layout);
    if (!division) continue;
    replace(instruction, *division, is_signed);
    replaced.emplace_back(&instruction);
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  return !replaced.empty();
}

}  // namespace pycuda::cpu::simt
