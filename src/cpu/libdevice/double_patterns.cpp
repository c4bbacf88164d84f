// SPDX-License-Identifier: MIT
#include "cpu/libdevice/double_patterns.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::libdevice {

using namespace llvm::PatternMatch;
using llvm::Value;

Value* without_cast(Value* value) {
  auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value);
  return cast ? cast->getOperand(0) : value;
}

Value* negated(Value* value) {
  Value* positive = nullptr;
  if (match(value, m_FNeg(m_Value(positive)))) return positive;
  Value *test = nullptr, *quiet = nullptr;
  if (!match(value, m_Select(m_Value(test),
                             m_BitCast(m_Or(m_Value(quiet), m_SpecificInt(0x0008000000000000))),
                             m_FNeg(m_Value(positive)))) ||
      without_cast(quiet) != without_cast(positive))
    return nullptr;
  const auto* is_nan = llvm::dyn_cast<llvm::FCmpInst>(test);
  const bool quiets = is_nan && is_nan->getPredicate() == llvm::CmpInst::FCMP_UNO &&
                      is_nan->getOperand(0) == positive &&
                      match(is_nan->getOperand(1), m_AnyZeroFP());
  return quiets ? positive : nullptr;
}

bool is_negative_product(Value* value, Value* factor, Value* other, Value* addend) {
  Value *left = nullptr, *right = nullptr;
  if (!match(value, m_fma(m_Value(left), m_Value(right), m_Specific(addend)))) return false;
  return (negated(left) == factor && right == other) || (negated(right) == factor && left == other);
}

bool is_polynomial(Value* value, Value* variable, llvm::ArrayRef<std::uint64_t> coefficients) {
  for (const std::uint64_t coefficient : coefficients.drop_back()) {
    Value* higher = nullptr;
    if (!match(value, m_c_fma(m_Specific(variable), m_Value(higher), LongBits{coefficient})))
      return false;
    value = higher;
  }
  return LongBits{coefficients.back()}.match(value);
}

Value* refined_reciprocal_of(Value* value) {
  Value *correction = nullptr, *error = nullptr, *seed = nullptr;
  if (!match(value, m_c_fma(m_Value(correction), m_Value(seed), m_Deferred(seed)))) {
    return nullptr;
  }
  // The factors may stand the other way round.
  const auto is_seed = [](Value* candidate) {
    return lower::callee_name(*candidate) == lower::approximation::rcp_seed;
  };
  if (!is_seed(seed)) return nullptr;
  Value* x = llvm::cast<llvm::CallInst>(seed)->getArgOperand(0);
  if (!match(correction, m_fma(m_Value(error), m_Deferred(error), m_Deferred(error))))
    return nullptr;
  Value *left = nullptr, *right = nullptr;
  if (!match(error, m_fma(m_Value(left), m_Value(right), m_FPOne()))) return nullptr;
  const bool found = (negated(left) == x && right == seed) || (negated(right) == x && left == seed);
  return found ? x : nullptr;
}

llvm::BranchInst* branch_to(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* above = block.getSinglePredecessor();
  // The predecessor is as mutable as its function.
  auto* branch =
      above
          ? llvm::dyn_cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(above->getTerminator()))
          : nullptr;
  return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1)
             ? branch
             : nullptr;
}

std::optional<TwoWays> two_ways(Value* value) {
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(value))
    return TwoWays{choice->getCondition(), choice->getTrueValue(), choice->getFalseValue()};
  auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (!phi || phi->getNumIncomingValues() != 2) return std::nullopt;
  return two_ways(*phi, 0, 1);
}

std::optional<TwoWays> two_ways(llvm::PHINode& phi, unsigned first, unsigned second) {
  llvm::BranchInst* asks = nullptr;
  unsigned ways[2] = {};
  for (const unsigned i : {0u, 1u}) {
    llvm::BasicBlock* from = phi.getIncomingBlock(i == 0 ? first : second);
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    const llvm::BasicBlock* to = phi.getParent();
    if (branch && branch->isUnconditional()) {
      branch = branch_to(*from);
      to = from;
    }
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
        (asks && asks != branch))
      return std::nullopt;
    asks = branch;
    ways[i] = branch->getSuccessor(0) == to ? 0 : 1;
  }
  if (ways[0] == ways[1]) return std::nullopt;
  Value* values[] = {phi.getIncomingValue(first), phi.getIncomingValue(second)};
  return TwoWays{asks->getCondition(), values[ways[0]], values[ways[1]]};
}

}  // namespace pycuda::cpu::libdevice
