// SPDX-License-Identifier: MIT
// Backwards through arithmetic, choices and loops.
#include "cpu/simt/numbers/number_facts.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <utility>

#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned deepest = 16, most_steps = 200;
constexpr NumberFacts nothing{false, false, false, false};
constexpr NumberFacts arithmetic{true, false, true, true};

NumberFacts either(NumberFacts a, NumberFacts b) {
  return {a.nan || b.nan, a.signalling || b.signalling, a.negative_zero || b.negative_zero,
          a.positive_zero || b.positive_zero};
}

NumberFacts with_any_sign(NumberFacts facts) {
  facts.negative_zero = facts.positive_zero = facts.negative_zero || facts.positive_zero;
  return facts;
}

NumberFacts of_constant(const llvm::APFloat& number) {
  return {number.isNaN(), number.isSignaling(), number.isNegZero(), number.isPosZero()};
}

/// Whether LLVM cannot find out that `value` is always the same number: it depends on memory.
bool is_never_constant(const Value& value, unsigned depth) {
  constexpr unsigned most_operations = 6;
  const auto* operation = llvm::dyn_cast<Instruction>(&value);
  if (operation == nullptr || depth == most_operations) return false;
  if (llvm::isa<llvm::LoadInst>(operation)) return true;
  const bool computes =
      llvm::isa<llvm::UnaryOperator, llvm::CastInst, llvm::IntrinsicInst>(operation) ||
      (llvm::isa<llvm::BinaryOperator>(operation) && operation->getType()->isFloatingPointTy());
  return computes && llvm::any_of(operation->operands(), [&](const llvm::Use& operand) {
           return is_never_constant(*operand.get(), depth + 1);
         });
}

/// Whether arithmetic with `value` may turn out to leave the other operand, or its negative, alone.
bool may_do_nothing(const Value& value) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(&value)) {
    const llvm::APFloat& number = constant->getValueAPF();
    return number.isZero() || number.isExactlyValue(1.0) || number.isExactlyValue(-1.0);
  }
  return !is_never_constant(value, 0);
}

class Inquiry {
 public:
  NumberFacts of(const Value& value, unsigned depth) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(&value))
      return of_constant(constant->getValueAPF());
    const auto* operation = llvm::dyn_cast<Instruction>(&value);
    if (operation == nullptr || depth == deepest || ++steps_ > most_steps) return {};
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(operation)) return of_phi(*phi, depth + 1);
    if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(operation))
      return of_choice(*choice, depth + 1);
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(operation))
      return of_call(*call, depth + 1);
    return of_operation(*operation, depth + 1);
  }

 private:
  /// The least that agrees with what comes in: a loop's values come from its start.
  NumberFacts of_phi(const llvm::PHINode& phi, unsigned depth) {
    if (const auto assumed = assumed_.find(&phi); assumed != assumed_.end()) return assumed->second;
    NumberFacts found = nothing;
    for (bool agrees = false; !agrees;) {
      assumed_[&phi] = found;
      NumberFacts next = found;
      for (const llvm::Use& incoming : phi.incoming_values())
        next = either(next, of(*incoming.get(), depth));
      agrees = next == found;
      found = next;
    }
    assumed_.erase(&phi);
    return found;
  }

  NumberFacts of_choice(const llvm::SelectInst& choice, unsigned depth) {
    const auto* test = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
    const auto arm = [&](const Value& value, llvm::CmpInst::Predicate excludes_nan) {
      NumberFacts facts = of(value, depth);
      if (test && test->getPredicate() == excludes_nan && is_test_of(*test, value))
        facts.nan = facts.signalling = false;
      return facts;
    };
    return either(arm(*choice.getTrueValue(), llvm::CmpInst::FCMP_ORD),
                  arm(*choice.getFalseValue(), llvm::CmpInst::FCMP_UNO));
  }

  static bool is_test_of(const llvm::FCmpInst& test, const Value& value) {
    return test.getOperand(0) == &value || test.getOperand(1) == &value;
  }

  NumberFacts of_call(const llvm::CallInst& call, unsigned depth) {
    const auto operand = [&](unsigned number) { return of(*call.getArgOperand(number), depth); };
    if (is_extremum(call)) {
      const NumberFacts left = operand(0), right = operand(1);
      NumberFacts facts = either(left, right);
      facts.nan = left.nan && right.nan;
      facts.signalling = false;
      return facts;
    }
    if (target::is_native_operation(call)) return arithmetic;
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::fabs: {
        NumberFacts facts = with_any_sign(operand(0));
        facts.negative_zero = false;
        return facts;
      }
      case llvm::Intrinsic::copysign:
        return with_any_sign(operand(0));
      case llvm::Intrinsic::canonicalize: {
        // Where the processor flushes, this is a mark alone.
        NumberFacts facts = operand(0);
        facts.negative_zero = facts.positive_zero = true;
        return facts;
      }
      case llvm::Intrinsic::fma:
        return of_arithmetic(call, 3, depth);
      case llvm::Intrinsic::sqrt:
      case llvm::Intrinsic::floor:
      case llvm::Intrinsic::ceil:
      case llvm::Intrinsic::trunc:
      case llvm::Intrinsic::rint:
      case llvm::Intrinsic::nearbyint:
      case llvm::Intrinsic::roundeven:
        return arithmetic;
      default:
        return {};
    }
  }

  NumberFacts of_operation(const Instruction& operation, unsigned depth) {
    const auto operand = [&] { return of(*operation.getOperand(0), depth); };
    switch (operation.getOpcode()) {
      case Instruction::FNeg: {
        NumberFacts facts = operand();
        std::swap(facts.negative_zero, facts.positive_zero);
        return facts;
      }
      case Instruction::Freeze:
        return operand();
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FMul:
      case Instruction::FDiv:
        return of_arithmetic(operation, 2, depth);
      case Instruction::SIToFP:
      case Instruction::UIToFP:
        return {false, false, false, true};
      // Twice there and back is nothing at all: these quiet nothing.
      case Instruction::FPExt:
        return operand();
      case Instruction::FPTrunc: {
        NumberFacts facts = operand();
        facts.negative_zero = facts.positive_zero = true;
        return facts;
      }
      default:
        return {};
    }
  }

  /// A product with what turns out to be 1, or a sum with zero, quiets nothing.
  NumberFacts of_arithmetic(const Instruction& operation, unsigned operands, unsigned depth) {
    NumberFacts facts = arithmetic;
    for (unsigned i = 0; i < operands; ++i) {
      bool may_go = true;
      for (unsigned other = 0; other < operands; ++other)
        may_go &= other == i || may_do_nothing(*operation.getOperand(other));
      facts.signalling |= may_go && of(*operation.getOperand(i), depth).signalling;
    }
    return facts;
  }

  llvm::SmallDenseMap<const llvm::PHINode*, NumberFacts, 4> assumed_;
  unsigned steps_ = 0;
};

}  // namespace

NumberFacts facts_of(const Value& value) { return Inquiry().of(value, 0); }

}  // namespace pycuda::cpu::simt
