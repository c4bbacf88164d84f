// SPDX-License-Identifier: MIT
// Backwards from where bits are looked at, through arithmetic, phis and selects.
#include "cpu/simt/nan_payloads.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <vector>

#include "cpu/lower/approximations.h"
#include "cpu/simt/approximate.h"
#include "cpu/simt/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

bool is_real(const llvm::Value& value) {
  const llvm::Type* type = value.getType()->getScalarType();
  return type->isFloatTy() || type->isDoubleTy();
}

/// Whether a NaN in `cause` makes one of `value`.
bool spreads(const llvm::Value* cause, const llvm::Value* value, unsigned steps) {
  if (value == cause) return true;
  const auto* operation = llvm::dyn_cast<llvm::Instruction>(value);
  if (!operation || steps == 0) return false;
  const bool arithmetic = llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator>(operation);
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(operation);
  const bool known = call && (call->getIntrinsicID() == llvm::Intrinsic::fma ||
                              call->getIntrinsicID() == llvm::Intrinsic::fabs ||
                              call->getIntrinsicID() == llvm::Intrinsic::canonicalize ||
                              call->getIntrinsicID() == llvm::Intrinsic::sqrt);
  if (!is_real(*value) || !(arithmetic || known)) return false;
  for (const llvm::Value* operand : operation->operands()) {
    if (spreads(cause, operand, steps - 1)) return true;
  }
  return false;
}

/// Whether `value` is the NaN `nan` with some of its bits set, as is done to quiet it: a NaN too.
bool is_quieted(llvm::Value* value, llvm::Value* nan) {
  using namespace llvm::PatternMatch;
  llvm::Value* bits = nullptr;
  if (!match(value, m_BitCast(m_Or(m_Value(bits), m_ConstantInt())))) return false;
  return match(bits, m_BitCast(m_Specific(nan))) || match(nan, m_BitCast(m_Specific(bits)));
}

/// A select that replaces NaNs by a constant NaN, or quiets them.
struct Canonical {
  llvm::Value* kept = nullptr;  ///< null: it does something else
  bool replaces_all = false;    ///< no NaN of `kept` gets through
};

Canonical canonical_of(llvm::SelectInst& choice) {
  using namespace llvm::PatternMatch;
  const auto* test = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
  const bool inverse = test && test->getPredicate() == llvm::CmpInst::FCMP_ORD;
  if (!inverse && !(test && test->getPredicate() == llvm::CmpInst::FCMP_UNO)) return {};
  llvm::Value* tested = test->getOperand(0);
  llvm::Value* nan = inverse ? choice.getFalseValue() : choice.getTrueValue();
  if (!match(nan, m_NaN()) && !is_quieted(nan, tested)) return {};
  llvm::Value* other = test->getOperand(1);
  if (other != tested && !match(other, m_AnyZeroFP())) return {};
  llvm::Value* kept = inverse ? choice.getTrueValue() : choice.getFalseValue();
  const bool same = kept == tested || match(kept, m_FNeg(m_Specific(tested))) ||
                    match(kept, m_FAbs(m_Specific(tested)));
  if (!same && !spreads(tested, kept, 3)) return {};
  return {kept, same};
}

enum class View { Blind, HandsOn, Sees };

/// What the reader of an operand can tell of a NaN in it.
View view_of(const llvm::Use& use) {
  const auto* reader = llvm::cast<llvm::Instruction>(use.getUser());
  switch (reader->getOpcode()) {
    case llvm::Instruction::FCmp:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return View::Blind;
    case llvm::Instruction::Select:
      return canonical_of(*llvm::cast<llvm::SelectInst>(use.getUser())).replaces_all
                 ? View::Blind
                 : View::HandsOn;
    case llvm::Instruction::FNeg:
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Freeze:
    case llvm::Instruction::ShuffleVector:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ExtractElement:
      return is_real(*reader) ? View::HandsOn : View::Sees;
    default:
      break;
  }
  const auto* call = llvm::dyn_cast<llvm::CallInst>(reader);
  if (!call) return View::Sees;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
      return View::Blind;
    case llvm::Intrinsic::copysign:
      return use.getOperandNo() == 0 ? View::HandsOn : View::Sees;
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::canonicalize:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      return View::HandsOn;
    case llvm::Intrinsic::not_intrinsic:
      if (call->getCalledFunction() &&
          call->getCalledFunction()->getName() == lower::approximation::flushed_sum)
        return use.getOperandNo() == 0 ? View::HandsOn : View::Blind;
      if (is_approximation(*call)) return View::Blind;
      return is_native_operation(*call) ? View::HandsOn : View::Sees;
    default:
      return View::Sees;
  }
}

/// What is behind `choice`, and behind what that chooses from in the same way.
llvm::Value* innermost_kept(llvm::SelectInst& choice) {
  constexpr unsigned deepest = 8;
  llvm::Value* kept = canonical_of(choice).kept;
  for (unsigned depth = 0; depth < deepest; ++depth) {
    auto* inner = llvm::dyn_cast<llvm::SelectInst>(kept);
    llvm::Value* next = inner ? canonical_of(*inner).kept : nullptr;
    if (!next) break;
    kept = next;
  }
  return kept;
}

enum class Readers : std::uint8_t { All, Some };

bool drop_payloads(llvm::Function& function, Readers blind_ones) {
  std::vector<llvm::SelectInst*> canonical;
  llvm::DenseSet<const llvm::Value*> seen;
  std::vector<const llvm::Instruction*> pending;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_real(instruction)) continue;
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (choice && canonical_of(*choice).kept) canonical.push_back(choice);
    for (const llvm::Use& use : instruction.uses()) {
      if (view_of(use) != View::Sees) continue;
      if (seen.insert(&instruction).second) pending.push_back(&instruction);
      break;
    }
  }
  if (canonical.empty()) return false;
  while (!pending.empty()) {
    const llvm::Instruction* reader = pending.back();
    pending.pop_back();
    for (const llvm::Use& use : reader->operands()) {
      const auto* operand = llvm::dyn_cast<llvm::Instruction>(use.get());
      if (!operand || !is_real(*operand) || view_of(use) != View::HandsOn) continue;
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  // All are found before the first changes what the others look like.
  std::vector<std::pair<llvm::Use*, llvm::Value*>> blind;
  for (llvm::SelectInst* choice : canonical) {
    if (blind_ones == Readers::All && seen.contains(choice)) continue;
    llvm::Value* kept = innermost_kept(*choice);
    for (llvm::Use& use : choice->uses()) {
      const View view = view_of(use);
      if (view == View::Sees || (view == View::HandsOn && seen.contains(use.getUser()))) continue;
      blind.emplace_back(&use, kept);
    }
  }
  for (const auto& [use, kept] : blind) use->set(kept);
  for (llvm::SelectInst* choice : canonical) {
    if (choice->use_empty()) choice->eraseFromParent();
  }
  return !blind.empty();
}

}  // namespace

bool drop_unseen_payloads(llvm::Function& function) {
  return drop_payloads(function, Readers::All);
}

bool bypass_unseen_payloads(llvm::Function& function) {
  return drop_payloads(function, Readers::Some);
}

}  // namespace pycuda::cpu::simt
