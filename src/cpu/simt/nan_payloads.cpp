// SPDX-License-Identifier: MIT
// Backwards from where bits are looked at, through arithmetic, phis and selects.
#include "cpu/simt/nan_payloads.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

#include "cpu/simt/approximate.h"
#include "cpu/simt/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

bool is_real(const llvm::Value& value) {
  return value.getType()->isFloatTy() || value.getType()->isDoubleTy();
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
                              call->getIntrinsicID() == llvm::Intrinsic::sqrt);
  if (!is_real(*value) || !(arithmetic || known)) return false;
  for (const llvm::Value* operand : operation->operands()) {
    if (spreads(cause, operand, steps - 1)) return true;
  }
  return false;
}

/// A select that replaces NaNs by a constant NaN.
struct Canonical {
  llvm::Value* kept = nullptr;  ///< null: it does something else
  bool replaces_all = false;    ///< no NaN of `kept` gets through
};

Canonical canonical_of(llvm::SelectInst& choice) {
  using namespace llvm::PatternMatch;
  const auto* test = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
  const bool inverse = test && test->getPredicate() == llvm::CmpInst::FCMP_ORD;
  if (!inverse && !(test && test->getPredicate() == llvm::CmpInst::FCMP_UNO)) return {};
  const auto* constant =
      llvm::dyn_cast<llvm::ConstantFP>(inverse ? choice.getFalseValue() : choice.getTrueValue());
  if (!constant || !constant->isNaN()) return {};
  llvm::Value* tested = test->getOperand(0);
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
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      return View::HandsOn;
    case llvm::Intrinsic::not_intrinsic:
      if (is_approximation(*call)) return View::Blind;
      return is_native_operation(*call) ? View::HandsOn : View::Sees;
    default:
      return View::Sees;
  }
}

/// The NaN that a canonical value has, of what `canonical_of` knows.
llvm::ConstantFP* nan_of(llvm::SelectInst& choice) {
  auto* constant = llvm::dyn_cast<llvm::ConstantFP>(choice.getTrueValue());
  return constant && constant->isNaN() ? constant
                                       : llvm::cast<llvm::ConstantFP>(choice.getFalseValue());
}

llvm::Value* kept_of(llvm::SelectInst& choice) {
  return choice.getTrueValue() == nan_of(choice) ? choice.getFalseValue() : choice.getTrueValue();
}

/// Hands a number on, as itself or, since PTX registers may be either, as its bits.
bool is_move(const llvm::Value* value) {
  if (llvm::isa<llvm::PHINode>(value)) return true;
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value);
  const auto is_word = [](const llvm::Type& type) {
    return type.isFloatTy() || type.isIntegerTy(32);
  };
  return cast && is_word(*cast->getSrcTy()) && is_word(*cast->getDestTy());
}

/// Canonical values and the phis that they meet in, with constants that are no NaNs at most: a sum
/// that a loop carries from trip to trip. It may as well be made canonical where it is looked at.
class Carried {
 public:
  using Instructions = llvm::SmallSetVector<llvm::Instruction*, 8>;

  /// `seen`: the values of which somebody may see the bits.
  Carried(const llvm::DenseSet<const llvm::Value*>& seen, const llvm::LoopInfo& loops)
      : seen_(seen), loops_(loops) {}

  /// The values that `choice` meets, itself among them; empty if they must stay as they are.
  Instructions values_with(llvm::SelectInst& choice) const {
    Instructions values;
    values.insert(&choice);
    // Grows while it is walked.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values.size() > most_values) return {};
      llvm::Instruction* value = values[i];
      if (is_move(value)) {
        for (llvm::Value* incoming : value->operands()) {
          if (!may_meet(incoming, choice)) return {};
          if (auto* other = llvm::dyn_cast<llvm::Instruction>(incoming)) values.insert(other);
        }
      }
      for (llvm::User* user : value->users()) {
        if (is_move(user)) values.insert(llvm::cast<llvm::Instruction>(user));
      }
    }
    return is_less_work(values) ? values : Instructions();
  }

  /// The operands through which somebody other than `values` may see one of them.
  std::vector<llvm::Use*> views_of(const Instructions& values) const {
    std::vector<llvm::Use*> views;
    for (llvm::Instruction* value : values) {
      for (llvm::Use& use : value->uses()) {
        if (is_move(use.getUser())) continue;
        const View view = is_real(*value) ? view_of(use) : View::Sees;
        if (view == View::Sees || (view == View::HandsOn && seen_.contains(use.getUser())))
          views.push_back(&use);
      }
    }
    return views;
  }

 private:
  static constexpr std::size_t most_values = 64;

  static bool may_meet(llvm::Value* value, llvm::SelectInst& choice) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value))
      return !constant->isNaN() || constant == nan_of(choice);
    if (const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      const llvm::APFloat number(choice.getType()->getFltSemantics(), bits->getValue());
      return !number.isNaN() || bits->getValue() == nan_of(choice)->getValue().bitcastToAPInt();
    }
    if (auto* other = llvm::dyn_cast<llvm::SelectInst>(value))
      return is_real(*other) && canonical_of(*other).replaces_all &&
             nan_of(*other) == nan_of(choice);
    return is_move(value);
  }

  /// Whether there is less to do where `values` are looked at than where they are made.
  bool is_less_work(const Instructions& values) const {
    const std::vector<llvm::Use*> views = views_of(values);
    const auto is_in = [&](const llvm::Loop* loop, const llvm::Instruction* instruction) {
      return loop == nullptr || loop->contains(instruction);
    };
    const auto reader = [](const llvm::Use* view) {
      return llvm::cast<llvm::Instruction>(view->getUser());
    };
    std::size_t made = 0;
    bool gains = false;
    for (const llvm::Instruction* value : values) {
      const llvm::Loop* loop = loops_.getLoopFor(value->getParent());
      if (!llvm::isa<llvm::SelectInst>(value)) continue;
      ++made;
      gains |= loop != nullptr && llvm::none_of(views, [&](const llvm::Use* view) {
                 return loop->contains(reader(view));
               });
    }
    return gains && views.size() <= made && llvm::all_of(views, [&](const llvm::Use* view) {
             const llvm::Loop* loop = loops_.getLoopFor(reader(view)->getParent());
             return llvm::any_of(values, [&](const llvm::Instruction* value) {
               return llvm::isa<llvm::SelectInst>(value) && is_in(loop, value);
             });
           });
  }

  const llvm::DenseSet<const llvm::Value*>& seen_;
  const llvm::LoopInfo& loops_;
};

/// Makes what loops carry canonical where it leaves them. Returns the selects that nobody needs
/// now.
llvm::SmallPtrSet<llvm::SelectInst*, 8> carry_raw(llvm::Function& function,
                                                  const std::vector<llvm::SelectInst*>& canonical,
                                                  const llvm::DenseSet<const llvm::Value*>& seen) {
  llvm::SmallPtrSet<llvm::SelectInst*, 8> free;
  const auto is_carried = [&](llvm::SelectInst* choice) {
    return choice->getType()->isFloatTy() && seen.contains(choice) && !free.contains(choice) &&
           canonical_of(*choice).replaces_all &&
           llvm::any_of(choice->users(), [](const llvm::User* user) { return is_move(user); });
  };
  if (llvm::none_of(canonical, is_carried)) return free;
  const llvm::DominatorTree tree(function);
  const llvm::LoopInfo loops(tree);
  const Carried carried(seen, loops);
  for (llvm::SelectInst* choice : canonical) {
    if (!is_carried(choice)) continue;
    const Carried::Instructions values = carried.values_with(*choice);
    if (values.empty()) continue;
    for (llvm::Use* view : carried.views_of(values)) {
      llvm::IRBuilder<> b(llvm::cast<llvm::Instruction>(view->getUser()));
      llvm::Value* raw = b.CreateBitCast(view->get(), choice->getType());
      llvm::Value* own = b.CreateSelect(b.CreateFCmpUNO(raw, raw), nan_of(*choice), raw);
      view->set(b.CreateBitCast(own, view->get()->getType()));
    }
    for (llvm::Instruction* value : values) {
      if (auto* other = llvm::dyn_cast<llvm::SelectInst>(value)) free.insert(other);
    }
  }
  return free;
}

}  // namespace

void drop_unseen_payloads(llvm::Function& function) {
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
  if (canonical.empty()) return;
  while (!pending.empty()) {
    const llvm::Instruction* reader = pending.back();
    pending.pop_back();
    for (const llvm::Use& use : reader->operands()) {
      const auto* operand = llvm::dyn_cast<llvm::Instruction>(use.get());
      if (!operand || !is_real(*operand) || view_of(use) != View::HandsOn) continue;
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  const llvm::SmallPtrSet<llvm::SelectInst*, 8> free = carry_raw(function, canonical, seen);
  for (llvm::SelectInst* choice : canonical) {
    if (seen.contains(choice) && !free.contains(choice)) continue;
    choice->replaceAllUsesWith(kept_of(*choice));
    choice->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
