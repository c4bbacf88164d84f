// SPDX-License-Identifier: MIT
// Loops along rows: their counters, addresses and copies of operations.
#include "cpu/simt/per_lane/row_loop.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <cstdlib>
#include <utility>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/slice.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned most_instructions = 300;
constexpr std::int64_t longest_step = 1 << 16;

bool has(const llvm::Loop& loop, const llvm::Value* value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && loop.contains(instruction);
}

bool has_vector_form(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return llvm::isTriviallyVectorizable(call->getIntrinsicID()) && !call->getType()->isStructTy();
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return !cast->getSrcTy()->isPointerTy() && !cast->getDestTy()->isPointerTy();
  return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst,
                   llvm::FreezeInst>(instruction) &&
         !divides(instruction);
}

static bool is_element(const llvm::Type& type, const RowLoop::Access& access) {
  return (type.isIntegerTy() || type.isFloatingPointTy()) &&
         llvm::isPowerOf2_64(static_cast<std::uint64_t>(access.bytes)) && access.bytes <= 8 &&
         static_cast<std::int64_t>(llvm::getLoadStoreAlignment(access.instruction).value()) >=
             access.bytes;
}

}  // namespace

bool is_beside(const llvm::Instruction& instruction, const llvm::Loop& loop) {
  if (lower::is_line_note(instruction)) return true;
  return lower::callee_name(instruction) == lower::pseudo::check_alignment &&
         !has(loop, llvm::cast<llvm::CallInst>(instruction).getArgOperand(1));
}

bool is_straight_loop(const llvm::Loop& loop) {
  const llvm::BasicBlock* leaving = loop.getExitingBlock();
  if (!loop.isInnermost() || !loop.getLoopPreheader() || !loop.getLoopLatch() || !leaving ||
      !loop.getExitBlock())
    return false;
  unsigned instructions = 0;
  bool left = false;
  const llvm::BasicBlock* block = loop.getHeader();
  for (unsigned i = 0; i < loop.getNumBlocks(); ++i) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || branch->isConditional() != (block == leaving)) return false;
    for (const llvm::Instruction& instruction : *block) {
      ++instructions;
      if (is_beside(instruction, loop)) continue;
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        if (left || instruction.isVolatile() || instruction.isAtomic()) return false;
      } else if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) {
        return false;
      }
    }
    left |= block == leaving;
    block = branch->getSuccessor(0);
    if (!loop.contains(block)) block = branch->getSuccessor(1);
  }
  return block == loop.getHeader() && instructions <= most_instructions;
}

RowLoop::RowLoop(llvm::Function& function)
    : evolution_(function),
      s_(*evolution_.of),
      loop_(**evolution_.loops.begin()),
      layout_(function.getDataLayout()),
      number_(llvm::Type::getInt64Ty(function.getContext())),
      expander_(s_, layout_, "row") {}

llvm::StringRef RowLoop::find() {
  if (!find_counter()) return "its counter has no equal steps to a bound";
  if (!find_accesses()) return "its addresses have no equal steps";
  if (!find_copies()) return "what it stores goes from trip to trip, or has no vector form";
  if (!find_order()) return "it was unrolled and its accesses may meet";
  return {};
}

/// An address as a sum, also where it is taken from a number.
const llvm::SCEV* RowLoop::address_of(llvm::Value* pointer) {
  const llvm::SCEV* sum = s_.getZero(number_);
  for (;;) {
    pointer = behind_copies(pointer);
    auto* step = has(pointer) ? llvm::dyn_cast<llvm::GetElementPtrInst>(pointer) : nullptr;
    if (!step || step->getNumIndices() != 1 || !step->getSourceElementType()->isIntegerTy(8)) break;
    sum = s_.getAddExpr(sum, s_.getTruncateOrSignExtend(s_.getSCEV(step->getOperand(1)), number_));
    pointer = step->getPointerOperand();
  }
  if (auto* number = llvm::dyn_cast<llvm::IntToPtrInst>(pointer))
    return s_.getAddExpr(sum,
                         s_.getTruncateOrZeroExtend(s_.getSCEV(number->getOperand(0)), number_));
  return s_.getAddExpr(sum, s_.getPtrToIntExpr(s_.getSCEV(pointer), number_));
}

/// Of a sum that grows by equal steps, which do not wrap in its type; null for others.
const llvm::SCEVAddRecExpr* RowLoop::steps_of(const llvm::SCEV* sum) {
  const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(sum);
  if (!steps || !steps->isAffine() || steps->getLoop() != &loop_ ||
      !llvm::isa<llvm::SCEVConstant>(steps->getStepRecurrence(s_)) ||
      std::abs(each(*steps)) > longest_step || !expander_.isSafeToExpand(steps->getStart()))
    return nullptr;
  return steps;
}
std::int64_t RowLoop::each(const llvm::SCEVAddRecExpr& steps) {
  const auto& step = llvm::cast<llvm::SCEVConstant>(steps.getStepRecurrence(s_))->getAPInt();
  return step.getSignificantBits() > 32 ? longest_step + 1 : step.getSExtValue();
}

/// A constant is added behind the extension, so that it is known how far copies are apart.
std::optional<std::int64_t> RowLoop::step_of_extended(const llvm::SCEVAddRecExpr& steps,
                                                      bool is_signed, const llvm::SCEV*& start) {
  const llvm::SCEV* root = steps.getStart();
  std::int64_t further = 0;
  if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(root)) {
    if (const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(sum->getOperand(0));
        constant && constant->getAPInt().getSignificantBits() <= 32) {
      further = constant->getAPInt().getSExtValue();
      root = s_.getMinusSCEV(root, constant);
    }
  }
  const Extended found{root, further, each(steps), is_signed};
  if (!llvm::is_contained(extended_, found)) extended_.push_back(found);
  const llvm::SCEV* whole =
      is_signed ? s_.getSignExtendExpr(root, number_) : s_.getZeroExtendExpr(root, number_);
  start = s_.getAddExpr(whole, s_.getConstant(number_, static_cast<std::uint64_t>(further), true));
  return each(steps);
}

/// `start` and steps of a sum of 64 bits, if no part of it wraps that is extended.
std::optional<std::int64_t> RowLoop::step_of(const llvm::SCEV* sum, const llvm::SCEV*& start) {
  start = sum;
  if (s_.isLoopInvariant(sum, &loop_)) return 0;
  if (const auto* steps = steps_of(sum)) {
    start = steps->getStart();
    return each(*steps);
  }
  if (const auto* cast = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(sum);
      cast && !llvm::isa<llvm::SCEVTruncateExpr>(cast)) {
    const auto* steps = steps_of(cast->getOperand());
    if (!steps) return std::nullopt;
    return step_of_extended(*steps, llvm::isa<llvm::SCEVSignExtendExpr>(cast), start);
  }
  if (!llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(sum)) return std::nullopt;
  const bool is_product = llvm::isa<llvm::SCEVMulExpr>(sum);
  llvm::SmallVector<const llvm::SCEV*, 4> starts;
  std::int64_t step = is_product ? 1 : 0;
  bool varies = false;
  for (const llvm::SCEV* operand : sum->operands()) {
    const llvm::SCEV* first = nullptr;
    const auto found = step_of(operand, first);
    if (!found || (is_product && varies && *found != 0)) return std::nullopt;
    varies |= *found != 0;
    starts.push_back(first);
    if (!is_product) {
      step += *found;
      continue;
    }
    const auto* factor = llvm::dyn_cast<llvm::SCEVConstant>(operand);
    if (*found == 0 && (!factor || factor->getAPInt().getSignificantBits() > 17))
      return std::nullopt;
    step *= *found != 0 ? *found : factor->getAPInt().getSExtValue();
    if (std::abs(step) > longest_step * longest_step) return std::nullopt;
  }
  start = is_product ? s_.getMulExpr(starts) : s_.getAddExpr(starts);
  return step;
}

/// The loop goes on while a number that grows by equal steps has a relation to a bound.
bool RowLoop::find_counter() {
  auto* branch = llvm::cast<llvm::BranchInst>(loop_.getExitingBlock()->getTerminator());
  const auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!test || !test->getOperand(0)->getType()->isIntegerTy()) return false;
  stays_ = test->getPredicate();
  if (!loop_.contains(branch->getSuccessor(0)))
    stays_ = llvm::ICmpInst::getInversePredicate(stays_);
  const llvm::SCEV* counter = s_.getSCEV(test->getOperand(0));
  bound_ = s_.getSCEV(test->getOperand(1));
  if (s_.isLoopInvariant(counter, &loop_)) {
    std::swap(counter, bound_);
    stays_ = llvm::ICmpInst::getSwappedPredicate(stays_);
  }
  counter_ = steps_of(counter);
  if (!counter_ || !s_.isLoopInvariant(bound_, &loop_) || !expander_.isSafeToExpand(bound_) ||
      bound_->getType()->getIntegerBitWidth() > 64)
    return false;
  const std::int64_t step = each(*counter_);
  if (stays_ == llvm::ICmpInst::ICMP_NE) return step != 0;
  return step != 0 && stays_ != llvm::ICmpInst::ICMP_EQ &&
         (step > 0) == (llvm::ICmpInst::isLT(stays_) || llvm::ICmpInst::isLE(stays_));
}

bool RowLoop::find_accesses() {
  unsigned number = 0;
  for (llvm::BasicBlock* block : loop_.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      ++number;
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer) continue;
      llvm::Type* type = llvm::getLoadStoreType(&instruction);
      Access access{&instruction};
      access.number = number;
      access.bytes = static_cast<std::int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
      const auto step = step_of(address_of(pointer), access.start);
      if (!step || std::abs(*step) > longest_step || !is_element(*type, access) ||
          !expander_.isSafeToExpand(access.start))
        return false;
      access.step = *step;
      if (llvm::isa<llvm::StoreInst>(instruction))
        stores_.push_back(access);
      else
        loads_.push_back(access);
    }
  }
  return !stores_.empty() &&
         llvm::all_of(stores_, [](const Access& store) { return store.step != 0; });
}

/// How far it is from one to the other, if that is known.
std::optional<std::int64_t> RowLoop::distance(const llvm::SCEV* from, const llvm::SCEV* to) {
  const auto* found = llvm::dyn_cast<llvm::SCEVConstant>(s_.getMinusSCEV(to, from));
  if (!found || found->getAPInt().getSignificantBits() > 32) return std::nullopt;
  return found->getAPInt().getSExtValue();
}

const RowLoop::Access* RowLoop::access_of(const llvm::Value* load) const {
  const auto found =
      llvm::find_if(loads_, [&](const Access& one) { return one.instruction == load; });
  return found == loads_.end() ? nullptr : &*found;
}

bool RowLoop::is_copy(const Access& first, const Access& other, std::int64_t number) {
  if (llvm::getLoadStoreType(first.instruction) != llvm::getLoadStoreType(other.instruction) ||
      first.step != other.step || first.step % copies_ != 0)
    return false;
  return distance(first.start, other.start) == number * (first.step / copies_);
}

bool RowLoop::find_copies() {
  const auto all = static_cast<std::int64_t>(stores_.size());
  for (copies_ = all; copies_ != 0; --copies_) {
    copy_of_.clear();
    steps_.clear();
    if (all % copies_ == 0 && are_copies(all / copies_)) return true;
  }
  return false;
}

bool RowLoop::are_copies(std::int64_t each) {
  for (std::int64_t first = 0; first < each; ++first) {
    std::vector<llvm::Value*> values;
    for (std::int64_t copy = 0; copy < copies_; ++copy) {
      const Access& store = stores_[static_cast<std::size_t>(first + copy * each)];
      if (!is_copy(stores_[static_cast<std::size_t>(first)], store, copy)) return false;
      number_of_copy_[store.instruction] = copy;
      values.push_back(llvm::cast<llvm::StoreInst>(store.instruction)->getValueOperand());
    }
    if (!is_same_operation(values)) return false;
  }
  return true;
}

/// Whether `values`, one of each copy, are numbers that grow by equal steps from copy to copy and
/// from trip to trip.
bool RowLoop::are_steps(llvm::ArrayRef<llvm::Value*> values) {
  llvm::Type* type = values.front()->getType();
  if (!type->isIntegerTy() || !s_.isSCEVable(type)) return false;
  const auto* first = steps_of(s_.getSCEV(values.front()));
  if (!first || each(*first) % copies_ != 0) return false;
  const std::int64_t step = each(*first) / copies_;
  for (std::size_t copy = 1; copy < values.size(); ++copy) {
    if (distance(first, s_.getSCEV(values[copy])) != static_cast<std::int64_t>(copy) * step)
      return false;
  }
  steps_[values.front()] = {first->getStart(), step};
  return true;
}

bool RowLoop::is_same_operation(std::vector<llvm::Value*> values) {
  for (llvm::Value*& value : values) value = behind_copies(value);
  llvm::Value* const first = values.front();
  if (!has(first)) return llvm::all_equal(values);
  if (const auto known = copy_of_.find(first); known != copy_of_.end())
    return known->second == values;
  auto* instruction = llvm::cast<llvm::Instruction>(first);
  if (const Access* load = access_of(first)) {
    for (std::size_t copy = 0; copy < values.size(); ++copy) {
      const Access* other = access_of(values[copy]);
      if (!other || !is_copy(*load, *other, static_cast<std::int64_t>(copy))) return false;
      if (load->step != 0) number_of_copy_[other->instruction] = static_cast<std::int64_t>(copy);
    }
    copy_of_[first] = std::move(values);
    return true;
  }
  if (are_steps(values)) {
    copy_of_[first] = std::move(values);
    return true;
  }
  if (!has_vector_form(*instruction)) return false;
  for (llvm::Value* value : values) {
    const auto* other = llvm::dyn_cast<llvm::Instruction>(value);
    if (!other || !has(other) || !instruction->isSameOperationAs(other)) return false;
    if (llvm::isa<llvm::FPMathOperator>(instruction) &&
        instruction->getFastMathFlags() != other->getFastMathFlags())
      return false;
  }
  copy_of_[first] = values;
  for (unsigned i = 0; i < instruction->getNumOperands(); ++i) {
    if (llvm::isa<llvm::Function>(instruction->getOperand(i))) continue;
    std::vector<llvm::Value*> operands;
    operands.reserve(values.size());
    for (llvm::Value* value : values)
      operands.push_back(llvm::cast<llvm::Instruction>(value)->getOperand(i));
    if (!is_same_operation(std::move(operands))) return false;
  }
  return true;
}

/// Copies of one trip come one after the other in the new loop. Where two accesses of a trip, one
/// at least a store, change their order by that, they must not meet. Those of places that are not
/// known to be so far apart never do: that is asked.
bool RowLoop::find_order() {
  for (const Access& store : stores_) {
    for (const std::vector<Access>* others : {&loads_, &stores_}) {
      for (const Access& other : *others) {
        if (other.step != store.step || !changes_order(store, other)) continue;
        const auto known = distance(store.start, other.start);
        if (known && *known < store.bytes && *known > -other.bytes) return false;
      }
    }
  }
  return true;
}

bool RowLoop::changes_order(const Access& store, const Access& other) const {
  const auto written = number_of_copy_.find(store.instruction);
  const auto found = number_of_copy_.find(other.instruction);
  if (found == number_of_copy_.end()) return false;
  return written->second != found->second &&
         (written->second < found->second) != (store.number < other.number);
}

}  // namespace pycuda::cpu::simt
