// SPDX-License-Identifier: MIT
// The second loop of a row's function, and what is asked before it.
#include "cpu/simt/per_lane/rolled_loop.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/per_lane/row_loop.h"

namespace pycuda::cpu::simt {
namespace {

class Roller : public RowLoop {
 public:
  Roller(llvm::Function& function, std::uint64_t vector_bytes)
      : RowLoop(function),
        function_(function),
        b_(function.getContext()),
        vector_bytes_(static_cast<std::int64_t>(vector_bytes)) {}

  RolledLoop run() {
    const llvm::StringRef obstacle = find();
    if (obstacle.empty()) write();
    return {obstacle, main_};
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

  /// Accesses that are known to lie so far apart, in all trips, have one pointer: the vectoriser
  /// knows that too.
  struct Place {
    const llvm::SCEV* start;
    std::int64_t step, first = 0, end = 0;  ///< of the bytes that a trip accesses, behind `start`
    bool is_stored = false;
    llvm::Value* pointer = nullptr;
    llvm::MDNode* scope = nullptr;
    std::vector<const Access*> accesses = {};
  };

  void find_places() {
    for (const std::vector<Access>* all : {&loads_, &stores_}) {
      for (const Access& access : *all) {
        Place* place = nullptr;
        std::int64_t further = 0;
        for (Place& known : places_) {
          const auto found = distance(known.start, access.start);
          if (!found || known.step != access.step) continue;
          place = &known;
          further = *found;
        }
        if (!place) place = &places_.emplace_back(Place{access.start, access.step});
        place->first = std::min(place->first, further);
        place->end = std::max(place->end, further + access.bytes);
        place->is_stored |= all == &stores_;
        place->accesses.push_back(&access);
        further_[access.instruction] = further;
      }
    }
  }

  /// What a place has in all trips must not be what another one stores. Only then is a scope for
  /// aliases true, and only in one run of the loop.
  void keep_apart(llvm::Value* trips) {
    llvm::MDBuilder scopes(function_.getContext());
    llvm::MDNode* domain = scopes.createAnonymousAliasScopeDomain("row");
    std::vector<std::pair<llvm::Value*, llvm::Value*>> bytes;
    for (Place& place : places_) {
      llvm::Value* const start = expand(place.start);
      llvm::Value* const last = b_.CreateAdd(start, b_.CreateMul(trips, number(place.step)));
      bytes.emplace_back(b_.CreateAdd(place.step < 0 ? last : start, number(place.first)),
                         b_.CreateAdd(place.step < 0 ? start : last, number(place.end)));
      place.pointer = b_.CreateIntToPtr(start, b_.getPtrTy());
      place.scope = scopes.createAnonymousAliasScope(domain, "place");
      for (const Access* access : place.accesses)
        starts_[access->instruction] =
            b_.CreateConstGEP1_64(b_.getInt8Ty(), place.pointer,
                                  static_cast<std::uint64_t>(further_.lookup(access->instruction)));
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (std::size_t other = 0; other < i; ++other) {
        if (!places_[i].is_stored && !places_[other].is_stored) continue;
        need(b_.CreateOr(b_.CreateICmpULE(bytes[i].second, bytes[other].first),
                         b_.CreateICmpULE(bytes[other].second, bytes[i].first)));
      }
    }
  }

  void mark_apart(llvm::Instruction& copy, const Access& access) {
    llvm::SmallVector<llvm::Metadata*, 4> own, others;
    for (const Place& place : places_)
      (llvm::is_contained(place.accesses, &access) ? own : others).push_back(place.scope);
    const auto add = [&](unsigned kind, llvm::ArrayRef<llvm::Metadata*> scopes) {
      copy.setMetadata(
          kind, llvm::MDNode::concatenate(copy.getMetadata(kind),
                                          llvm::MDNode::get(function_.getContext(), scopes)));
    };
    add(llvm::LLVMContext::MD_alias_scope, own);
    if (!others.empty()) add(llvm::LLVMContext::MD_noalias, others);
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
    find_places();
    keep_apart(trips);
    for (auto& [value, step] : steps_) starts_[value] = expand(step.start);
    llvm::Value* const elements = b_.CreateMul(b_.CreateAdd(trips, number(1)), number(copies_));
    llvm::BasicBlock* before = block("one.by.one");
    llvm::BranchInst::Create(loop_.getHeader(), before);
    loop_.getHeader()->replacePhiUsesWith(&entry, before);
    llvm::BasicBlock* apart = block("apart");
    b_.CreateCondBr(holds_, apart, before,
                    llvm::MDBuilder(function_.getContext()).createLikelyBranchWeights());
    end->eraseFromParent();
    b_.SetInsertPoint(apart);
    write_loops(elements);
    b_.CreateRetVoid();
  }

  llvm::BasicBlock* block(const llvm::Twine& label) {
    return llvm::BasicBlock::Create(function_.getContext(), label, &function_);
  }

  /// Whole vectors, then a vector of each half as many elements: the rest of a short row is much of
  /// it. What is left then is less than the shortest of these.
  void write_loops(llvm::Value* elements) {
    constexpr std::int64_t shortest = 4;
    std::int64_t widest = 1;
    for (const std::vector<Access>* all : {&loads_, &stores_}) {
      for (const Access& access : *all) widest = std::max(widest, access.bytes);
    }
    const std::int64_t lanes = vector_bytes_ / widest;
    const std::int64_t least = copies_ & -copies_;
    llvm::Value* done = b_.CreateAnd(elements, number(-lanes));
    main_ = write_loop(number(0), done, 0);
    std::int64_t left = lanes;
    while (left > std::max(shortest, least)) {
      left /= 2;
      llvm::Value* some = b_.CreateAnd(elements, number(left));
      write_loop(done, b_.CreateSelect(b_.CreateICmpNE(some, number(0)), number(left), number(0)),
                 left);
      done = b_.CreateAdd(done, some);
    }
    if (left > least) write_loop(done, b_.CreateAnd(elements, number(left - 1)), 1);
  }

  /// So many elements from `from` on, none or in vectors of `lanes`; 0: of as many as pays.
  llvm::BasicBlock* write_loop(llvm::Value* from, llvm::Value* count, std::int64_t lanes) {
    llvm::BasicBlock* const before = b_.GetInsertBlock();
    llvm::BasicBlock* const loop = block("rolled");
    llvm::BasicBlock* const behind = block("behind");
    b_.CreateCondBr(b_.CreateICmpNE(count, number(0)), loop, behind);
    b_.SetInsertPoint(loop);
    elements_.clear();
    llvm::PHINode* trip = b_.CreatePHI(number_, 2, "trip");
    trip->addIncoming(number(0), before);
    at_ = b_.CreateNSWAdd(from, trip);
    const std::size_t stores = stores_.size() / static_cast<std::size_t>(copies_);
    std::vector<const Access*> first;
    first.reserve(stores);
    for (std::size_t i = 0; i < stores; ++i) first.push_back(&stores_[i]);
    for (const Access& load : loads_) {
      if (copy_of_.contains(load.instruction)) first.push_back(&load);
    }
    llvm::sort(first, [](const Access* a, const Access* b) { return a->number < b->number; });
    for (const Access* access : first) write_access(*access);
    llvm::Value* next = b_.CreateNUWAdd(trip, number(1));
    trip->addIncoming(next, loop);
    llvm::Value* const all = lanes > 1 ? number(lanes) : count;
    llvm::BranchInst* branch = b_.CreateCondBr(b_.CreateICmpULT(next, all), loop, behind);
    mark_loop(*branch, lanes);
    b_.SetInsertPoint(behind);
    return loop;
  }

  void mark_loop(llvm::BranchInst& branch, std::int64_t lanes) {
    llvm::LLVMContext& context = function_.getContext();
    const auto option = [&](const char* name, llvm::ConstantInt* value) {
      return llvm::MDNode::get(
          context, {llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(value)});
    };
    llvm::SmallVector<llvm::Metadata*, 4> options{nullptr};
    if (lanes != 0) options.push_back(option("llvm.loop.vectorize.enable", b_.getInt1(lanes != 1)));
    if (lanes > 1)
      options.push_back(
          option("llvm.loop.vectorize.width", b_.getInt32(static_cast<unsigned>(lanes))));
    options.push_back(option("llvm.loop.interleave.count", b_.getInt32(1)));
    llvm::MDNode* all = llvm::MDNode::getDistinct(context, options);
    all->replaceOperandWith(0, all);
    branch.setMetadata(llvm::LLVMContext::MD_loop, all);
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
    mark_apart(*copy, access);
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
  std::vector<Place> places_;
  llvm::DenseMap<const llvm::Value*, std::int64_t> further_;
  const std::int64_t vector_bytes_;
  llvm::Value* at_ = nullptr;
  llvm::BasicBlock* main_ = nullptr;
};

}  // namespace

RolledLoop roll_loop(llvm::Function& function, std::uint64_t vector_bytes) {
  return Roller(function, vector_bytes).run();
}

}  // namespace pycuda::cpu::simt
