// SPDX-License-Identifier: MIT
// Choices that only lanes at a border take the other way: of neighbours that wrap round or are
// clamped.
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {
namespace {

using namespace llvm::PatternMatch;

constexpr unsigned most_terms = 3;

/// Whether lanes take it the other way for reasons that lie in their numbers alone.
bool is_border(const llvm::Value* condition, const Shapes& shapes, unsigned terms = 0) {
  const llvm::Value *left = nullptr, *right = nullptr;
  if (terms == most_terms) return false;
  if (match(condition, m_Not(m_Value(left)))) return is_border(left, shapes, terms + 1);
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))) ||
      match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    return is_border(left, shapes, terms + 1) && is_border(right, shapes, terms + 1);
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  return compare && !shapes.of(compare->getOperand(0)).is_varying() &&
         !shapes.of(compare->getOperand(1)).is_varying();
}

}  // namespace

/// The neighbour is affine, what stands for it at the border is one number for all lanes. Two
/// affine ones can be told where the border is a single place.
std::optional<unsigned> Shapes::usual_choice(const llvm::Instruction& choice) const {
  const auto moves = [&](unsigned operand) {
    const Shape shape = of(choice.getOperand(operand));
    return shape.is_affine() && shape.stride != 0;
  };
  const auto one_moves = [&](unsigned first) -> std::optional<unsigned> {
    if (moves(first) && of(choice.getOperand(first + 1)).is_uniform()) return first;
    if (moves(first + 1) && of(choice.getOperand(first)).is_uniform()) return first + 1;
    return std::nullopt;
  };
  if (!trusting_ || !choice.getType()->isIntegerTy()) return std::nullopt;
  if (llvm::isa<llvm::MinMaxIntrinsic>(choice)) return one_moves(0);
  if (!llvm::isa<llvm::SelectInst>(choice) || !is_border(choice.getOperand(0), *this))
    return std::nullopt;
  if (const auto usual = one_moves(1)) return usual;
  llvm::CmpInst::Predicate predicate{};
  if (!match(choice.getOperand(0), m_ICmp(predicate, m_Value(), m_Value())) ||
      !llvm::ICmpInst::isEquality(predicate))
    return std::nullopt;
  const unsigned usual = predicate == llvm::ICmpInst::ICMP_NE ? 1 : 2;
  return moves(usual) ? std::optional(usual) : std::nullopt;
}

}  // namespace pycuda::cpu::simt
