// SPDX-License-Identifier: MIT
// Division is monotonic: if the dividend does not wrap on the way from the first lane to the last,
// what these two agree on holds for all lanes between.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
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
    return operation.isIntDivRem() && (wanted != Quotients::OfLoops || decides_branches(operation));
  return llvm::isa<llvm::ConstantInt>(operation.getOperand(1)) && decides_branches(operation);
}

/// Whether the dividends of a gang's first and last lane are as far apart as the divisor.
bool never_agree(const llvm::BinaryOperator& division, const Shape& dividend, GangSize size) {
  const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
  if (!divisor || is_shift(division)) return false;
  const auto span = static_cast<std::uint64_t>(std::abs(dividend.stride)) * (size.columns - 1);
  return divisor->getValue().abs().ule(span);
}

/// The divisions in `block` whose operands are known before the first of them. A division is
/// monotonic along a row: of tiles, those are wanted whose rows all divide the same.
Divisions divisions_in(llvm::BasicBlock& block, const Shapes& shapes, GangSize size,
                       Quotients wanted) {
  Divisions found;
  for (llvm::Instruction& instruction : block) {
    auto* division = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (!division || !is_division(*division, shapes, wanted)) continue;
    const Shape dividend = shapes.of(division->getOperand(0));
    if (!dividend.is_affine() || dividend.by_row || std::abs(dividend.stride) > largest_stride ||
        division->getType()->getIntegerBitWidth() < 32 ||
        !shapes.of(division->getOperand(1)).is_uniform() || never_agree(*division, dividend, size))
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

/// By how much the dividends of neighbouring lanes differ.
std::vector<std::int64_t> strides_of(const Divisions& divisions, const Shapes& shapes) {
  std::vector<std::int64_t> strides;
  strides.reserve(divisions.size());
  for (const llvm::BinaryOperator* division : divisions)
    strides.push_back(shapes.of(division->getOperand(0)).stride);
  return strides;
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

/// Where gangs go that do not come to `block`, which begins a copy for those whose lanes agree on
/// quotients; null if it begins none.
llvm::BasicBlock* copy_apart_from(const llvm::BasicBlock& block) {
  const llvm::BasicBlock* before = block.getSinglePredecessor();
  auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->hasMetadata(parts_whole_gangs) || branch->getSuccessor(0) != &block)
    return nullptr;
  return branch->getSuccessor(1);
}

/// Whether what comes before `end` in its block may be begun, given up and done again from its
/// beginning: it writes to the thread's frame alone, and checks that an address is aligned.
bool can_be_given_up(const llvm::Instruction& end) {
  const llvm::Value* const thread = end.getFunction()->getArg(0);
  return llvm::all_of(*end.getParent(), [&](const llvm::Instruction& own) {
    if (!own.comesBefore(&end) || !own.mayHaveSideEffects()) return true;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&own))
      return llvm::getUnderlyingObject(store->getPointerOperand()) == thread;
    return lower::callee_name(own) == lower::pseudo::check_alignment;
  });
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
      llvm::BasicBlock* const apart = copy_apart_from(*block);
      if (wanted_ == Quotients::Further && !apart) continue;
      const Divisions divisions = divisions_in(*block, shapes, size_, wanted_);
      if (divisions.empty() || !ends_freely(*divisions.front())) continue;
      if (wanted_ == Quotients::Further) {
        if (!can_be_given_up(*divisions.front())) continue;
        open_further(divisions, strides_of(divisions, shapes), *apart);
        return {true, false};
      }
      std::optional<Blocks> region = region_after(divisions, flow, shapes, post_dominators);
      if (!region || instructions_in(*region) + block->size() + function_.getInstructionCount() >
                         most_instructions)
        continue;
      const bool in_turns = divisions.size() == 1 &&
                            parts_most_gangs(*divisions.front(),
                                             shapes.of(divisions.front()->getOperand(0)), size_) &&
                            decides_branches(*divisions.front()) && end_of(*region) &&
                            llvm::any_of(*region, [&](const llvm::BasicBlock* inside) {
                              return flow.loop_of(inside) != flow.loop_of(block);
                            });
      open(divisions, strides_of(divisions, shapes), *std::move(region), in_turns);
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

  /// The blocks behind that of the divisions that are copied with the rest of it: as much as may
  /// be, up to a place that all lanes come to, in the same loop; less where that is all that can
  /// gain. None where nothing may be copied.
  static std::optional<Blocks> region_after(const Divisions& divisions, const ControlFlow& flow,
                                            const Shapes& shapes,
                                            const llvm::PostDominatorTree& post_dominators) {
    llvm::BasicBlock& block = *divisions.front()->getParent();
    const bool loops = llvm::all_of(divisions, [](const llvm::BinaryOperator* division) {
      return decides_branches(*division);
    });
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) return Blocks{};
    std::optional<Blocks> best;
    const auto* node = post_dominators.getNode(&block);
    for (node = node ? node->getIDom() : nullptr; node && node->getBlock();
         node = node->getIDom()) {
      if (flow.loop_of(node->getBlock()) != flow.loop_of(&block)) break;
      Blocks region = blocks_between(&block, node->getBlock());
      if (region.contains(&block) || !may_be_copied(region)) break;
      best = std::move(region);
      if (loops && keeps_places(*best, *divisions.front(), shapes)) break;
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
    if (llvm::isa<llvm::ReturnInst>(whole->getTerminator()))
      whole->splitBasicBlock(whole->getTerminator(), "end");
    region.insert(whole);
    llvm::ValueToValueMapTy map;
    for (llvm::BasicBlock* copy : copy_region(function_, region, ".apart", map)) keep_apart(*copy);

    llvm::Instruction* end = block->getTerminator();
    llvm::IRBuilder<> b(end);
    const Agreement agreement = compare_ends(b, divisions, strides);
    auto* apart = llvm::cast<llvm::BasicBlock>(map[whole]);
    if (in_turns) {
      const GangQuotients& only = agreement.quotients.front();
      llvm::Value* step = b.CreateSub(only.last, only.first);
      llvm::Value* two = b.CreateAnd(
          only.in_order, b.CreateICmpEQ(step, llvm::ConstantInt::getSigned(
                                                  step->getType(), strides.front() > 0 ? 1 : -1)));
      auto* parted = llvm::BasicBlock::Create(function_.getContext(), "parted", &function_);
      b.CreateCondBr(agreement.all, whole, parted);
      llvm::BasicBlock* turns = write_turns(region, whole, *divisions.front(), only);
      llvm::IRBuilder<>(parted).CreateCondBr(two, turns, apart);
    } else {
      part_whole_gangs(b, agreement.all, whole, apart);
    }
    end->eraseFromParent();
    agree(divisions, agreement);
  }

  /// Where the block of `divisions` begins a copy for whole gangs: those that do not agree on these
  /// quotients either begin again in `apart`.
  void open_further(const Divisions& divisions, const std::vector<std::int64_t>& strides,
                    llvm::BasicBlock& apart) {
    demote_crossing_values(function_);
    llvm::BasicBlock* block = divisions.front()->getParent();
    llvm::BasicBlock* whole = block->splitBasicBlock(divisions.front(), "same");
    llvm::Instruction* end = block->getTerminator();
    llvm::IRBuilder<> b(end);
    const Agreement agreement = compare_ends(b, divisions, strides);
    part_whole_gangs(b, agreement.all, whole, &apart);
    end->eraseFromParent();
    agree(divisions, agreement);
  }

  struct Agreement {
    llvm::Value* all;  ///< whether there is one quotient of each division
    std::vector<GangQuotients> quotients;
  };

  /// Behind the block that `b` is at the end of, which was split before the first division.
  static Agreement compare_ends(llvm::IRBuilder<>& b, const Divisions& divisions,
                                const std::vector<std::int64_t>& strides) {
    // Demotion has put loads of operands before their users, some of them behind the split.
    const llvm::BasicBlock* const whole = divisions.front()->getParent();
    const auto before = [&](llvm::Value* operand) {
      auto* load = llvm::dyn_cast<llvm::Instruction>(operand);
      return load && load->getParent() == whole ? b.Insert(load->clone()) : operand;
    };
    Agreement found{b.getTrue(), {}};
    for (std::size_t i = 0; i < divisions.size(); ++i) {
      const llvm::BinaryOperator& division = *divisions[i];
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
      found.quotients.push_back({dividend, b.CreateBinOp(opcode, first, divisor),
                                 b.CreateBinOp(opcode, last, divisor), in_order});
      llvm::Value* equal =
          b.CreateICmpEQ(found.quotients.back().first, found.quotients.back().last);
      found.all = b.CreateAnd(found.all, b.CreateAnd(in_order, equal));
    }
    return found;
  }

  static void part_whole_gangs(llvm::IRBuilder<>& b, llvm::Value* agree, llvm::BasicBlock* whole,
                               llvm::BasicBlock* apart) {
    b.CreateCondBr(agree, whole, apart)
        ->setMetadata(parts_whole_gangs, llvm::MDNode::get(b.getContext(), {}));
  }

  static void agree(const Divisions& divisions, const Agreement& agreement) {
    for (std::size_t i = 0; i < divisions.size(); ++i)
      replace(*divisions[i], agreement.quotients[i].first);
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
