// SPDX-License-Identifier: MIT
// The functions for rows: what they ask, their vectors, and the loop as it was.
#include "cpu/simt/per_lane/inner_loop_vectors.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/simt/analysis/inner_loop.h"
#include "cpu/simt/per_lane/lane_functions.h"

namespace pycuda::cpu::simt {
namespace {

/// What a loop computes, as it is in the first trip.
class FirstTrip {
 public:
  /// `given` says what the loop's operands are where the code is written.
  FirstTrip(const RowLoop& row, llvm::IRBuilder<>& b, llvm::ValueToValueMapTy& given)
      : row_(row), b_(b), given_(given) {}

  llvm::Value* of(llvm::Value* value) {
    if (!row_.has(value)) {
      const auto found = given_.find(value);
      return found == given_.end() ? value : static_cast<llvm::Value*>(found->second);
    }
    if (llvm::Value* known = made_.lookup(value)) return known;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      llvm::Value* from = phi->getNumIncomingValues() == 1
                              ? phi->getIncomingValue(0)
                              : phi->getIncomingValueForBlock(row_.loop->getLoopPreheader());
      return made_[value] = of(from);
    }
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(of(operand.get()));
    if (!llvm::isa<llvm::CallInst>(copy)) copy->dropPoisonGeneratingAnnotations();
    return made_[value] = b_.Insert(copy);
  }

 private:
  const RowLoop& row_;
  llvm::IRBuilder<>& b_;
  llvm::ValueToValueMapTy& given_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> made_;
};

/// Writes the function for one loop.
class RowFunction {
 public:
  RowFunction(const RowLoop& row, unsigned lanes)
      : row_(row),
        lanes_(lanes),
        module_(*row.loop->getHeader()->getModule()),
        b_(module_.getContext()),
        first_(row, b_, map_) {}

  /// Null if what is read and written is known to overlap.
  llvm::Function* run();
  /// What the function's arguments are, in the caller.
  llvm::ArrayRef<llvm::Value*> arguments() const { return arguments_.getArrayRef(); }

 private:
  void find_arguments();
  bool ask();
  bool keep_apart(const RowStream& read, const RowStream& stored);
  bool is_read_first(const RowStream& read, const RowStream& stored, std::size_t behind) const;
  void need(llvm::Value* condition) { holds_ = b_.CreateAnd(holds_, condition); }
  void count_trips();
  void check_wrap(const RowStream& stream);
  void write_vectors();
  void write_elements(llvm::Value* from, unsigned lanes);
  llvm::Value* vector(llvm::Value* value);
  llvm::Value* load(const llvm::LoadInst& load);
  void copy_loop();

  llvm::BasicBlock* block(const llvm::Twine& label) {
    return llvm::BasicBlock::Create(module_.getContext(), label, function_);
  }
  llvm::Value* first(llvm::Value* value) { return first_.of(value); }
  llvm::Value* start_of(const RowStream& stream) {
    return first(llvm::getLoadStorePointerOperand(stream.accesses.front()));
  }
  llvm::Value* number_of(const RowStream& stream) {
    return b_.CreatePtrToInt(start_of(stream), b_.getInt64Ty());
  }
  llvm::Value* bytes_of(const RowStream& stream) {
    if (stream.is_fixed()) return b_.getInt64(static_cast<std::uint64_t>(stream.bytes));
    return b_.CreateMul(elements_, b_.getInt64(static_cast<std::uint64_t>(stream.bytes)));
  }
  llvm::Value* are_disjoint(const RowStream& one, const RowStream& other) {
    llvm::Value* start = number_of(one);
    llvm::Value* other_start = number_of(other);
    return b_.CreateOr(b_.CreateICmpULE(b_.CreateAdd(start, bytes_of(one)), other_start),
                       b_.CreateICmpULE(b_.CreateAdd(other_start, bytes_of(other)), start));
  }

  const RowLoop& row_;
  const unsigned lanes_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  llvm::SmallSetVector<llvm::Value*, 8> arguments_;
  llvm::ValueToValueMapTy map_;  ///< from the caller's values to arguments
  FirstTrip first_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> fixed_, vectors_;
  llvm::Value *holds_ = nullptr, *elements_ = nullptr;
  /// Of the elements that are being written.
  llvm::Value* from_ = nullptr;
  unsigned width_ = 0;
};

void RowFunction::find_arguments() {
  for (const llvm::BasicBlock* block : row_.blocks) {
    for (const llvm::Instruction& instruction : *block) {
      if (row_.is_beside(instruction)) continue;
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
      for (const llvm::Use& use : instruction.operands()) {
        if (phi && row_.loop->contains(phi->getIncomingBlock(use)) && row_.has(use.get())) continue;
        if (!row_.has(use.get()) && llvm::isa<llvm::Instruction, llvm::Argument>(use.get()))
          arguments_.insert(use.get());
      }
    }
  }
}

/// How many elements the loop writes to a row. The counter must get to its bound before it wraps.
void RowFunction::count_trips() {
  const bool is_unsigned = llvm::ICmpInst::isUnsigned(row_.stays);
  const auto wide = [&](llvm::Value* value) {
    return is_unsigned ? b_.CreateZExt(value, b_.getInt64Ty())
                       : b_.CreateSExt(value, b_.getInt64Ty());
  };
  const bool up = row_.count_step > 0;
  const std::int64_t step = up ? row_.count_step : -row_.count_step;
  llvm::Value* const bound = wide(first(row_.bound));
  llvm::Value* const tested = wide(first(row_.counter));
  llvm::Value* way = up ? b_.CreateSub(bound, tested) : b_.CreateSub(tested, bound);
  llvm::Value* const stride = b_.getInt64(static_cast<std::uint64_t>(step));
  llvm::Value* const zero = b_.getInt64(0);
  llvm::Value* more = nullptr;
  if (row_.stays == llvm::ICmpInst::ICMP_NE) {
    need(b_.CreateICmpSGE(way, zero));
    need(b_.CreateICmpEQ(b_.CreateURem(way, stride), zero));
    more = b_.CreateUDiv(way, stride);
  } else {
    if (llvm::ICmpInst::isNonStrictPredicate(row_.stays)) way = b_.CreateAdd(way, b_.getInt64(1));
    // Beyond the bound the counter is one step from it, at most.
    const std::int64_t least = is_unsigned ? 0 : std::numeric_limits<std::int32_t>::min();
    const std::int64_t most = is_unsigned ? std::numeric_limits<std::uint32_t>::max()
                                          : std::numeric_limits<std::int32_t>::max();
    const auto number = [&](std::int64_t value) {
      return b_.getInt64(static_cast<std::uint64_t>(value));
    };
    need(up ? b_.CreateICmpSLE(bound, number(most - step))
            : b_.CreateICmpSGE(bound, number(least + step)));
    way = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, way, zero);
    more = b_.CreateUDiv(b_.CreateAdd(way, number(step - 1)), stride);
  }
  elements_ = b_.CreateMul(b_.CreateAdd(more, b_.getInt64(1)), b_.getInt64(row_.copies));
}

/// Addresses along a row must follow one another, although each is a sum of 32 bits.
void RowFunction::check_wrap(const RowStream& stream) {
  const llvm::CastInst* extension = stream.address.extension;
  if (!extension || stream.is_fixed()) return;
  const bool is_signed = llvm::isa<llvm::SExtInst>(extension);
  llvm::Value* start = first(extension->getOperand(0));
  start = is_signed ? b_.CreateSExt(start, b_.getInt64Ty()) : b_.CreateZExt(start, b_.getInt64Ty());
  need(b_.CreateICmpSLE(b_.CreateAdd(start, bytes_of(stream)),
                        b_.getInt64(std::uint64_t{1} << (is_signed ? 31 : 32))));
}

/// Whether each trip reads its elements before it writes those that lie `behind` ones further.
bool RowFunction::is_read_first(const RowStream& read, const RowStream& stored,
                                std::size_t behind) const {
  for (std::size_t i = 0; i < read.accesses.size(); ++i) {
    for (std::size_t written = i + behind; written < stored.accesses.size(); ++written) {
      if (row_.order.lookup(read.accesses[i]) > row_.order.lookup(stored.accesses[written]))
        return false;
    }
  }
  return true;
}

/// Vectors read all of their elements before they write any. What is read must not be what an
/// earlier element of the same vector writes; nor what an element writes that is read behind it.
bool RowFunction::keep_apart(const RowStream& read, const RowStream& stored) {
  if (read.is_fixed() || read.bytes != stored.bytes) {
    need(are_disjoint(read, stored));
    return true;
  }
  const std::int64_t near = is_read_first(read, stored, 0)   ? 0
                            : is_read_first(read, stored, 1) ? stored.bytes
                                                             : stored.address.step;
  const std::int64_t far = -stored.bytes * static_cast<std::int64_t>(lanes_);
  if (read.address.is_parallel(stored.address)) {
    const std::int64_t distance = read.address.distance() - stored.address.distance();
    return distance >= near || distance <= far;
  }
  const auto number = [&](std::int64_t value) {
    return b_.getInt64(static_cast<std::uint64_t>(value));
  };
  llvm::Value* distance = b_.CreateSub(number_of(read), number_of(stored));
  need(b_.CreateOr(b_.CreateICmpSGE(distance, number(near)),
                   b_.CreateICmpSLE(distance, number(far))));
  return true;
}

bool RowFunction::ask() {
  holds_ = b_.getTrue();
  count_trips();
  for (const RowStream& store : row_.stores) check_wrap(store);
  for (const RowStream& load : row_.loads) check_wrap(load);
  for (std::size_t i = 0; i < row_.stores.size(); ++i) {
    for (const RowStream& load : row_.loads) {
      if (!keep_apart(load, row_.stores[i])) return false;
    }
    for (std::size_t other = 0; other < i; ++other)
      need(are_disjoint(row_.stores[other], row_.stores[i]));
  }
  return true;
}

llvm::Value* RowFunction::load(const llvm::LoadInst& load) {
  const RowStream& stream = *row_.stream_of(load);
  llvm::Value* place = start_of(stream);
  llvm::Type* type = stream.type;
  if (!stream.is_fixed()) {
    place = b_.CreateGEP(type, place, from_);
    type = llvm::FixedVectorType::get(type, width_);
  }
  llvm::LoadInst* made =
      b_.CreateAlignedLoad(type, place, llvm::Align(static_cast<std::uint64_t>(stream.bytes)));
  made->copyMetadata(load, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
  return made;
}

/// A vector of neighbouring elements' values of what the first copy computes.
llvm::Value* RowFunction::vector(llvm::Value* value) {
  if (!row_.has(value)) return b_.CreateVectorSplat(width_, first(value));
  if (llvm::Value* known = fixed_.lookup(value)) return b_.CreateVectorSplat(width_, known);
  if (llvm::Value* known = vectors_.lookup(value)) return known;
  auto* instruction = llvm::cast<llvm::Instruction>(value);
  llvm::Value* made = nullptr;
  if (const auto* read = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
    made = load(*read);
  } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
    llvm::SmallVector<llvm::Value*, 3> operands;
    for (llvm::Value* operand : call->args()) operands.push_back(vector(operand));
    made = b_.CreateIntrinsic(call->getIntrinsicID(),
                              {llvm::FixedVectorType::get(call->getType(), width_)}, operands);
  } else {
    llvm::SmallVector<llvm::Value*, 3> operands;
    for (llvm::Value* operand : instruction->operands()) operands.push_back(vector(operand));
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(instruction)) {
      made = b_.CreateCast(cast->getOpcode(), operands[0],
                           llvm::FixedVectorType::get(cast->getDestTy(), width_));
    } else if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(instruction)) {
      made = b_.CreateCmp(compare->getPredicate(), operands[0], operands[1]);
    } else if (llvm::isa<llvm::SelectInst>(instruction)) {
      made = b_.CreateSelect(operands[0], operands[1], operands[2]);
    } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
      made = b_.CreateFreeze(operands[0]);
    } else if (const auto* operation = llvm::dyn_cast<llvm::UnaryOperator>(instruction)) {
      made = b_.CreateUnOp(operation->getOpcode(), operands[0]);
    } else {
      made = b_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(instruction)->getOpcode(), operands[0],
                            operands[1]);
    }
  }
  return vectors_[value] = made;
}

void RowFunction::write_elements(llvm::Value* from, unsigned lanes) {
  from_ = from;
  width_ = lanes;
  vectors_.clear();
  std::vector<llvm::Value*> values;
  values.reserve(row_.stores.size());
  for (const RowStream& stream : row_.stores)
    values.push_back(
        vector(llvm::cast<llvm::StoreInst>(stream.accesses.front())->getValueOperand()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const RowStream& stream = row_.stores[i];
    llvm::Value* place = b_.CreateGEP(stream.type, start_of(stream), from_);
    const llvm::Align alignment(static_cast<std::uint64_t>(stream.bytes));
    llvm::StoreInst* store = b_.CreateAlignedStore(values[i], place, alignment);
    store->copyMetadata(*stream.accesses.front(),
                        {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
  }
}

void RowFunction::write_vectors() {
  // All that is computed from arguments alone comes before the vectors.
  for (const RowStream& stream : row_.stores) start_of(stream);
  for (const RowStream& stream : row_.loads) {
    if (!stream.is_fixed()) {
      start_of(stream);
      continue;
    }
    llvm::Value* once = load(*llvm::cast<llvm::LoadInst>(stream.accesses.front()));
    for (llvm::Instruction* access : stream.accesses) fixed_[access] = once;
  }
  llvm::Value* const zero = b_.getInt64(0);
  llvm::Value* const whole = b_.CreateAnd(elements_, b_.getInt64(~std::uint64_t{lanes_ - 1}));
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* loop = block("vectors");
  llvm::BasicBlock* rest = block("rest");
  b_.CreateCondBr(b_.CreateICmpNE(whole, zero), loop, rest);
  b_.SetInsertPoint(loop);
  llvm::PHINode* from = b_.CreatePHI(b_.getInt64Ty(), 2);
  from->addIncoming(zero, before);
  write_elements(from, lanes_);
  llvm::Value* next = b_.CreateNUWAdd(from, b_.getInt64(lanes_));
  from->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, whole), loop, rest);
  b_.SetInsertPoint(rest);
  // The rest in vectors of half the lanes each: masked ones do not find in the store queue what
  // was stored before.
  const unsigned least = row_.copies & (~row_.copies + 1);
  llvm::Value* written = whole;
  for (unsigned lanes = lanes_ / 2; lanes >= least; lanes /= 2) {
    llvm::BasicBlock* some = block("some");
    llvm::BasicBlock* less = block("less");
    llvm::Value* share = b_.CreateAnd(elements_, b_.getInt64(lanes));
    b_.CreateCondBr(b_.CreateICmpNE(share, zero), some, less);
    b_.SetInsertPoint(some);
    write_elements(written, lanes);
    b_.CreateBr(less);
    b_.SetInsertPoint(less);
    written = b_.CreateAdd(written, share);
  }
  b_.CreateRetVoid();
}

/// The loop as it was, from `b_` on.
void RowFunction::copy_loop() {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* done = block("left");
  llvm::ReturnInst::Create(module_.getContext(), done);
  // Before there are copies, whose branches lead to the loop at first.
  map_[row_.loop->getLoopPreheader()] = before;
  map_[row_.loop->getExitBlock()] = done;
  llvm::SmallVector<llvm::BasicBlock*, 4> copies;
  for (llvm::BasicBlock* old : row_.blocks) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(old, map_, "", function_);
    map_[old] = copy;
    for (llvm::Instruction& instruction : *old) {
      if (row_.is_beside(instruction))
        llvm::cast<llvm::Instruction>(map_[&instruction])->eraseFromParent();
    }
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map_);
  b_.CreateBr(copies.front());
}

llvm::Function* RowFunction::run() {
  find_arguments();
  function_ = make_lane_function(module_, arguments_.getArrayRef(), own_row_label);
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    map_[arguments_[i]] = function_->getArg(static_cast<unsigned>(i));
  b_.SetInsertPoint(block("entry"));
  if (!ask()) {
    function_->eraseFromParent();
    return nullptr;
  }
  llvm::BasicBlock* vectors = block("apart");
  llvm::BasicBlock* slow = block("one.by.one");
  b_.CreateCondBr(holds_, vectors, slow,
                  llvm::MDBuilder(module_.getContext()).createLikelyBranchWeights());
  b_.SetInsertPoint(slow);
  copy_loop();
  b_.SetInsertPoint(vectors);
  write_vectors();
  return function_;
}

/// Whether what the loop stores lies apart for each lane, and further than structures do.
bool is_apart(const RowLoop& row, const Shapes& guesses) {
  constexpr std::int64_t most_parts = 8;
  return llvm::all_of(row.stores, [&](const RowStream& stream) {
    const Shape shape = guesses.of(llvm::getLoadStorePointerOperand(stream.accesses.front()));
    return shape.is_varying() ||
           (shape.is_affine() && std::abs(shape.stride) > most_parts * stream.bytes);
  });
}

/// The call comes before the loop, of which what others use stays.
void replace(const RowLoop& row, llvm::Function& function, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::BasicBlock* before = row.loop->getLoopPreheader();
  llvm::IRBuilder<> b(before->getTerminator());
  llvm::ValueToValueMapTy nothing;
  FirstTrip first(row, b, nothing);
  for (llvm::BasicBlock* block : row.blocks) {
    for (llvm::Instruction& instruction : *block) {
      if (row.is_beside(instruction)) first.of(&instruction);
    }
  }
  llvm::CallInst* call = b.CreateCall(&function, arguments);
  call->setDoesNotThrow();
  call->setDebugLoc(row.stores.front().accesses.front()->getDebugLoc());
  for (const RowStream& stream : row.stores) {
    for (llvm::Instruction* store : stream.accesses) {
      llvm::SmallVector<llvm::WeakTrackingVH, 2> operands(store->operands());
      store->eraseFromParent();
      llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(operands);
    }
  }
  llvm::BasicBlock* exit = row.loop->getExitBlock();
  const bool is_read_behind = llvm::any_of(row.blocks, [&](llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](const llvm::Instruction& instruction) {
      return llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        return !row.loop->contains(llvm::cast<llvm::Instruction>(user));
      });
    });
  });
  if (is_read_behind) return;
  for (llvm::PHINode& phi : exit->phis()) {
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      if (phi.getIncomingBlock(i) == row.leaving) phi.setIncomingBlock(i, before);
    }
  }
  before->getTerminator()->setSuccessor(0, exit);
  for (llvm::BasicBlock* block : row.blocks) block->dropAllReferences();
  for (llvm::BasicBlock* block : row.blocks) block->eraseFromParent();
}

}  // namespace

bool vectorise_inner_loops(llvm::Function& function, GangSize size, std::uint64_t vector_bytes) {
  std::vector<std::pair<RowLoop, llvm::Function*>> found;
  std::vector<std::vector<llvm::Value*>> arguments;
  ControlFlow flow(function);
  const Shapes guesses(function, flow, size, true);
  for (llvm::BasicBlock* block : flow.order()) {
    if (!flow.is_header(block)) continue;
    auto row = find_row_loop(*flow.loop_of(block));
    if (!row || !is_apart(*row, guesses)) continue;
    std::int64_t bytes = 1;
    for (const auto* streams : {&row->stores, &row->loads}) {
      for (const RowStream& stream : *streams) bytes = std::max(bytes, stream.bytes);
    }
    const auto lanes = static_cast<unsigned>(vector_bytes / static_cast<std::uint64_t>(bytes));
    if (row->copies > lanes) continue;
    RowFunction made(*row, lanes);
    llvm::Function* own = made.run();
    if (!own) continue;
    arguments.push_back(made.arguments().vec());
    found.emplace_back(std::move(*row), own);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    replace(found[i].first, *found[i].second, arguments[i]);
  return !found.empty();
}

}  // namespace pycuda::cpu::simt
