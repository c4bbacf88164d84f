// SPDX-License-Identifier: MIT
// The second loop of a row's function, and what is asked before it.
#include "cpu/simt/per_lane/rolled_loop.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/per_lane/row_loop.h"

namespace pycuda::cpu::simt {
namespace {

class Roller : public RowLoop {
 public:
  explicit Roller(llvm::Function& function)
      : RowLoop(function), function_(function), b_(function.getContext()) {}

  llvm::StringRef run() {
    const llvm::StringRef obstacle = find();
    if (obstacle.empty()) write();
    return obstacle;
  }

 private:
  void need(llvm::Value* condition) { holds_ = b_.CreateAnd(holds_, condition); }
  /// In 64 bits, with a bit to spare for sums.
  llvm::Value* wide(const llvm::SCEV* sum, bool is_signed) {
    constexpr std::int64_t most = std::int64_t{1} << 61;
    llvm::Value* value = expand(sum);
    if (sum->getType()->getIntegerBitWidth() < 64)
      return is_signed ? b_.CreateSExt(value, number_) : b_.CreateZExt(value, number_);
    need(b_.CreateICmpULT(b_.CreateAdd(value, number(most)), number(2 * most)));
    return value;
  }

  /// Neither the first nor the last trip's number may wrap.
  void need_room(llvm::Value* first, std::int64_t step, llvm::Value* trips, unsigned bits,
                 bool is_signed) {
    llvm::Value* last = b_.CreateAdd(first, b_.CreateMul(trips, number(step)));
    const auto least =
        is_signed ? llvm::APInt::getSignedMinValue(bits).sext(64) : llvm::APInt::getZero(64);
    const auto most = is_signed ? llvm::APInt::getSignedMaxValue(bits).sext(64)
                                : llvm::APInt::getMaxValue(bits).zext(64);
    llvm::Value* const low = step > 0 ? first : last;
    llvm::Value* const high = step > 0 ? last : first;
    need(b_.CreateICmpSGE(low, b_.getInt(least)));
    need(b_.CreateICmpSLE(high, b_.getInt(most)));
  }

  void need_disjoint(const Access& fixed, const Access& store, llvm::Value* trips) {
    llvm::Value* const place = expand(fixed.start);
    llvm::Value* const first = expand(store.start);
    llvm::Value* const last = b_.CreateAdd(first, b_.CreateMul(trips, number(store.step)));
    llvm::Value* const low = store.step > 0 ? first : last;
    llvm::Value* const high = store.step > 0 ? last : first;
    need(b_.CreateOr(b_.CreateICmpULE(b_.CreateAdd(place, number(fixed.bytes)), low),
                     b_.CreateICmpULE(b_.CreateAdd(high, number(store.bytes)), place)));
  }

  /// How many trips there are behind the first one. The counter must get to its bound before it
  /// wraps.
  llvm::Value* count_trips() {
    constexpr std::int64_t most_trips = std::int64_t{1} << 40;
    const bool is_signed = !llvm::ICmpInst::isUnsigned(stays_);
    const bool up = each(*counter_) > 0;
    llvm::Value* const step = number(std::abs(each(*counter_)));
    llvm::Value* const first = wide(counter_->getStart(), is_signed);
    llvm::Value* const bound = wide(bound_, is_signed);
    llvm::Value* way = up ? b_.CreateSub(bound, first) : b_.CreateSub(first, bound);
    llvm::Value* trips = nullptr;
    const unsigned bits = bound_->getType()->getIntegerBitWidth();
    if (stays_ == llvm::ICmpInst::ICMP_NE) {
      need(b_.CreateICmpSGE(way, number(0)));
      need(b_.CreateICmpEQ(b_.CreateURem(way, step), number(0)));
      trips = b_.CreateUDiv(way, step);
    } else {
      // Beyond the bound the counter is one step from it, at most.
      if (bits < 64) need_room(bound, each(*counter_), number(1), bits, is_signed);
      if (llvm::ICmpInst::isNonStrictPredicate(stays_)) way = b_.CreateAdd(way, number(1));
      way = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, way, number(0));
      trips = b_.CreateUDiv(b_.CreateAdd(way, b_.CreateSub(step, number(1))), step);
    }
    need(b_.CreateICmpULT(trips, number(most_trips)));
    return trips;
  }

  llvm::Value* expand(const llvm::SCEV* sum) {
    return expander_.expandCodeFor(sum, sum->getType(), b_.GetInsertPoint());
  }

  /// Places that are known to lie so far apart have one pointer, by which the vectoriser knows that
  /// too.
  llvm::Value* place_of(const Access& access) {
    for (const auto& [start, pointer] : places_) {
      if (const auto further = distance(start, access.start))
        return b_.CreateConstGEP1_64(b_.getInt8Ty(), pointer, static_cast<std::uint64_t>(*further));
    }
    llvm::Value* pointer = b_.CreateIntToPtr(expand(access.start), b_.getPtrTy());
    places_.emplace_back(access.start, pointer);
    return pointer;
  }

  void write() {
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::Instruction* end = entry.getTerminator();
    b_.SetInsertPoint(end);
    holds_ = b_.getTrue();
    llvm::Value* const trips = count_trips();
    for (const Extended& one : extended_)
      need_room(b_.CreateAdd(wide(one.root, one.is_signed), number(one.further)), one.step, trips,
                one.root->getType()->getIntegerBitWidth(), one.is_signed);
    for (const std::vector<Access>* all : {&loads_, &stores_}) {
      for (const Access& access : *all) starts_[access.instruction] = place_of(access);
    }
    for (auto& [value, step] : steps_) starts_[value] = expand(step.start);
    for (const Apart& one : apart_)
      need(b_.CreateICmpUGE(b_.CreateAdd(expand(one.between), number(one.other_bytes - 1)),
                            number(one.bytes + one.other_bytes - 1)));
    for (const auto& [load, store] : fixed_) need_disjoint(*load, *store, trips);
    llvm::Value* const elements = b_.CreateMul(b_.CreateAdd(trips, number(1)), number(copies_));
    llvm::LLVMContext& context = function_.getContext();
    auto* before = llvm::BasicBlock::Create(context, "one.by.one", &function_, loop_.getHeader());
    llvm::BranchInst::Create(loop_.getHeader(), before);
    loop_.getHeader()->replacePhiUsesWith(&entry, before);
    auto* rolled = llvm::BasicBlock::Create(context, "rolled", &function_);
    auto* done = llvm::BasicBlock::Create(context, "done", &function_);
    llvm::ReturnInst::Create(context, done);
    b_.CreateCondBr(holds_, rolled, before, llvm::MDBuilder(context).createLikelyBranchWeights());
    end->eraseFromParent();
    write_loop(entry, *rolled, *done, elements);
  }

  void write_loop(llvm::BasicBlock& entry, llvm::BasicBlock& rolled, llvm::BasicBlock& done,
                  llvm::Value* elements) {
    b_.SetInsertPoint(&rolled);
    at_ = b_.CreatePHI(number_, 2, "at");
    at_->addIncoming(number(0), &entry);
    const auto each = stores_.size() / static_cast<std::size_t>(copies_);
    // Loads and stores as they come, of the first copy alone.
    std::vector<const Access*> first;
    for (std::size_t i = 0; i < each; ++i) first.push_back(&stores_[i]);
    for (const Access& load : loads_) {
      if (copy_of_.contains(load.instruction)) first.push_back(&load);
    }
    llvm::sort(first, [](const Access* a, const Access* b) { return a->number < b->number; });
    for (const Access* access : first) write_access(*access);
    llvm::Value* next = b_.CreateNUWAdd(at_, number(1));
    at_->addIncoming(next, &rolled);
    b_.CreateCondBr(b_.CreateICmpULT(next, elements), &rolled, &done);
  }

  /// An element that is accessed does not lie behind the end of all addresses, nor do those
  /// before it.
  void write_access(const Access& access) {
    llvm::Instruction* copy = access.instruction->clone();
    llvm::Value* place = starts_[access.instruction];
    if (access.step != 0)
      place = b_.CreateInBoundsGEP(b_.getInt8Ty(), place,
                                   b_.CreateNSWMul(at_, number(access.step / copies_)));
    const bool stores = llvm::isa<llvm::StoreInst>(copy);
    copy->setOperand(stores ? 1 : 0, place);
    if (stores) copy->setOperand(0, element(copy->getOperand(0)));
    b_.Insert(copy);
    if (!stores) elements_[access.instruction] = copy;
  }

  llvm::Value* element(llvm::Value* value) {
    value = behind_copies(value);
    if (!has(value)) return value;
    if (llvm::Value* known = elements_.lookup(value)) return known;
    if (const auto step = steps_.find(value); step != steps_.end()) {
      llvm::Type* type = value->getType();
      llvm::Value* by = llvm::ConstantInt::getSigned(type, step->second.each);
      return elements_[value] =
                 b_.CreateAdd(starts_[value], b_.CreateMul(b_.CreateZExtOrTrunc(at_, type), by));
    }
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(element(operand.get()));
    copy->dropPoisonGeneratingAnnotations();
    return elements_[value] = b_.Insert(copy);
  }

  llvm::ConstantInt* number(std::int64_t value) {
    return b_.getInt64(static_cast<std::uint64_t>(value));
  }

  llvm::Function& function_;
  llvm::IRBuilder<> b_;
  llvm::Value* holds_ = nullptr;
  llvm::DenseMap<llvm::Value*, llvm::Value*> starts_, elements_;
  std::vector<std::pair<const llvm::SCEV*, llvm::Value*>> places_;
  llvm::PHINode* at_ = nullptr;
};

}  // namespace

llvm::StringRef roll_loop(llvm::Function& function) { return Roller(function).run(); }

}  // namespace pycuda::cpu::simt
