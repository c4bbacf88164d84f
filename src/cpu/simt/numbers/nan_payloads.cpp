// SPDX-License-Identifier: MIT
// Backwards from where bits are looked at, through arithmetic, phis and selects.

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <vector>

#include "cpu/libdevice/approximate.h"
#include "cpu/libdevice/float_patterns.h"
#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

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
      if (lower::callee_name(*call) == lower::approximation::flushed_sum)
        return use.getOperandNo() == 0 ? View::HandsOn : View::Blind;
      if (libdevice::is_approximation(*call)) return View::Blind;
      if (is_extremum(*call)) return View::HandsOn;
      return target::is_native_operation(*call) ? View::HandsOn : View::Sees;
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

namespace {

constexpr std::uint32_t canonical_nan = 0x7fffffff;

/// What is behind an f32, or its bits, that was made canonical for this reader alone; of numbers,
/// themselves; or null.
llvm::Value* behind(llvm::Value* value) {
  if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) {
    if (!cast->hasOneUse() || !cast->getOperand(0)->getType()->isFloatTy()) return nullptr;
    value = cast->getOperand(0);
  }
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    const llvm::APFloat number(llvm::APFloat::IEEEsingle(), integer->getValue());
    return number.isNaN() ? nullptr : llvm::ConstantFP::get(value->getContext(), number);
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value))
    return number->isNaN() ? nullptr : value;
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
  if (!choice || !choice->hasOneUse() || !choice->getType()->isFloatTy()) return nullptr;
  const Canonical canonical = canonical_of(*choice);
  const bool to_one = libdevice::is_constant(choice->getTrueValue(), canonical_nan) ||
                      libdevice::is_constant(choice->getFalseValue(), canonical_nan);
  return canonical.replaces_all && to_one ? canonical.kept : nullptr;
}

/// The values that `choice` chooses from.
llvm::SmallVector<llvm::Use*, 4> choices_of(llvm::Instruction& choice) {
  llvm::SmallVector<llvm::Use*, 4> choices;
  const unsigned first = llvm::isa<llvm::SelectInst>(choice) ? 1 : 0;
  if (first == 0 && !llvm::isa<llvm::PHINode>(choice)) return choices;
  for (unsigned i = first; i < choice.getNumOperands(); ++i)
    choices.push_back(&choice.getOperandUse(i));
  return choices;
}

bool canonicalise_behind(llvm::Instruction& choice) {
  const bool bits = choice.getType()->isIntegerTy(32);
  if (!bits && !choice.getType()->isFloatTy()) return false;
  auto* select = llvm::dyn_cast<llvm::SelectInst>(&choice);
  if (select && canonical_of(*select).kept) return false;
  llvm::SmallVector<llvm::Value*, 4> kept;
  unsigned dropped = 0;
  for (llvm::Use* use : choices_of(choice)) {
    kept.push_back(behind(use->get()));
    if (kept.back() == nullptr) return false;
    dropped += llvm::isa<llvm::Constant>(kept.back()) ? 0 : 1;
  }
  if (dropped < 2) return false;
  llvm::IRBuilder<> b(&choice);
  llvm::Type* real = b.getFloatTy();
  llvm::Value* chosen = nullptr;
  if (select) {
    chosen = b.CreateSelect(select->getCondition(), kept[0], kept[1]);
  } else {
    auto& old = llvm::cast<llvm::PHINode>(choice);
    llvm::PHINode* phi = b.CreatePHI(real, old.getNumIncomingValues());
    for (unsigned i = 0; i < kept.size(); ++i) phi->addIncoming(kept[i], old.getIncomingBlock(i));
    chosen = phi;
    b.SetInsertPoint(choice.getParent(), choice.getParent()->getFirstInsertionPt());
  }
  llvm::Value* result = b.CreateSelect(b.CreateFCmpUNO(chosen, llvm::ConstantFP::get(real, 0)),
                                       b.CreateBitCast(b.getInt32(canonical_nan), real), chosen);
  choice.replaceAllUsesWith(bits ? b.CreateBitCast(result, choice.getType()) : result);
  llvm::SmallVector<llvm::Value*, 4> old(choice.operands());
  choice.eraseFromParent();
  for (llvm::Value* value : old) {
    auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value);
    if (cast && cast->use_empty()) cast->eraseFromParent();
  }
  return true;
}

/// What `value`, an f32 or its bits, is where that is no NaN, if it was made canonical; or null.
llvm::Value* where_no_nan(llvm::Value* value, const llvm::Value* tested) {
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
  if (!choice || !choice->getType()->isFloatTy()) return nullptr;
  const Canonical canonical = canonical_of(*choice);
  if (!canonical.replaces_all) return nullptr;
  return choice == tested || canonical.kept == tested ? canonical.kept : nullptr;
}

/// In what `use` alone reads, takes `tested` as it was before it was made canonical.
void read_numbers(llvm::Use& use, const llvm::Value* tested, unsigned depth) {
  constexpr unsigned deepest = 5;
  if (llvm::Value* number = where_no_nan(use.get(), tested)) {
    use.set(number);
    return;
  }
  auto* operation = llvm::dyn_cast<llvm::Instruction>(use.get());
  if (!operation || !operation->hasOneUse() || depth == deepest ||
      llvm::isa<llvm::PHINode>(operation))
    return;
  for (llvm::Use& operand : operation->operands()) read_numbers(operand, tested, depth + 1);
}

/// A choice by whether a value is NaN knows that it is, or is not.
void use_what_was_asked(llvm::SelectInst& choice) {
  const auto* test = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
  using namespace llvm::PatternMatch;
  if (!test || !test->getOperand(0)->getType()->isFloatTy() || canonical_of(choice).kept) return;
  const bool ordered = test->getPredicate() == llvm::CmpInst::FCMP_ORD;
  if (!ordered && test->getPredicate() != llvm::CmpInst::FCMP_UNO) return;
  const llvm::Value* tested = test->getOperand(0);
  if (test->getOperand(1) != tested && !match(test->getOperand(1), m_AnyZeroFP())) return;
  llvm::Use& for_nan = choice.getOperandUse(ordered ? 2 : 1);
  read_numbers(choice.getOperandUse(ordered ? 1 : 2), tested, 0);
  llvm::Value* value = for_nan.get();
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value);
  llvm::Value* real = cast ? cast->getOperand(0) : value;
  auto* canonical = llvm::dyn_cast<llvm::SelectInst>(real);
  if (!where_no_nan(real, tested) ||
      !(libdevice::is_constant(canonical->getTrueValue(), canonical_nan) ||
        libdevice::is_constant(canonical->getFalseValue(), canonical_nan)))
    return;
  llvm::IRBuilder<> b(&choice);
  llvm::Constant* bits = b.getInt32(canonical_nan);
  for_nan.set(value->getType()->isFloatTy() ? llvm::ConstantExpr::getBitCast(bits, b.getFloatTy())
                                            : bits);
}

}  // namespace

bool canonicalise_behind_choices(llvm::Function& function) {
  std::vector<llvm::Instruction*> choices;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::SelectInst, llvm::PHINode>(instruction)) choices.push_back(&instruction);
  }
  const auto moved = llvm::count_if(
      choices, [](llvm::Instruction* choice) { return canonicalise_behind(*choice); });
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) use_what_was_asked(*choice);
  }
  return moved != 0;
}

}  // namespace pycuda::cpu::simt
