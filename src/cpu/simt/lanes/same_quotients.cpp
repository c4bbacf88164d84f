// SPDX-License-Identifier: MIT
// Division is monotonic: if the dividend does not wrap on the way from the first lane to the last,
// what these two agree on holds for all lanes between.
#include "cpu/simt/lanes/same_quotients.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <iterator>
#include <string>
#include <vector>

#include "cpu/simt/lanes/divergence.h"
#include "cpu/simt/lanes/region_copy.h"
#include "cpu/simt/lanes/shape.h"

namespace pycuda::cpu::simt {
namespace {

/// Longer functions would take too long to compile.
constexpr std::size_t most_instructions = 3000;
/// Dividends whose lanes lie further apart rarely agree.
constexpr std::int64_t largest_stride = 1 << 16;
/// On a division that stays as it is: in code for gangs whose lanes do not agree, of which there is
/// one copy.
constexpr const char* stays_apart = "pycuda.apart";

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
  llvm::SmallPtrSet<const llvm::Instruction*, most_values> seen{&value};
  std::vector<const llvm::Instruction*> pending{&value};
  while (!pending.empty() && seen.size() < most_values) {
    const llvm::Instruction* instruction = pending.back();
    pending.pop_back();
    for (const llvm::User* user : instruction->users()) {
      const auto* next = llvm::cast<llvm::Instruction>(user);
      if (llvm::isa<llvm::BranchInst>(next)) return true;
      if (llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::PHINode,
                    llvm::FreezeInst>(next) &&
          seen.insert(next).second)
        pending.push_back(next);
    }
  }
  return false;
}

/// Shifts are everywhere: of them only those are worth a copy whose results part the gang. So it is
/// with divisions where there are copies already.
bool is_division(const llvm::BinaryOperator& operation, const Shapes& shapes, Quotients wanted) {
  if (operation.hasMetadata(stays_apart)) return false;
  if (!is_shift(operation))
    return operation.isIntDivRem() && (wanted == Quotients::All || decides_branches(operation));
  return llvm::isa<llvm::ConstantInt>(operation.getOperand(1)) &&
         shapes.of(&operation).is_varying() && decides_branches(operation);
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

class Opener {
 public:
  Opener(llvm::Function& function, GangSize size, Quotients wanted)
      : function_(function), size_(size), wanted_(wanted) {}

  bool run() {
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
      open(divisions, strides, std::move(region));
      return true;
    }
    return false;
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

  llvm::Value* end_of_gang(llvm::IRBuilder<>& b, const char* which, llvm::Value* value) {
    llvm::Type* type = value->getType();
    llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
        which + std::to_string(type->getIntegerBitWidth()),
        llvm::FunctionType::get(type, {type}, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    return b.CreateCall(callee, {value});
  }

  void open(const Divisions& divisions, const std::vector<std::int64_t>& strides, Blocks region) {
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
    std::vector<llvm::Value*> quotients;
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      llvm::BinaryOperator& division = *divisions[i];
      const bool sign = is_signed(division);
      const auto opcode = quotient_of(division);
      llvm::Value* dividend = before(division.getOperand(0));
      llvm::Value* divisor = before(division.getOperand(1));
      llvm::Value* first = end_of_gang(b, gang_first, dividend);
      llvm::Value* last = end_of_gang(b, gang_last, dividend);
      quotients.push_back(b.CreateBinOp(opcode, first, divisor));
      const bool up = strides[i] > 0;
      llvm::Value* in_order =
          b.CreateICmp(sign ? llvm::ICmpInst::ICMP_SLE : llvm::ICmpInst::ICMP_ULE,
                       up ? first : last, up ? last : first);
      llvm::Value* agree = b.CreateICmpEQ(quotients.back(), b.CreateBinOp(opcode, last, divisor));
      same = b.CreateAnd(same, b.CreateAnd(in_order, agree));
    }
    b.CreateCondBr(same, whole, llvm::cast<llvm::BasicBlock>(map[whole]));
    end->eraseFromParent();

    for (std::size_t i = 0; i < divisions.size(); ++i) {
      llvm::BinaryOperator& division = *divisions[i];
      llvm::Value* value = quotients[i];
      if (is_remainder(division)) {
        b.SetInsertPoint(&division);
        value = b.CreateSub(division.getOperand(0), b.CreateMul(value, division.getOperand(1)));
      }
      division.replaceAllUsesWith(value);
      division.eraseFromParent();
    }
  }

  static void keep_apart(llvm::BasicBlock& block) {
    for (llvm::Instruction& instruction : block) {
      auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (division && (is_shift(*division) || division->isIntDivRem()))
        division->setMetadata(stays_apart, llvm::MDNode::get(block.getContext(), {}));
    }
  }

  llvm::Function& function_;
  const GangSize size_;
  const Quotients wanted_;
};

}  // namespace

bool open_quotients(llvm::Function& function, GangSize size, Quotients wanted) {
  return Opener(function, size, wanted).run();
}

}  // namespace pycuda::cpu::simt
