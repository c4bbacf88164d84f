// SPDX-License-Identifier: MIT
// Processors have an instruction for a > b ? a : b, the second one of NaNs and of equal numbers.
// The native one knows of signs of zeros and chooses numbers, not NaNs, unless these signal.

#include "cpu/lower/extrema.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <cstdint>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/simt/numbers/number_facts.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

using llvm::Value;

/// A call and what is known before the first one is replaced.
struct Extremum {
  llvm::CallInst* call;
  NumberFacts left, right;
  bool is_nan;  ///< the result may be NaN
};

bool is_minimum(const llvm::CallInst& call) {
  const llvm::StringRef name = lower::callee_name(call);
  return name == lower::extremum::minimum_f32 || name == lower::extremum::minimum_f64;
}

/// What is behind operations on the sign alone: of these a signalling NaN stays one.
Value* behind_signs(Value* value) {
  for (;;) {
    auto* operation = llvm::dyn_cast<llvm::Instruction>(value);
    const auto* call = llvm::dyn_cast_or_null<llvm::CallInst>(operation);
    const bool is_sign = operation && (operation->getOpcode() == llvm::Instruction::FNeg ||
                                       (call && call->getIntrinsicID() == llvm::Intrinsic::fabs));
    if (!is_sign) return value;
    value = operation->getOperand(0);
  }
}

class Expansion {
 public:
  Expansion(llvm::Function& function, bool native)
      : function_(function), native_(native), flushes_(lower::processor_flushes(function)) {}

  void expand(const Extremum& one) {
    llvm::IRBuilder<> b(one.call);
    Value* left = one.call->getArgOperand(0);
    Value* right = one.call->getArgOperand(1);
    Value* result = nullptr;
    if (suffices(one, one.left, one.right)) {
      result = first_unless(b, one, left, right);
    } else if (suffices(one, one.right, one.left)) {
      result = first_unless(b, one, right, left);
    } else if (native_) {
      // Of two NaNs of f64 the second operand's bits are the result's.
      result = target::call_native(
          b,
          is_minimum(*one.call) ? target::NativeOperation::Smaller
                                : target::NativeOperation::Larger,
          {quieted(b, right, one.right.signalling), quieted(b, left, one.left.signalling)});
    } else {
      result = in_steps(b, one, left, right);
    }
    one.call->replaceAllUsesWith(result);
    one.call->eraseFromParent();
    if (!one.is_nan) {
      if (llvm::isa<llvm::Instruction>(result)) answer_tests(*result);
    } else if (native_) {
      drop_quieting(*result);
    }
  }

 private:
  /// Whether equal numbers may be zeros of which the one that is wanted is `first`.
  static bool zeros_matter(const Extremum& one, const NumberFacts& first,
                           const NumberFacts& second) {
    return is_minimum(*one.call) ? first.negative_zero && second.positive_zero
                                 : first.positive_zero && second.negative_zero;
  }

  /// Whether `first_unless` is all. Where the processor flushes, the comparison is to flush and the
  /// choice is not, which takes more than the native instruction, which does both.
  bool suffices(const Extremum& one, const NumberFacts& first, const NumberFacts& second) const {
    if (native_ && flushes_ && one.call->getType()->isFloatTy() &&
        llvm::any_of(one.call->args(), [](const llvm::Use& use) { return is_to_flush(*use); }))
      return false;
    return !second.nan && !zeros_matter(one, first, second);
  }

  /// Marked, and not the result of what the processor flushes.
  static bool is_to_flush(Value& value) {
    using namespace llvm::PatternMatch;
    Value* number = nullptr;
    if (!match(behind_signs(&value), m_Intrinsic<llvm::Intrinsic::canonicalize>(m_Value(number))))
      return false;
    return !(llvm::isa<llvm::BinaryOperator, llvm::SIToFPInst, llvm::UIToFPInst>(number) ||
             match(number, m_Intrinsic<llvm::Intrinsic::fma>()) ||
             match(number, m_Intrinsic<llvm::Intrinsic::sqrt>()));
  }

  /// The first one if it is the larger or smaller one, else, and of NaNs, the second one.
  static Value* first_unless(llvm::IRBuilder<>& b, const Extremum& one, Value* first,
                             Value* second) {
    Value* is_first =
        is_minimum(*one.call) ? b.CreateFCmpOLT(first, second) : b.CreateFCmpOGT(first, second);
    return b.CreateSelect(is_first, first, second);
  }

  static Value* in_steps(llvm::IRBuilder<>& b, const Extremum& one, Value* left, Value* right) {
    // Whichever may be NaN comes first, of two the right one: it is then the result's bits.
    const bool swaps = one.right.nan;
    Value* first = swaps ? right : left;
    Value* second = swaps ? left : right;
    Value* result = first_unless(b, one, first, second);
    if (zeros_matter(one, one.left, one.right) || zeros_matter(one, one.right, one.left)) {
      llvm::Type* bits = b.getIntNTy(left->getType()->getScalarSizeInBits());
      Value* a = b.CreateBitCast(left, bits);
      Value* c = b.CreateBitCast(right, bits);
      Value* merged = is_minimum(*one.call) ? b.CreateOr(a, c) : b.CreateAnd(a, c);
      result = b.CreateSelect(b.CreateFCmpOEQ(left, right),
                              b.CreateBitCast(merged, left->getType()), result);
    }
    if (!(swaps ? one.left : one.right).nan) return result;
    return b.CreateSelect(b.CreateFCmpUNO(second, llvm::ConstantFP::get(second->getType(), 0)),
                          first, result);
  }

  /// `value` without signalling NaNs: what it comes from is quieted once.
  Value* quieted(llvm::IRBuilder<>& b, Value* value, bool may_signal) {
    if (!may_signal) return value;
    Value* source = behind_signs(value);
    if (source == value) return quieted_source(*source);
    auto* operation = llvm::cast<llvm::Instruction>(value);
    Value* operand = quieted(b, operation->getOperand(0), true);
    return operation->getOpcode() == llvm::Instruction::FNeg
               ? b.CreateFNeg(operand)
               : b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, operand);
  }

  Value* quieted_source(Value& source) {
    Value*& known = quieted_[&source];
    if (known) return known;
    auto* operation = llvm::dyn_cast<llvm::Instruction>(&source);
    auto after = operation ? operation->getInsertionPointAfterDef() : std::nullopt;
    llvm::IRBuilder<> b(&*function_.getEntryBlock().getFirstInsertionPt());
    if (after) b.SetInsertPoint(after->getNodeParent(), *after);
    known = target::call_native(b, target::NativeOperation::Quieted, {&source});
    return known;
  }

  /// Nobody need ask whether `number` is NaN.
  static void answer_tests(Value& number) {
    using namespace llvm::PatternMatch;
    llvm::SmallSetVector<llvm::FCmpInst*, 4> tests;
    for (llvm::User* user : number.users()) {
      auto* test = llvm::dyn_cast<llvm::FCmpInst>(user);
      if (test && test->getOperand(0) == &number &&
          (test->getOperand(1) == &number || match(test->getOperand(1), m_AnyZeroFP())) &&
          (test->getPredicate() == llvm::CmpInst::FCMP_UNO ||
           test->getPredicate() == llvm::CmpInst::FCMP_ORD))
        tests.insert(test);
    }
    for (llvm::FCmpInst* test : tests) {
      test->replaceAllUsesWith(llvm::ConstantInt::getBool(
          test->getContext(), test->getPredicate() == llvm::CmpInst::FCMP_ORD));
      test->eraseFromParent();
    }
  }

  /// The lowering quiets an f64 whose NaNs are quiet now.
  static void drop_quieting(Value& number) {
    using namespace llvm::PatternMatch;
    constexpr std::uint64_t quiet_bit = std::uint64_t{1} << 51;
    std::vector<llvm::SelectInst*> choices;
    for (llvm::User* user : number.users()) {
      auto* choice = llvm::dyn_cast<llvm::SelectInst>(user);
      if (choice && choice->getFalseValue() == &number &&
          match(choice->getTrueValue(),
                m_BitCast(m_Or(m_BitCast(m_Specific(&number)), m_SpecificInt(quiet_bit)))))
        choices.push_back(choice);
    }
    for (llvm::SelectInst* choice : choices) choice->replaceAllUsesWith(&number);
  }

  llvm::Function& function_;
  const bool native_, flushes_;
  llvm::DenseMap<const Value*, Value*> quieted_;
};

}  // namespace

bool is_extremum(const llvm::CallInst& call) {
  return lower::callee_name(call).starts_with(lower::extremum::prefix);
}

void expand_extrema(llvm::Function& function, bool native) {
  std::vector<Extremum> extrema;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !is_extremum(*call)) continue;
    const NumberFacts left = facts_of(*call->getArgOperand(0));
    const NumberFacts right = facts_of(*call->getArgOperand(1));
    extrema.push_back({call, left, right, left.nan && right.nan});
  }
  Expansion expansion(function, native);
  for (const Extremum& one : extrema) expansion.expand(one);
}

}  // namespace pycuda::cpu::simt
