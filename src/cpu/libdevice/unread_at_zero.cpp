// SPDX-License-Identifier: MIT
#include "cpu/libdevice/unread_at_zero.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "cpu/libdevice/region_fingerprint.h"

namespace pycuda::cpu::libdevice {
namespace {

using namespace llvm::PatternMatch;
using llvm::Value;

/// x, or x lifted where it is subnormal: zero where x is.
bool is_zero_with(Value* value, Value* x) {
  value = bare_value(value);
  x = bare_value(x);
  Value *lifted = nullptr, *kept = nullptr;
  if (value == x) return true;
  if (!match(value, m_Select(m_Value(), m_Value(lifted), m_Value(kept))) || bare_value(kept) != x)
    return false;
  Value* factor = nullptr;
  const llvm::APFloat* scale = nullptr;
  return match(bare_value(lifted), m_c_FMul(m_Value(factor), m_APFloat(scale))) &&
         bare_value(factor) == x && scale->isNormal() && scale->getExactLog2Abs() > 0;
}

/// What `condition` is where x is zero, if that is known.
std::optional<bool> at_zero(Value* condition, Value* x) {
  llvm::CmpInst::Predicate predicate;
  Value *left = nullptr, *right = nullptr;
  if (match(condition, m_FCmp(predicate, m_Value(left), m_AnyZeroFP())) && is_zero_with(left, x)) {
    if (predicate == llvm::CmpInst::FCMP_OEQ) return true;
    if (predicate == llvm::CmpInst::FCMP_UNE) return false;
  }
  if (match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    for (Value* part : {left, right}) {
      if (at_zero(part, x) == true) return true;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_unread_at_zero(Value* value, Value* x) {
  constexpr unsigned most_steps = 32;
  llvm::SmallVector<Value*, 16> pending{value};
  llvm::SmallPtrSet<Value*, 16> seen{value};
  while (!pending.empty()) {
    Value* next = pending.pop_back_val();
    for (llvm::User* user : next->users()) {
      auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
        const auto known = at_zero(choice->getCondition(), x);
        Value* chosen = known.value_or(true) ? choice->getTrueValue() : choice->getFalseValue();
        if (known.has_value() && chosen != next) continue;
      }
      if (instruction->mayReadOrWriteMemory() || instruction->isTerminator() ||
          llvm::isa<llvm::PHINode>(instruction) ||
          (llvm::isa<llvm::CallInst>(instruction) &&
           !llvm::isa<llvm::IntrinsicInst>(instruction)) ||
          seen.size() > most_steps)
        return false;
      if (seen.insert(instruction).second) pending.push_back(instruction);
    }
  }
  return true;
}

}  // namespace pycuda::cpu::libdevice
