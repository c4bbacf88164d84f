// SPDX-License-Identifier: MIT
// Straight loops over elements: their addresses, counters, and copies of operations.
#include "cpu/simt/analysis/inner_loop.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstddef>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/slice.h"

namespace pycuda::cpu::simt {

bool RowAddress::is_parallel(const RowAddress& other) const {
  const auto kind = [](const llvm::CastInst* cast) { return cast ? cast->getOpcode() : 0; };
  return base == other.base && root == other.root && kind(extension) == kind(other.extension) &&
         step == other.step;
}

bool RowLoop::has(const llvm::Value* value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && loop->contains(instruction);
}

bool RowLoop::is_beside(const llvm::Instruction& instruction) const {
  if (lower::is_line_note(instruction)) return true;
  return lower::callee_name(instruction) == lower::pseudo::check_alignment &&
         !has(llvm::cast<llvm::CallInst>(instruction).getArgOperand(1));
}

const RowStream* RowLoop::stream_of(const llvm::LoadInst& load) const {
  const auto found = llvm::find_if(
      loads, [&](const RowStream& stream) { return llvm::is_contained(stream.accesses, &load); });
  return found == loads.end() ? nullptr : &*found;
}

namespace {

constexpr unsigned most_instructions = 300;
constexpr std::int64_t longest_step = 1 << 16;

class Finder {
 public:
  explicit Finder(llvm::Loop& loop) : layout_(loop.getHeader()->getModule()->getDataLayout()) {
    found_.loop = &loop;
  }

  std::optional<RowLoop> run() {
    if (!follow_blocks() || !read_steps() || !sort_accesses() || !read_test() ||
        leaves_what_it_read())
      return std::nullopt;
    for (const RowStream& store : found_.stores) {
      std::vector<llvm::Value*> values;
      values.reserve(store.accesses.size());
      for (llvm::Instruction* one : store.accesses)
        values.push_back(llvm::cast<llvm::StoreInst>(one)->getValueOperand());
      if (!is_same_operation(values)) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  bool follow_blocks() {
    llvm::Loop& loop = *found_.loop;
    if (!loop.isInnermost() || !loop.getLoopPreheader() || !loop.getLoopLatch()) return false;
    found_.leaving = loop.getExitingBlock();
    if (!found_.leaving || !loop.getExitBlock()) return false;
    llvm::BasicBlock* block = loop.getHeader();
    unsigned number = 0;
    do {
      found_.blocks.push_back(block);
      for (const llvm::Instruction& instruction : *block) found_.order[&instruction] = number++;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch || branch->isConditional() != (block == found_.leaving)) return false;
      block = branch->getSuccessor(0);
      if (!loop.contains(block)) block = branch->getSuccessor(1);
    } while (block != loop.getHeader() && found_.blocks.size() <= loop.getNumBlocks());
    return found_.blocks.size() == loop.getNumBlocks() && number <= most_instructions;
  }

  /// All that goes from trip to trip are sums of a start and equal steps.
  bool read_steps() {
    for (llvm::PHINode& phi : found_.loop->getHeader()->phis()) {
      auto* next = llvm::dyn_cast<llvm::Instruction>(
          behind_copies(phi.getIncomingValueForBlock(found_.loop->getLoopLatch())));
      if (!next) return false;
      const llvm::ConstantInt* step = nullptr;
      if (next->getOpcode() == llvm::Instruction::Add && next->getOperand(0) == &phi) {
        step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
      } else if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(next);
                 address && address->getPointerOperand() == &phi && address->getNumIndices() == 1 &&
                 address->getSourceElementType()->isIntegerTy(8)) {
        step = llvm::dyn_cast<llvm::ConstantInt>(address->getOperand(1));
      }
      if (!step || step->getValue().getSignificantBits() > 32) return false;
      if (std::abs(step->getSExtValue()) > longest_step) return false;
      steps_[&phi] = step->getSExtValue();
    }
    return true;
  }

  bool is_fixed(const llvm::Value* value) const { return !found_.has(value); }

  std::optional<RowAddress> address_of(const llvm::Value* pointer) const {
    RowAddress found;
    const llvm::Value* at = pointer;
    const auto add = [&](const llvm::ConstantInt& constant) {
      if (constant.getValue().getSignificantBits() > 32) return false;
      (found.extension ? found.low : found.high) += constant.getSExtValue();
      return true;
    };
    for (;;) {
      at = behind_copies(at);
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(at);
      if (is_fixed(at) || phi) {
        const auto step = phi ? steps_.find(phi) : steps_.end();
        if (phi && !is_fixed(at) && step == steps_.end()) return std::nullopt;
        found.root = at;
        found.step = is_fixed(at) ? 0 : step->second;
        return found;
      }
      if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(at)) {
        if (address->getNumIndices() != 1 || !address->getSourceElementType()->isIntegerTy(8))
          return std::nullopt;
        const llvm::Value* index = address->getOperand(1);
        const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index);
        const unsigned fixed = is_fixed(address->getPointerOperand()) ? 0 : 1;
        if (constant ? !add(*constant) : found.base || !is_fixed(address->getOperand(fixed)))
          return std::nullopt;
        if (!constant) found.base = address->getOperand(fixed);
        at = constant ? address->getPointerOperand() : address->getOperand(1 - fixed);
        continue;
      }
      if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(at)) {
        if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(cast)) {
          if (found.extension || !cast->getSrcTy()->isIntegerTy(32) ||
              !cast->getDestTy()->isIntegerTy(64))
            return std::nullopt;
          found.extension = cast;
        } else if (!llvm::isa<llvm::IntToPtrInst, llvm::PtrToIntInst>(cast)) {
          return std::nullopt;
        }
        at = cast->getOperand(0);
        continue;
      }
      const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(at);
      if (!sum || sum->getOpcode() != llvm::Instruction::Add) return std::nullopt;
      if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1))) {
        if (!add(*constant)) return std::nullopt;
        at = sum->getOperand(0);
        continue;
      }
      // What is added before an extension would not be a base.
      const unsigned fixed = is_fixed(sum->getOperand(0)) ? 0 : 1;
      if (found.extension || found.base || !is_fixed(sum->getOperand(fixed))) return std::nullopt;
      found.base = sum->getOperand(fixed);
      at = sum->getOperand(1 - fixed);
    }
  }

  static bool is_simple(const llvm::Instruction& access) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) return load->isSimple();
    return llvm::cast<llvm::StoreInst>(access).isSimple();
  }

  bool sort_accesses() {
    bool left = false;
    for (llvm::BasicBlock* block : found_.blocks) {
      for (llvm::Instruction& instruction : *block) {
        if (found_.is_beside(instruction)) continue;
        if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
          if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) return false;
          continue;
        }
        if (left || !is_simple(instruction) || !add_access(instruction)) return false;
      }
      left |= block == found_.leaving;
    }
    if (found_.stores.empty()) return false;
    found_.copies = static_cast<unsigned>(found_.stores.front().accesses.size());
    return llvm::all_of(found_.stores, [&](const RowStream& one) { return is_row(one); }) &&
           llvm::all_of(found_.loads,
                        [&](const RowStream& one) { return one.is_fixed() || is_row(one); });
  }

  bool add_access(llvm::Instruction& access) {
    llvm::Type* type = llvm::getLoadStoreType(&access);
    const auto bytes = static_cast<std::int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
    const auto align = static_cast<std::int64_t>(llvm::getLoadStoreAlignment(&access).value());
    if (!(type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(32) ||
          type->isIntegerTy(64)) ||
        align < bytes)
      return false;
    const auto address = address_of(llvm::getLoadStorePointerOperand(&access));
    if (!address) return false;
    std::vector<RowStream>& streams =
        llvm::isa<llvm::LoadInst>(access) ? found_.loads : found_.stores;
    for (RowStream& stream : streams) {
      if (stream.type != type || !stream.address.is_parallel(*address)) continue;
      // Loads at one place are one; what is along a row comes in the order of its elements.
      const std::int64_t distance = address->distance() - stream.address.distance();
      const auto number = static_cast<std::int64_t>(stream.accesses.size());
      if (stream.is_fixed() ? distance != 0 : distance != number * bytes) continue;
      if (stream.is_fixed() || number * bytes < stream.address.step) {
        stream.accesses.push_back(&access);
        return true;
      }
    }
    streams.push_back({type, *address, {&access}, bytes});
    return true;
  }

  bool is_row(const RowStream& stream) const {
    return stream.accesses.size() == found_.copies &&
           stream.address.step == stream.bytes * static_cast<std::int64_t>(found_.copies);
  }

  bool read_test() {
    auto* branch = llvm::cast<llvm::BranchInst>(found_.leaving->getTerminator());
    found_.test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!found_.test || !found_.has(found_.test)) return false;
    found_.stays = found_.test->getPredicate();
    if (!found_.loop->contains(branch->getSuccessor(0)))
      found_.stays = llvm::ICmpInst::getInversePredicate(found_.stays);
    found_.counter = found_.test->getOperand(0);
    found_.bound = found_.test->getOperand(1);
    if (is_fixed(found_.counter)) {
      std::swap(found_.counter, found_.bound);
      found_.stays = llvm::ICmpInst::getSwappedPredicate(found_.stays);
    }
    if (!is_fixed(found_.bound) || !found_.counter->getType()->isIntegerTy(32)) return false;
    const llvm::Value* counter = found_.counter;
    if (const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(counter);
        sum && sum->getOpcode() == llvm::Instruction::Add &&
        llvm::isa<llvm::ConstantInt>(sum->getOperand(1)))
      counter = sum->getOperand(0);
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(counter);
    const auto step = phi ? steps_.find(phi) : steps_.end();
    if (step == steps_.end() || step->second == 0) return false;
    found_.count_step = step->second;
    const bool up = found_.count_step > 0;
    switch (found_.stays) {
      case llvm::ICmpInst::ICMP_NE:
        return true;
      case llvm::ICmpInst::ICMP_SLT:
      case llvm::ICmpInst::ICMP_ULT:
      case llvm::ICmpInst::ICMP_SLE:
      case llvm::ICmpInst::ICMP_ULE:
        return up;
      case llvm::ICmpInst::ICMP_SGT:
      case llvm::ICmpInst::ICMP_UGT:
      case llvm::ICmpInst::ICMP_SGE:
      case llvm::ICmpInst::ICMP_UGE:
        return !up;
      default:
        return false;
    }
  }

  /// Whether code behind the loop needs what was read in it: read again, after all the stores, that
  /// might be something else.
  bool leaves_what_it_read() const {
    llvm::SmallVector<const llvm::Value*, 8> needed;
    for (const llvm::BasicBlock* block : found_.blocks) {
      for (const llvm::Instruction& instruction : *block) {
        if (llvm::any_of(instruction.users(),
                         [&](const llvm::User* user) { return !found_.has(user); }))
          needed.push_back(&instruction);
      }
    }
    return find_in_slice(
        needed,
        [&](const llvm::Instruction& source) {
          if (!found_.has(&source)) return Slice::Past;
          return llvm::isa<llvm::LoadInst>(source) ? Slice::Found : Slice::Through;
        },
        most_instructions);
  }

  static bool has_vector_form(const llvm::Instruction& instruction) {
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      const llvm::Intrinsic::ID id = call->getIntrinsicID();
      if (!llvm::isTriviallyVectorizable(id) || call->getType()->isStructTy()) return false;
      for (unsigned i = 0; i < call->arg_size(); ++i) {
        if (llvm::isVectorIntrinsicWithScalarOpAtArg(id, i) ||
            llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i)))
          return false;
      }
      return true;
    }
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
      return !cast->getSrcTy()->isPointerTy() && !cast->getDestTy()->isPointerTy();
    return (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst, llvm::SelectInst,
                      llvm::FreezeInst>(instruction)) &&
           !instruction.isIntDivRem();
  }

  /// Whether `values`, one of each copy, are computed alike.
  bool is_same_operation(const std::vector<llvm::Value*>& values) {
    llvm::Value* first = values.front();
    const bool all_equal = llvm::all_equal(values);
    if (is_fixed(first)) return all_equal;
    if (const auto known = alike_.find(first); known != alike_.end())
      return known->second == values;
    auto* instruction = llvm::cast<llvm::Instruction>(first);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(first)) {
      const RowStream* stream = found_.stream_of(*load);
      if (!stream) return false;
      if (stream->is_fixed()) {
        if (!llvm::all_of(values,
                          [&](llvm::Value* v) { return llvm::is_contained(stream->accesses, v); }))
          return false;
      } else if (!std::equal(values.begin(), values.end(), stream->accesses.begin(),
                             stream->accesses.end())) {
        return false;
      }
      alike_[first] = values;
      return true;
    }
    if (!has_vector_form(*instruction)) return false;
    for (llvm::Value* value : values) {
      const auto* other = llvm::dyn_cast<llvm::Instruction>(value);
      if (!other || !found_.has(other) || !instruction->isSameOperationAs(other)) return false;
      if (llvm::isa<llvm::FPMathOperator>(instruction) &&
          instruction->getFastMathFlags() != other->getFastMathFlags())
        return false;
    }
    alike_[first] = values;
    for (unsigned i = 0; i < instruction->getNumOperands(); ++i) {
      if (llvm::isa<llvm::Function>(instruction->getOperand(i))) continue;
      std::vector<llvm::Value*> operands;
      operands.reserve(values.size());
      for (llvm::Value* value : values)
        operands.push_back(llvm::cast<llvm::Instruction>(value)->getOperand(i));
      if (!is_same_operation(operands)) return false;
    }
    return true;
  }

  const llvm::DataLayout& layout_;
  RowLoop found_;
  llvm::DenseMap<const llvm::PHINode*, std::int64_t> steps_;
  llvm::DenseMap<const llvm::Value*, std::vector<llvm::Value*>> alike_;
};

}  // namespace

std::optional<RowLoop> find_row_loop(llvm::Loop& loop) { return Finder(loop).run(); }

}  // namespace pycuda::cpu::simt
