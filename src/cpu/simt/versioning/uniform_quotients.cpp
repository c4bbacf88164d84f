// SPDX-License-Identifier: MIT
// Division is monotonic: if the dividend does not wrap on the way from the first lane to the last,
// what these two agree on holds for all lanes between.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <iterator>
#include <string>
#include <vector>

#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/versioning/region_copy.h"
#include "cpu/simt/versioning/versioning_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// Longer functions would take too long to compile.
constexpr std::size_t most_instructions = 3000;
/// Dividends whose lanes lie further apart rarely agree.
constexpr std::int64_t largest_stride = 1 << 16;

using Divisions = std::vector<llvm::BinaryOperator*>;

/// By a power of two, rounded down.
bool is_shift(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::LShr ||
         division.getOpcode() == llvm::Instruction::AShr;
}

bool is_signed(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SDiv ||
         division.getOpcode() == llvm::Instruction::SRem ||
         division.getOpcode() == llvm::Instruction::AShr;
}

bool is_remainder(const llvm::BinaryOperator& division) {
  return division.getOpcode() == llvm::Instruction::SRem ||
         division.getOpcode() == llvm::Instruction::URem;
}

/// What gives the quotient of `division` where its lanes agree.
llvm::Instruction::BinaryOps quotient_of(const llvm::BinaryOperator& division) {
  if (is_shift(division)) return division.getOpcode();
  return is_signed(division) ? llvm::Instruction::SDiv : llvm::Instruction::UDiv;
}

/// Whether branches depend on `value`: it is how often a loop runs, or how often but for the trips
/// that another loop makes of it.
bool decides_branches(const llvm::Instruction& value) {
  constexpr std::size_t most_values = 32;
  return find_in_users(
      value,
      [](const llvm::Instruction& next) {
        if (llvm::isa<llvm::BranchInst>(next)) return Slice::Found;
        return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::PHINode,
                         llvm::FreezeInst>(next)
                   ? Slice::Through
                   : Slice::Past;
      },
      most_values);
}

/// Shifts are everywhere: of them only those are worth a copy whose results part the gang. So it is
/// with divisions where there are copies already.
bool is_division(const llvm::BinaryOperator& operation, const Shapes& shapes, Quotients wanted) {
  if (operation.hasMetadata(unversioned_division) || !shapes.of(&operation).is_varying())
    return false;
  if (!is_shift(operation))
    return operation.isIntDivRem() && (wanted == Quotients::All || decides_branches(operation));
  return llvm::isa<llvm::ConstantInt>(operation.getOperand(1)) && decides_branches(operation);
}

/// The divisions in `block` whose operands are known before the first of them. A division is
/// monotonic along a row: of tiles, those are wanted whose rows all divide the same.
Divisions divisions_in(llvm::BasicBlock& block, const Shapes& shapes, Quotients wanted) {
  Divisions found;
  for (llvm::Instruction& instruction : block) {
    auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (!division || !is_division(*division, shapes, wanted)) continue;
    const Shape dividend = shapes.of(division->getOperand(0));
    if (!dividend.is_affine() || dividend.by_row || std::abs(dividend.stride) > largest_stride ||
        division->getType()->getIntegerBitWidth() < 32 ||
        !shapes.of(division->getOperand(1)).is_uniform())
      continue;
    const auto known = [&](const llvm::Value* value) {
      const auto* operand = llvm::dyn_cast<llvm::Instruction>(value);
      return found.empty() || !operand || operand->getParent() != &block ||
             operand->comesBefore(found.front());
    };
    if (known(division->getOperand(0)) && known(division->getOperand(1))) found.push_back(division);
  }
  return found;
}

/// Whether most gangs have two quotients of such a division: their lanes span as much as the
/// divisor.
bool parts_most_gangs(const llvm::BinaryOperator& division, const Shape& dividend, GangSize size) {
  constexpr std::uint64_t largest_part = 4;
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  if (!divisor || !is_shift(division) || divisor->getValue().uge(31)) return false;
  return std::uint64_t{1} << divisor->getZExtValue() <=
         largest_part * static_cast<std::uint64_t>(std::abs(dividend.stride)) * size.columns;
}

/// The one block behind `region`; null if there are several, or none.
llvm::BasicBlock* end_of(const Blocks& region) {
  llvm::BasicBlock* end = nullptr;
  for (llvm::BasicBlock* block : region) {
    for (llvm::BasicBlock* next : llvm::successors(block)) {
      if (region.contains(next) || next == end) continue;
      if (end) return nullptr;
      end = next;
    }
  }
  return end;
}

/// What a gang's lanes divide, and the quotients of its first and its last lane: no others where
/// they are `in_order`, and those of no others where these two follow each other.
struct GangQuotients {
  llvm::Value *dividend, *first, *last, *in_order;
};

class Opener {
 public:
  Opener(llvm::Function& function, GangSize size, Quotients wanted)
      : function_(function), size_(size), wanted_(wanted) {}

  VersionedQuotients run() {
    ControlFlow flow(function_);
    const Shapes shapes(function_, flow, size_);
    flow.assign_owners();
    const llvm::PostDominatorTree post_dominators(function_);
    for (llvm::BasicBlock* block : flow.order()) {
      if (flow.owner(*block) != &function_.getEntryBlock()) continue;
      const Divisions divisions = divisions_in(*block, shapes, wanted_);
      if (divisions.empty() || !ends_freely(*divisions.front())) continue;
      Blocks region = region_after(divisions, flow, shapes, post_dominators);
      if (region.empty() ||
          instructions_in(region) + block->size() + function_.getInstructionCount() >
              most_instructions)
        continue;
      std::vector<std::int64_t> strides;
      for (const llvm::BinaryOperator* division : divisions)
        strides.push_back(shapes.of(division->getOperand(0)).stride);
      const bool in_turns = divisions.size() == 1 &&
                            parts_most_gangs(*divisions.front(),
                                             shapes.of(divisions.front()->getOperand(0)), size_) &&
                            decides_branches(*divisions.front()) && end_of(region) &&
                            llvm::any_of(region, [&](const llvm::BasicBlock* inside) {
                              return flow.loop_of(inside) != flow.loop_of(block);
                            });
      open(divisions, strides, std::move(region), in_turns);
      return {true, in_turns};
    }
    return {};
  }

 private:
  static bool ends_freely(llvm::Instruction& first) {
    for (llvm::Instruction* next = &first; next; next = next->getNextNode()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(next);
      if (call && (call->isConvergent() || call->cannotDuplicate())) return false;
    }
    return true;
  }

  /// As much behind the divisions as may be copied, up to a place that all lanes come to, in the
  /// same loop: less where that is all that can gain.
  static Blocks region_after(const Divisions& divisions, const ControlFlow& flow,
                             const Shapes& shapes, const llvm::PostDominatorTree& post_dominators) {
    llvm::BasicBlock& block = *divisions.front()->getParent();
    const bool loops = llvm::all_of(divisions, [](const llvm::BinaryOperator* division) {
      return decides_branches(*division);
    });
    Blocks best;
    const auto* node = post_dominators.getNode(&block);
    for (node = node ? node->getIDom() : nullptr; node && node->getBlock();
         node = node->getIDom()) {
      if (flow.loop_of(node->getBlock()) != flow.loop_of(&block)) break;
      Blocks region = blocks_between(&block, node->getBlock());
      if (region.contains(&block) || !may_be_copied(region)) break;
      best = std::move(region);
      if (loops && keeps_places(best, *divisions.front(), shapes)) break;
    }
    return best;
  }

  /// Whether nobody outside `region` asks for a number or an address that differs between lanes and
  /// is computed there, `first` and what follows in its block included. What comes out of memory
  /// differs in any case, and so does what loops sum up of it.
  static bool keeps_places(const Blocks& region, const llvm::Instruction& first,
                           const Shapes& shapes) {
    const llvm::BasicBlock* block = first.getParent();
    std::vector<const llvm::Instruction*> computed;
    for (const llvm::Instruction* own = &first; own; own = own->getNextNode())
      computed.push_back(own);
    for (const llvm::BasicBlock* inside : region) {
      for (const llvm::Instruction& instruction : *inside) computed.push_back(&instruction);
    }
    const auto is_inside = [&](const llvm::Instruction& instruction) {
      return instruction.getParent() == block || region.contains(instruction.getParent());
    };
    llvm::SmallPtrSet<const llvm::Instruction*, 32> read;
    std::vector<const llvm::Instruction*> pending;
    llvm::copy_if(computed, std::back_inserter(pending), [](const llvm::Instruction* instruction) {
      return llvm::isa<llvm::LoadInst>(instruction);
    });
    while (!pending.empty()) {
      const llvm::Instruction* instruction = pending.back();
      pending.pop_back();
      if (!read.insert(instruction).second) continue;
      for (const llvm::User* user : instruction->users()) {
        const auto* next = llvm::cast<llvm::Instruction>(user);
        if (is_inside(*next)) pending.push_back(next);
      }
    }
    return llvm::none_of(computed, [&](const llvm::Instruction* value) {
      return (value->getType()->isIntegerTy() || value->getType()->isPointerTy()) &&
             !read.contains(value) && shapes.of(value).is_varying() &&
             llvm::any_of(value->users(), [&](const llvm::User* user) {
               return !is_inside(*llvm::cast<llvm::Instruction>(user));
             });
    });
  }

  static llvm::Value* end_of_gang(llvm::IRBuilder<>& b, const char* which, llvm::Value* value) {
    llvm::Type* type = value->getType();
    return ask_by_name(b, which + std::to_string(type->getIntegerBitWidth()), type, value);
  }

  /// What a gang does whose lanes have two quotients: `region`, which begins with `whole`, once for
  /// the lanes of each. Returns where it begins.
  llvm::BasicBlock* write_turns(const Blocks& region, llvm::BasicBlock* whole,
                                const llvm::BinaryOperator& division, const GangQuotients& two) {
    llvm::LLVMContext& context = function_.getContext();
    llvm::ValueToValueMapTy map;
    const auto copies = copy_region(function_, region, ".turn", map);
    for (llvm::BasicBlock* copy : copies) keep_apart(*copy);
    const auto add = [&](const char* name) {
      return llvm::BasicBlock::Create(context, name, &function_);
    };
    llvm::BasicBlock *begin = add("turns"), *turn = add("turn"), *next = add("next.turn");
    llvm::Type* type = two.first->getType();
    llvm::IRBuilder<> b(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    llvm::AllocaInst* now = b.CreateAlloca(type);
    b.SetInsertPoint(begin);
    b.CreateStore(two.first, now);
    llvm::Value* own =
        b.CreateBinOp(quotient_of(division), two.dividend, division.getOperand(1));  // a constant
    if (auto* quotient = llvm::dyn_cast<llvm::Instruction>(own)) keep_apart(*quotient);
    b.CreateBr(turn);
    b.SetInsertPoint(turn);
    auto* entry = llvm::cast<llvm::BasicBlock>(map[whole]);
    b.CreateCondBr(b.CreateICmpEQ(own, b.CreateLoad(type, now)), entry, next);
    b.SetInsertPoint(next);
    llvm::BasicBlock* end = end_of(region);
    llvm::Value* done = b.CreateICmpEQ(b.CreateLoad(type, now), two.last);
    b.CreateStore(two.last, now);
    b.CreateCondBr(done, end, turn);

    for (llvm::BasicBlock* copy : copies) copy->getTerminator()->replaceSuccessorWith(end, next);
    auto* divided = llvm::cast<llvm::Instruction>(map[&division]);
    b.SetInsertPoint(divided);
    divided->replaceAllUsesWith(b.CreateLoad(type, now));
    divided->eraseFromParent();
    return begin;
  }

  void open(const Divisions& divisions, const std::vector<std::int64_t>& strides, Blocks region,
            bool in_turns) {
    demote_crossing_values(function_);
    llvm::BasicBlock* block = divisions.front()->getParent();
    llvm::BasicBlock* whole = block->splitBasicBlock(divisions.front(), "same");
    region.insert(whole);
    llvm::ValueToValueMapTy map;
    for (llvm::BasicBlock* copy : copy_region(function_, region, ".apart", map)) keep_apart(*copy);

    llvm::Instruction* end = block->getTerminator();
    llvm::IRBuilder<> b(end);
    // Demotion has put loads of operands before their users, some of them into `whole`.
    const auto before = [&](llvm::Value* operand) {
      auto* load = llvm::dyn_cast<llvm::Instruction>(operand);
      return load && load->getParent() == whole ? b.Insert(load->clone()) : operand;
    };
    llvm::Value* same = b.getTrue();
    std::vector<GangQuotients> found;
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      llvm::BinaryOperator& division = *divisions[i];
      const bool sign = is_signed(division);
      const auto opcode = quotient_of(division);
      llvm::Value* dividend = before(division.getOperand(0));
      llvm::Value* divisor = before(division.getOperand(1));
      llvm::Value* first = end_of_gang(b, gang_first, dividend);
      llvm::Value* last = end_of_gang(b, gang_last, dividend);
      const bool up = strides[i] > 0;
      llvm::Value* in_order =
          b.CreateICmp(sign ? llvm::ICmpInst::ICMP_SLE : llvm::ICmpInst::ICMP_ULE,
                       up ? first : last, up ? last : first);
      found.push_back({dividend, b.CreateBinOp(opcode, first, divisor),
                       b.CreateBinOp(opcode, last, divisor), in_order});
      llvm::Value* agree = b.CreateICmpEQ(found.back().first, found.back().last);
      same = b.CreateAnd(same, b.CreateAnd(in_order, agree));
    }
    auto* apart = llvm::cast<llvm::BasicBlock>(map[whole]);
    if (in_turns) {
      const GangQuotients& only = found.front();
      llvm::Value* step = b.CreateSub(only.last, only.first);
      llvm::Value* two = b.CreateAnd(
          only.in_order, b.CreateICmpEQ(step, llvm::ConstantInt::getSigned(
                                                  step->getType(), strides.front() > 0 ? 1 : -1)));
      auto* parted = llvm::BasicBlock::Create(function_.getContext(), "parted", &function_);
      b.CreateCondBr(same, whole, parted);
      llvm::BasicBlock* turns = write_turns(region, whole, *divisions.front(), only);
      llvm::IRBuilder<>(parted).CreateCondBr(two, turns, apart);
    } else {
      b.CreateCondBr(same, whole, apart);
    }
    end->eraseFromParent();

    for (std::size_t i = 0; i < divisions.size(); ++i) replace(*divisions[i], found[i].first);
  }

  static void replace(llvm::BinaryOperator& division, llvm::Value* quotient) {
    llvm::IRBuilder<> b(&division);
    llvm::Value* dividend = division.getOperand(0);
    division.replaceAllUsesWith(
        is_remainder(division)
            ? b.CreateSub(dividend, b.CreateMul(quotient, division.getOperand(1)))
            : quotient);
    division.eraseFromParent();
  }

  static void keep_apart(llvm::Instruction& division) {
    division.setMetadata(unversioned_division, llvm::MDNode::get(division.getContext(), {}));
  }

  static void keep_apart(llvm::BasicBlock& block) {
    for (llvm::Instruction& instruction : block) {
      auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (division && (is_shift(*division) || division->isIntDivRem())) keep_apart(*division);
    }
  }

  llvm::Function& function_;
  const GangSize size_;
  const Quotients wanted_;
};

}  // namespace

VersionedQuotients version_quotients(llvm::Function& function, GangSize size, Quotients wanted) {
  return Opener(function, size, wanted).run();
}

}  // namespace pycuda::cpu::simt
