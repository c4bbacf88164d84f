// SPDX-License-Identifier: MIT
#include "cpu/simt/versioning/loop_ranges.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <cstdlib>

#include "cpu/simt/analysis/slice.h"

namespace pycuda::cpu::simt {
namespace {

/// So that products of the two, and sums of some, stay within 64 bits.
constexpr std::int64_t most_trips = std::int64_t{1} << 29, longest_step = std::int64_t{1} << 32;
constexpr std::int64_t longest_count = 1 << 16, furthest = 1 << 20;
/// Loops are unrolled so many times at most.
constexpr unsigned most_parts = 16;

std::optional<std::int64_t> constant(const llvm::SCEV* number) {
  const auto* found = llvm::dyn_cast<llvm::SCEVConstant>(number);
  if (!found || found->getAPInt().getSignificantBits() > 32) return std::nullopt;
  return found->getAPInt().getSExtValue();
}

}  // namespace

LoopRanges::LoopRanges(llvm::Loop& loop, Evolution& evolution, const llvm::DataLayout& layout)
    : loop_(loop),
      s_(*evolution.of),
      dominators_(evolution.dominators),
      number_(llvm::Type::getInt64Ty(loop.getHeader()->getContext())),
      expander_(s_, layout, "range"),
      b_(loop.getHeader()->getContext()) {}

const llvm::SCEV* LoopRanges::address_of(llvm::Value* pointer) {
  const llvm::SCEV* sum = s_.getZero(number_);
  for (;;) {
    pointer = behind_copies(pointer);
    auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (!step || step->getNumIndices() != 1 || !step->getSourceElementType()->isIntegerTy(8)) break;
    sum = s_.getAddExpr(sum, s_.getTruncateOrSignExtend(s_.getSCEV(step->getOperand(1)), number_));
    pointer = step->getPointerOperand();
  }
  if (auto* address = llvm::dyn_cast<llvm::IntToPtrInst>(pointer))
    return s_.getAddExpr(sum,
                         s_.getTruncateOrZeroExtend(s_.getSCEV(address->getOperand(0)), number_));
  return s_.getAddExpr(sum, s_.getPtrToIntExpr(s_.getSCEV(pointer), number_));
}

bool LoopRanges::is_fixed(const llvm::SCEV* number) {
  // The trip of another loop would become a counter of that loop.
  const auto counts = [&](const llvm::SCEV* part) {
    const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
    return steps && !steps->getLoop()->contains(&loop_);
  };
  return s_.isLoopInvariant(number, &loop_) && !llvm::SCEVExprContains(number, counts) &&
         expander_.isSafeToExpandAt(number, loop_.getLoopPreheader()->getTerminator());
}

std::optional<std::int64_t> LoopRanges::distance(const llvm::SCEV* from, const llvm::SCEV* to) {
  return constant(s_.getMinusSCEV(to, from));
}

/// A constant is added behind the extension, so that it is known how far accesses are apart.
std::optional<LoopRanges::Walk> LoopRanges::walk_of_cast(const llvm::SCEVIntegralCastExpr& cast) {
  const auto walk = walk_of(cast.getOperand());
  if (!walk || llvm::isa<llvm::SCEVTruncateExpr>(cast)) return std::nullopt;
  const bool is_signed = llvm::isa<llvm::SCEVSignExtendExpr>(cast);
  const llvm::SCEV* root = walk->start;
  std::int64_t further = 0;
  if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(root)) {
    if (const auto known = constant(sum->getOperand(0))) {
      further = *known;
      root = s_.getMinusSCEV(root, sum->getOperand(0));
    }
  }
  if (cast.getType() != number_ || !is_fixed(root) || !is_fixed(walk->step)) return std::nullopt;
  const llvm::SCEV* step = s_.getSignExtendExpr(walk->step, number_);
  const Extended found{root, step, further, is_signed};
  if (!llvm::is_contained(extended_, found)) extended_.push_back(found);
  const llvm::SCEV* whole =
      is_signed ? s_.getSignExtendExpr(root, number_) : s_.getZeroExtendExpr(root, number_);
  return Walk{
      s_.getAddExpr(whole, s_.getConstant(number_, static_cast<std::uint64_t>(further), true)),
      step};
}

/// A number's start and its step, if no part of it wraps that is extended.
std::optional<LoopRanges::Walk> LoopRanges::walk_of(const llvm::SCEV* number) {
  if (s_.isLoopInvariant(number, &loop_)) return Walk{number, s_.getZero(number->getType())};
  if (const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(number)) {
    if (!steps->isAffine() || steps->getLoop() != &loop_) return std::nullopt;
    return Walk{steps->getStart(), steps->getStepRecurrence(s_)};
  }
  if (const auto* cast = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(number))
    return walk_of_cast(*cast);
  if (!llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(number)) return std::nullopt;
  const bool is_product = llvm::isa<llvm::SCEVMulExpr>(number);
  llvm::SmallVector<const llvm::SCEV*, 4> starts, steps;
  bool varies = false;
  for (const llvm::SCEV* operand : number->operands()) {
    const auto walk = walk_of(operand);
    if (!walk) return std::nullopt;
    starts.push_back(walk->start);
    const bool moves = !walk->step->isZero();
    if (is_product && varies && moves) return std::nullopt;
    varies |= moves;
    steps.push_back(is_product && !moves ? walk->start : walk->step);
  }
  if (!is_product) return Walk{s_.getAddExpr(starts), s_.getAddExpr(steps)};
  return Walk{s_.getMulExpr(starts), s_.getMulExpr(steps)};
}

std::optional<Range> LoopRanges::range_of(const llvm::SCEV* address, std::int64_t bytes) {
  const auto walk = walk_of(address);
  if (!walk || !is_fixed(walk->start) || !is_fixed(walk->step)) return std::nullopt;
  if (llvm::isa<llvm::SCEVConstant>(walk->step) && !constant(walk->step)) return std::nullopt;
  return Range{walk->start, walk->step, 0, bytes};
}

bool LoopRanges::join(Range& range, const Range& other) {
  if (range.step != other.step) return false;
  const llvm::SCEV* way = s_.getMinusSCEV(other.start, range.start);
  if (const auto known = constant(way)) {
    if (std::abs(*known) > furthest) return false;
    range.low = std::min(range.low, *known + other.low);
    range.high = std::max(range.high, *known + other.high);
    return true;
  }
  if (llvm::isa<llvm::SCEVConstant>(range.step)) return false;
  // A compiler that unrolled the loop left accesses that are equal parts of a step apart.
  const llvm::SCEV* all = s_.getMulExpr(way, s_.getConstant(number_, most_parts));
  for (unsigned parts = 1; parts < most_parts; ++parts) {
    if (all != s_.getMulExpr(range.step, s_.getConstant(number_, parts))) continue;
    if (parts > range.parts) {
      range.parts = parts;
      range.extra = way;
    }
    range.low = std::min(range.low, other.low);
    range.high = std::max(range.high, other.high);
    return true;
  }
  return false;
}

bool LoopRanges::is_counted() {
  if (counter_) return true;
  llvm::SmallVector<llvm::BasicBlock*, 4> all;
  loop_.getExitingBlocks(all);
  return llvm::any_of(all, [&](const llvm::BasicBlock* leaving) {
    return dominators_.dominates(leaving, loop_.getLoopLatch()) && finds_counter(*leaving);
  });
}

bool LoopRanges::finds_counter(const llvm::BasicBlock& leaving) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(leaving.getTerminator());
  if (!branch || branch->isUnconditional()) return false;
  const auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!test || !test->getOperand(0)->getType()->isIntegerTy()) return false;
  llvm::ICmpInst::Predicate stays = test->getPredicate();
  if (!loop_.contains(branch->getSuccessor(0))) stays = llvm::ICmpInst::getInversePredicate(stays);
  const llvm::SCEV* counter = s_.getSCEV(test->getOperand(0));
  const llvm::SCEV* bound = s_.getSCEV(test->getOperand(1));
  if (s_.isLoopInvariant(counter, &loop_)) {
    std::swap(counter, bound);
    stays = llvm::ICmpInst::getSwappedPredicate(stays);
  }
  const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(counter);
  if (!steps || !steps->isAffine() || steps->getLoop() != &loop_ || !is_fixed(steps->getStart()) ||
      !is_fixed(bound) || bound->getType()->getIntegerBitWidth() > 64)
    return false;
  const auto each = constant(steps->getStepRecurrence(s_));
  if (!each || *each == 0 || std::abs(*each) > longest_count) return false;
  const bool up = llvm::ICmpInst::isLT(stays) || llvm::ICmpInst::isLE(stays);
  if (stays != llvm::ICmpInst::ICMP_NE && (stays == llvm::ICmpInst::ICMP_EQ || (*each > 0) != up))
    return false;
  counter_ = steps->getStart();
  bound_ = bound;
  each_ = *each;
  stays_ = stays;
  return true;
}

void LoopRanges::write_before(llvm::Instruction* place) {
  b_.SetInsertPoint(place);
  b_.SetCurrentDebugLocation(place->getDebugLoc());
  // Numbers that count in loops around would get counters of their own.
  for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
    llvm::Value* first = phi.getIncomingValueForBlock(loop_.getLoopPreheader());
    if (s_.isSCEVable(first->getType())) note_value(s_.getSCEV(first), first);
  }
}

llvm::Value* LoopRanges::write(const llvm::SCEV* number, llvm::Type* type) {
  llvm::Value* known = known_.lookup(number);
  return known && known->getType() == type
             ? known
             : expander_.expandCodeFor(number, type, b_.GetInsertPoint());
}

void LoopRanges::need(llvm::Value* holds) { holds_ = holds_ ? b_.CreateAnd(holds_, holds) : holds; }

/// In 64 bits, with bits to spare for sums.
llvm::Value* LoopRanges::wide(const llvm::SCEV* number, bool is_signed) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  llvm::Value* value = write(number, number->getType());
  if (number->getType()->getIntegerBitWidth() < 64)
    return is_signed ? b_.CreateSExt(value, number_) : b_.CreateZExt(value, number_);
  need(is_signed ? b_.CreateICmpULT(b_.CreateAdd(value, this->number(most)), this->number(2 * most))
                 : b_.CreateICmpULT(value, this->number(most)));
  return value;
}

/// Neither a number nor what becomes of it by `change` may wrap in so many bits.
void LoopRanges::need_room(llvm::Value* first, llvm::Value* change, unsigned bits, bool is_signed) {
  const auto least =
      is_signed ? llvm::APInt::getSignedMinValue(bits).sext(64) : llvm::APInt::getZero(64);
  const auto most = is_signed ? llvm::APInt::getSignedMaxValue(bits).sext(64)
                              : llvm::APInt::getMaxValue(bits).zext(64);
  llvm::Value* const size = b_.getInt(most - least);
  llvm::Value* const from = b_.CreateSub(first, b_.getInt(least));
  need(b_.CreateICmpULE(from, size));
  need(b_.CreateICmpULE(b_.CreateAdd(from, change), size));
}

/// How many trips there are behind the first one. The counter must get to its bound before it
/// wraps.
llvm::Value* LoopRanges::count_trips() {
  const bool is_signed = !llvm::ICmpInst::isUnsigned(stays_);
  llvm::Value* const step = number(std::abs(each_));
  llvm::Value* const first = wide(counter_, is_signed);
  llvm::Value* const bound = wide(bound_, is_signed);
  llvm::Value* way = each_ > 0 ? b_.CreateSub(bound, first) : b_.CreateSub(first, bound);
  const unsigned bits = bound_->getType()->getIntegerBitWidth();
  if (stays_ == llvm::ICmpInst::ICMP_NE) {
    need(b_.CreateICmpSGE(way, number(0)));
    need(b_.CreateICmpEQ(b_.CreateURem(way, step), number(0)));
    return b_.CreateUDiv(way, step);
  }
  // Beyond the bound the counter is one step from it, at most.
  if (bits < 64) need_room(bound, number(each_), bits, is_signed);
  if (llvm::ICmpInst::isNonStrictPredicate(stays_)) way = b_.CreateAdd(way, number(1));
  way = b_.CreateSelect(b_.CreateICmpSGT(way, number(0)), way, number(0));
  return b_.CreateUDiv(b_.CreateAdd(way, b_.CreateSub(step, number(1))), step);
}

llvm::Value* LoopRanges::trips() {
  if (trips_) return trips_;
  trips_ = count_trips();
  need(b_.CreateICmpULT(trips_, number(most_trips)));
  for (const Extended& one : extended_) {
    const unsigned bits = one.root->getType()->getIntegerBitWidth();
    need_room(b_.CreateAdd(wide(one.root, one.is_signed), number(one.further)),
              b_.CreateMul(write(one.step, number_), trips_), bits, one.is_signed);
  }
  return trips_;
}

llvm::Value* LoopRanges::span_of(const Range& range) {
  llvm::Value*& span = spans_[range.step];
  if (!span) {
    llvm::Value* const step = write(range.step, number_);
    if (!llvm::isa<llvm::ConstantInt>(step))
      need(b_.CreateICmpULT(b_.CreateAdd(step, number(longest_step)), number(2 * longest_step)));
    span = b_.CreateMul(trips(), step);
  }
  return range.extra ? b_.CreateAdd(span, write(range.extra, number_)) : span;
}

void LoopRanges::need_apart(const llvm::SCEV* address, std::int64_t bytes, const Range& range) {
  llvm::Value* low = write(range.start, number_);
  llvm::Value* length = number(0);
  if (!range.step->isZero()) {
    llvm::Value* const span = span_of(range);
    llvm::Value* const back = b_.CreateICmpSLT(span, number(0));
    low = b_.CreateAdd(low, b_.CreateSelect(back, span, number(0)));
    length = b_.CreateSelect(back, b_.CreateNeg(span), span);
  }
  // Modulo 2^64, as addresses are.
  llvm::Value* const end = b_.CreateAdd(write(address, number_), number(bytes - 1 - range.low));
  need(b_.CreateICmpUGE(b_.CreateSub(end, low),
                        b_.CreateAdd(length, number(range.high - range.low + bytes - 1))));
}

llvm::Value* LoopRanges::condition() { return holds_; }

}  // namespace pycuda::cpu::simt
