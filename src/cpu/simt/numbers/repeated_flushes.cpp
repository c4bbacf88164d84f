// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <vector>

#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"
#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {
namespace {

using llvm::Value;
using namespace llvm::PatternMatch;
namespace approximation = lower::approximation;

constexpr std::uint32_t sign_bits = 0x80000000, exponent_bits = 0x7f800000;

/// The bits of an f32 that `value` is the flushed form of, or null: a zero of their sign where
/// `condition` holds.
Value* flushed_from(const Value* value, Value*& condition) {
  Value* raw = nullptr;
  const bool found = match(
      value,
      m_Select(m_Value(condition), m_And(m_Value(raw), m_SpecificInt(sign_bits)), m_Deferred(raw)));
  return found && raw->getType()->isIntegerTy(32) ? raw : nullptr;
}

/// A flush of any number: a mark for it, or a comparison of its exponent's bits with zero.
Value* flushed_operand(const Value* value) {
  Value* condition = nullptr;
  Value* marked = nullptr;
  if (match(value, m_Intrinsic<llvm::Intrinsic::canonicalize>(m_Value(marked)))) return marked;
  Value* raw = flushed_from(value, condition);
  if (raw == nullptr) return nullptr;
  llvm::ICmpInst::Predicate predicate{};
  const bool compares =
      match(condition,
            m_ICmp(predicate, m_And(m_Specific(raw), m_SpecificInt(exponent_bits)), m_Zero())) &&
      predicate == llvm::ICmpInst::ICMP_EQ;
  return compares ? raw : nullptr;
}

/// The term that a sum of two, or of a product and one, adds as a constant; or null.
const llvm::ConstantFP* constant_term(const llvm::Instruction& sum) {
  if (!sum.getType()->isFloatTy()) return nullptr;
  const Value *first = nullptr, *second = nullptr;
  if (sum.getOpcode() == llvm::Instruction::FAdd || sum.getOpcode() == llvm::Instruction::FSub) {
    first = sum.getOperand(0);
    second = sum.getOperand(1);
  } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&sum);
             call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::fma) {
    second = call->getArgOperand(2);
  } else {
    return nullptr;
  }
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(second);
  return number != nullptr || first == nullptr ? number : llvm::dyn_cast<llvm::ConstantFP>(first);
}

/// Sums with a constant that is not small: what is added is smaller by half at least, or, a product
/// too, a multiple of some 2^-49 of it. So the sum is zero, or a multiple of as much.
bool is_never_small(const llvm::Instruction& sum) {
  const llvm::ConstantFP* term = constant_term(sum);
  return term != nullptr && term->getValueAPF().isFinite() &&
         llvm::abs(term->getValueAPF()) >= llvm::APFloat(0x1p-60F);
}

/// Whether nobody can tell a subnormal number in `value` from zero: it is added to constants that
/// are far larger, itself or its product with one.
bool is_never_told_from_zero(const Value& value, unsigned depth = 0) {
  constexpr unsigned deepest = 4;
  if (depth == deepest) return false;
  return llvm::all_of(value.users(), [&](const llvm::User* user) {
    const auto* reader = llvm::cast<llvm::Instruction>(user);
    if (llvm::isa<llvm::BitCastInst>(reader))
      return reader->getType()->isFloatTy() && is_never_told_from_zero(*reader, depth + 1);
    if (const auto* test = llvm::dyn_cast<llvm::FCmpInst>(reader))
      return test->getPredicate() == llvm::CmpInst::FCMP_UNO ||
             test->getPredicate() == llvm::CmpInst::FCMP_ORD;
    if (!is_never_small(*reader)) return false;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(reader);
    if (call == nullptr) return true;
    const bool first = call->getArgOperand(0) == &value;
    const auto* factor = llvm::dyn_cast<llvm::ConstantFP>(call->getArgOperand(first ? 1 : 0));
    return factor != nullptr && llvm::abs(factor->getValueAPF()) <= llvm::APFloat(0x1p30F);
  });
}

/// Bits that become an f32 are left alone.
void replace_flush(llvm::Instruction& flush, Value* raw) {
  auto* cast = llvm::dyn_cast<llvm::BitCastInst>(raw);
  if (cast != nullptr && cast->getOperand(0)->getType()->isFloatTy()) {
    for (llvm::User* user : llvm::make_early_inc_range(flush.users())) {
      auto* back = llvm::dyn_cast<llvm::BitCastInst>(user);
      if (back == nullptr || !back->getType()->isFloatTy()) continue;
      back->replaceAllUsesWith(cast->getOperand(0));
      back->eraseFromParent();
    }
  }
  flush.replaceAllUsesWith(raw);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&flush);
}

class FlushedValues {
 public:
  /// Whether an f32, or the bits of one, is no subnormal number. `assumed` holds the phis on the
  /// way here: values that go round a loop come from them.
  bool contains(const Value* value, unsigned depth = 0) {
    constexpr unsigned deepest = 12;
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value))
      return !number->getValueAPF().isDenormal();
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const std::uint64_t raw = number->getZExtValue();
      return (raw & exponent_bits) != 0 || (raw & ~std::uint64_t{sign_bits}) == 0;
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || depth == deepest) return false;
    const auto of = [&](const Value* operand) { return contains(operand, depth + 1); };
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      if (!assumed_.insert(phi).second) return true;
      return std::all_of(phi->incoming_values().begin(), phi->incoming_values().end(),
                         [&](const llvm::Use& use) { return of(use.get()); });
    }
    if (llvm::isa<llvm::BitCastInst>(instruction)) {
      const Value* from = instruction->getOperand(0);
      return (from->getType()->isFloatTy() || from->getType()->isIntegerTy(32)) && of(from);
    }
    if (llvm::isa<llvm::SelectInst>(instruction))
      return is_flush(*instruction) ||
             (of(instruction->getOperand(1)) && of(instruction->getOperand(2)));
    if (instruction->getOpcode() == llvm::Instruction::FNeg) return of(instruction->getOperand(0));
    if (is_never_small(*instruction)) return true;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || !call->getType()->isFloatTy()) return false;
    if (callee->getIntrinsicID() == llvm::Intrinsic::fabs) return of(call->getArgOperand(0));
    if (callee->getIntrinsicID() == llvm::Intrinsic::canonicalize ||
        callee->getName() == approximation::flushed_sum)
      return true;
    if (is_extremum(*call)) return of(call->getArgOperand(0)) && of(call->getArgOperand(1));
    return callee->getName().starts_with(approximation::prefix) &&
           callee->getName().ends_with(".ftz");
  }

 private:
  static bool is_flush(const llvm::Instruction& select) {
    if (flushed_operand(&select) != nullptr) return true;
    Value* condition = nullptr;
    Value* raw = flushed_from(&select, condition);
    const auto* call = raw != nullptr ? llvm::dyn_cast<llvm::CallInst>(condition) : nullptr;
    return call != nullptr && lower::callee_name(*call) == approximation::tiny_sum &&
           match(raw, m_BitCast(m_Specific(call->getArgOperand(0))));
  }

  llvm::SmallPtrSet<const llvm::PHINode*, 8> assumed_;
};

}  // namespace

void drop_repeated_flushes(llvm::Function& function) {
  std::vector<llvm::WeakTrackingVH> repeated;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const Value* raw = flushed_operand(&instruction);
    if (raw != nullptr && (FlushedValues().contains(raw) || is_never_told_from_zero(instruction)))
      repeated.emplace_back(&instruction);
  }
  for (const llvm::WeakTrackingVH& value : repeated) {
    auto* flush = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    if (flush != nullptr) replace_flush(*flush, flushed_operand(flush));
  }
}

}  // namespace pycuda::cpu::simt
