// SPDX-License-Identifier: MIT
#include "cpu/libdevice/float_patterns.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace pycuda::cpu::libdevice {

using namespace llvm::PatternMatch;
using llvm::Value;

bool is_constant(const Value* value, std::uint32_t bits) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant && constant->getType()->isFloatTy() &&
         constant->getValueAPF().bitcastToAPInt() == bits;
}

namespace {

/// Through one select.
Value* less_canonical(Value* value) {
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(value);
  if (!choice) return value;
  auto* test = llvm::dyn_cast<llvm::FCmpInst>(choice->getCondition());
  if (!test) return value;
  const bool inverse = test->getPredicate() == llvm::CmpInst::FCMP_ORD;
  if (!inverse && test->getPredicate() != llvm::CmpInst::FCMP_UNO) return value;
  auto* constant =
      llvm::dyn_cast<llvm::ConstantFP>(inverse ? choice->getFalseValue() : choice->getTrueValue());
  Value* kept = inverse ? choice->getTrueValue() : choice->getFalseValue();
  Value* tested = test->getOperand(0);
  if (!constant || !constant->isNaN()) return value;
  Value* inner = nullptr;
  const bool turned = match(kept, m_CombineOr(m_FNeg(m_Value(inner)), m_FAbs(m_Value(inner)))) &&
                      (tested == inner || tested == number(inner));
  return tested == kept || turned ? kept : value;
}

}  // namespace

Value* number(Value* value) {
  for (;;) {
    Value* inner = less_canonical(value);
    if (inner == value) return value;
    value = inner;
  }
}

Value* normal_number(Value* value) {
  value = number(value);
  Value *bits = nullptr, *whole = nullptr;
  if (match(value, m_Intrinsic<llvm::Intrinsic::canonicalize>(m_Value(whole))))
    return number(whole);
  const auto exponent = m_And(m_Value(bits), m_SpecificInt(0x7f800000));
  if (!match(value, m_BitCast(m_Select(m_SpecificICmp(llvm::CmpInst::ICMP_EQ, exponent, m_Zero()),
                                       m_And(m_Deferred(bits), m_SpecificInt(0x80000000)),
                                       m_Deferred(bits)))) ||
      !match(bits, m_BitCast(m_Value(whole))))
    return value;
  return number(whole);
}

llvm::Function* approximate_function(llvm::Module& module, const char* name,
                                     llvm::FunctionType* type) {
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->addFnAttr(llvm::Attribute::Speculatable);
  return function;
}

bool is_function_of(Value* value, Value* source) {
  constexpr unsigned most_steps = 64;
  llvm::SmallPtrSet<Value*, 32> seen;
  std::vector<Value*> pending{value};
  while (!pending.empty()) {
    Value* next = pending.back();
    pending.pop_back();
    if (next == source || llvm::isa<llvm::Constant>(next) || !seen.insert(next).second) continue;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(next);
    if (!instruction || instruction->mayReadOrWriteMemory() ||
        llvm::isa<llvm::PHINode>(instruction) || seen.size() > most_steps)
      return false;
    const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction);
    for (Value* operand : call ? call->args() : instruction->operands()) pending.push_back(operand);
  }
  return true;
}

}  // namespace pycuda::cpu::libdevice
