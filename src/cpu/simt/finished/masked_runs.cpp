// SPDX-License-Identifier: MIT

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

#include <optional>
#include <vector>

#include "cpu/simt/finished/finished_passes.h"

namespace pycuda::cpu::simt {
namespace {

using namespace llvm::PatternMatch;

bool read_elements(const llvm::Constant& vector, std::vector<llvm::APInt>& elements) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(vector.getType())->getNumElements();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto* element =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(vector.getAggregateElement(lane));
    if (!element) return false;
    elements.push_back(element->getValue());
  }
  return true;
}

llvm::Value* without_freeze(llvm::Value* value) {
  llvm::Value* inner = nullptr;
  return match(value, m_Freeze(m_Value(inner))) ? inner : value;
}

/// Whether `number` counts a loop's trips, which end by a comparison of its next value: were that
/// no number, the loop would have no meaning.
bool is_counter(const llvm::Value* number) {
  if (const auto* narrow = llvm::dyn_cast<llvm::TruncInst>(number)) number = narrow->getOperand(0);
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(number);
  llvm::BinaryOperator* next = nullptr;
  llvm::Value *start = nullptr, *step = nullptr;
  if (!phi || !llvm::matchSimpleRecurrence(phi, next, start, step) ||
      !llvm::isa<llvm::ConstantInt>(start) || !llvm::isa<llvm::ConstantInt>(step))
    return false;
  for (const llvm::BasicBlock* from : phi->blocks()) {
    if (phi->getIncomingValueForBlock(from) != next) continue;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    const auto* compare = branch && branch->isConditional()
                              ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                              : nullptr;
    if (!compare || !llvm::is_contained(compare->operands(), next)) return false;
  }
  return true;
}

/// The lane of `compare` that may be true, if there is one at most that depends on the number in
/// its lane 0, which `first` becomes; and for which value of it.
struct OneLane {
  llvm::Value* first;
  llvm::APInt wanted;
};

/// splat(first) == constants: as the constants differ by more than multiples of what divides first,
/// one lane alone can be equal.
std::optional<OneLane> one_lane(const llvm::ICmpInst& compare, const llvm::DataLayout& layout) {
  if (compare.getPredicate() != llvm::ICmpInst::ICMP_EQ) return std::nullopt;
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(compare.getOperand(0)->getType());
  const auto* constants = llvm::dyn_cast<llvm::Constant>(compare.getOperand(1));
  if (!type || !type->getElementType()->isIntegerTy() || !constants) return std::nullopt;
  llvm::Value* first = llvm::getSplatValue(without_freeze(compare.getOperand(0)));
  std::vector<llvm::APInt> elements;
  if (!first || !read_elements(*constants, elements)) return std::nullopt;
  const llvm::KnownBits known = llvm::computeKnownBits(first, layout);
  std::optional<llvm::APInt> wanted;
  for (const llvm::APInt& element : elements) {
    if (known.Zero.intersects(element) || !known.One.isSubsetOf(element)) continue;
    if (wanted) return std::nullopt;
    wanted = element;
  }
  return wanted ? std::optional(OneLane{first, *wanted}) : std::nullopt;
}

/// The lanes that a constant mask names, in order; nothing if it is none.
std::optional<std::vector<unsigned>> lanes_of(const llvm::Value* mask, bool may_be_undefined) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant) return std::nullopt;
  std::vector<unsigned> found;
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const llvm::Constant* element = constant->getAggregateElement(lane);
    if (!element || !(llvm::isa<llvm::ConstantInt>(element) ||
                      (may_be_undefined && llvm::isa<llvm::UndefValue>(element))))
      return std::nullopt;
    if (element->isOneValue()) found.push_back(lane);
  }
  return found;
}

/// The run of lanes that a constant mask names: where it starts and how long it is.
struct Run {
  unsigned start, lanes;
};

std::optional<Run> run_of(const llvm::Value* mask) {
  const auto found = lanes_of(mask, true);
  if (!found || found->empty()) return std::nullopt;
  const Run run{found->front(), static_cast<unsigned>(found->size())};
  const unsigned all = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  const bool shortens = llvm::isPowerOf2_32(run.lanes) && run.lanes < all;
  return shortens && found->back() - run.start < run.lanes ? std::optional(run) : std::nullopt;
}

/// One access under a constant mask again, for its lanes alone.
class Shorter {
 public:
  Shorter(llvm::IntrinsicInst& access, const llvm::FixedVectorType& whole, Run run)
      : b_(&access), access_(access), whole_(whole), run_(run) {}

  llvm::Value* load() {
    const llvm::MaybeAlign alignment = find_place(access_.getArgOperand(0), 1);
    llvm::LoadInst* part = b_.CreateAlignedLoad(type(), place_, alignment);
    llvm::Value* others = access_.getArgOperand(3);
    if (run_.lanes == 1) return b_.CreateInsertElement(others, part, run_.start);
    std::vector<int> lanes(whole_.getNumElements(), llvm::PoisonMaskElem);
    for (unsigned i = 0; i < run_.lanes; ++i) lanes[run_.start + i] = static_cast<int>(i);
    llvm::Value* wide = b_.CreateShuffleVector(part, lanes);
    if (llvm::isa<llvm::UndefValue>(others)) return wide;
    return b_.CreateSelect(access_.getArgOperand(2), wide, others);
  }

  void store() {
    const llvm::MaybeAlign alignment = find_place(access_.getArgOperand(1), 2);
    llvm::Value* value = access_.getArgOperand(0);
    value = run_.lanes == 1 ? b_.CreateExtractElement(value, run_.start)
                            : b_.CreateShuffleVector(
                                  value, llvm::createSequentialMask(run_.start, run_.lanes, 0));
    b_.CreateAlignedStore(value, place_, alignment);
  }

 private:
  llvm::Type* type() const {
    llvm::Type* element = whole_.getElementType();
    return run_.lanes == 1 ? element : llvm::FixedVectorType::get(element, run_.lanes);
  }

  llvm::MaybeAlign find_place(llvm::Value* pointer, unsigned alignment_argument) {
    const std::uint64_t bytes = whole_.getElementType()->getScalarSizeInBits() / 8;
    const llvm::MaybeAlign whole =
        llvm::cast<llvm::ConstantInt>(access_.getArgOperand(alignment_argument))
            ->getMaybeAlignValue();
    place_ = run_.start == 0 ? pointer
                             : b_.CreateConstGEP1_64(b_.getInt8Ty(), pointer, run_.start * bytes);
    return llvm::commonAlignment(whole.valueOrOne(), run_.start * bytes);
  }

  llvm::IRBuilder<> b_;
  llvm::IntrinsicInst& access_;
  const llvm::FixedVectorType& whole_;
  const Run run_;
  llvm::Value* place_ = nullptr;
};

/// Gathers and scatters of more lanes are quicker as they are.
constexpr std::size_t most_lanes_apart = 4;

/// A gather or scatter of a few lanes by accesses of one each. False if it is neither.
bool access_lanes_apart(llvm::IntrinsicInst& access) {
  const bool loads = access.getIntrinsicID() == llvm::Intrinsic::masked_gather;
  if (!loads && access.getIntrinsicID() != llvm::Intrinsic::masked_scatter) return false;
  const auto lanes = lanes_of(access.getArgOperand(loads ? 2 : 3), false);
  if (!lanes || lanes->size() > most_lanes_apart) return false;
  llvm::IRBuilder<> b(&access);
  llvm::Value* value = access.getArgOperand(loads ? 3 : 0);
  llvm::Value* places = access.getArgOperand(loads ? 0 : 1);
  const llvm::MaybeAlign alignment =
      llvm::cast<llvm::ConstantInt>(access.getArgOperand(loads ? 1 : 2))->getMaybeAlignValue();
  // Of several lanes that store to one place the last one wins, as in a scatter.
  for (const unsigned lane : *lanes) {
    llvm::Value* place = b.CreateExtractElement(places, lane);
    if (loads) {
      llvm::Type* element = llvm::cast<llvm::VectorType>(access.getType())->getElementType();
      value = b.CreateInsertElement(value, b.CreateAlignedLoad(element, place, alignment), lane);
    } else {
      b.CreateAlignedStore(b.CreateExtractElement(value, lane), place, alignment);
    }
  }
  if (loads) access.replaceAllUsesWith(value);
  access.eraseFromParent();
  return true;
}

bool has_plain_elements(const llvm::FixedVectorType& type) {
  const llvm::Type* element = type.getElementType();
  return (element->isIntegerTy() || element->isFloatingPointTy()) &&
         element->getScalarSizeInBits() % 8 == 0;
}

}  // namespace

bool compare_first_lanes(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getDataLayout();
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    // Any lane: the mask as one integer, compared with 0.
    auto* question = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!question || !question->isEquality() || !match(question->getOperand(1), m_ZeroInt()))
      continue;
    llvm::Value* mask = nullptr;
    if (!match(question->getOperand(0), m_BitCast(m_Value(mask))) ||
        !mask->getType()->isIntOrIntVectorTy(1))
      continue;
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(without_freeze(mask));
    if (!compare) continue;
    const auto found = one_lane(*compare, layout);
    if (!found) continue;
    llvm::IRBuilder<> b(question);
    llvm::Value* first = found->first;
    if (!is_counter(first) && !llvm::isGuaranteedNotToBeUndefOrPoison(first)) continue;
    const bool none = question->getPredicate() == llvm::ICmpInst::ICMP_EQ;
    llvm::Value* answer =
        b.CreateICmp(none ? llvm::ICmpInst::ICMP_NE : llvm::ICmpInst::ICMP_EQ, first,
                     llvm::ConstantInt::get(first->getType(), found->wanted));
    question->replaceAllUsesWith(answer);
    question->eraseFromParent();
    changed = true;
  }
  return changed;
}

bool shorten_masked_accesses(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!access) continue;
    if (access_lanes_apart(*access)) {
      changed = true;
      continue;
    }
    const bool loads = access->getIntrinsicID() == llvm::Intrinsic::masked_load;
    if (!loads && access->getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(
        loads ? access->getType() : access->getArgOperand(0)->getType());
    const auto run = run_of(access->getArgOperand(loads ? 2 : 3));
    if (!type || !run || !has_plain_elements(*type)) continue;
    Shorter shorter(*access, *type, *run);
    if (loads) {
      access->replaceAllUsesWith(shorter.load());
    } else {
      shorter.store();
    }
    access->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace pycuda::cpu::simt
