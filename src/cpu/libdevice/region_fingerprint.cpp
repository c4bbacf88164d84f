// SPDX-License-Identifier: MIT
#include "cpu/libdevice/region_fingerprint.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>

#include "cpu/libdevice/float_patterns.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::libdevice {
namespace {

using llvm::BasicBlock;
using llvm::Value;

/// A line's note, or what only notes read.
bool is_of_notes(const llvm::Instruction& instruction) {
  if (lower::is_line_note(instruction)) return true;
  return llvm::isa<llvm::GetElementPtrInst>(instruction) &&
         llvm::all_of(instruction.users(), [](const llvm::User* user) {
           return lower::is_line_note(*llvm::cast<llvm::Instruction>(user));
         });
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t next) {
  hash = (hash ^ next) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

/// An address in an array of the thread's own: the array, a constant and multiples of other terms.
struct LocalAddress {
  llvm::AllocaInst* array = nullptr;
  std::uint64_t offset = 0;
  llvm::SmallVector<std::pair<Value*, std::uint64_t>, 4> terms;
};

/// `value` as a sum with the address of one array, however it is added up: compilers compute parts
/// of such sums outside of loops.
std::optional<LocalAddress> local_address(Value* value) {
  using namespace llvm::PatternMatch;
  constexpr unsigned most_steps = 24;
  LocalAddress address;
  llvm::SmallVector<std::pair<Value*, std::uint64_t>, 8> pending{{value, 1}};
  for (unsigned taken = 0; !pending.empty(); ++taken) {
    if (taken == most_steps) return std::nullopt;
    const auto [term, times] = pending.pop_back_val();
    const auto add = [&, times = times](Value* part, std::uint64_t factor = 1) {
      pending.emplace_back(part, times * factor);
    };
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(term);
    Value *left = nullptr, *right = nullptr;
    const llvm::APInt* shift = nullptr;
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(term)) {
      address.offset += times * static_cast<std::uint64_t>(constant->getSExtValue());
    } else if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(term)) {
      if (address.array) return std::nullopt;
      address.array = array;
    } else if (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(term);
               step && step->getNumIndices() == 1 && step->getSourceElementType()->isIntegerTy(8)) {
      for (Value* operand : step->operands()) add(operand);
    } else if (match(term, m_Add(m_Value(left), m_Value(right))) &&
               term->getType()->isIntegerTy(64)) {
      add(left);
      add(right);
    } else if (match(term, m_Shl(m_Value(left), m_APInt(shift))) && shift->ult(64) &&
               term->getType()->isIntegerTy(64)) {
      add(left, std::uint64_t{1} << shift->getZExtValue());
    } else if (match(term, m_SExt(m_NSWSub(m_Value(left), m_Value(right)))) &&
               llvm::isa<llvm::ConstantInt>(left)) {
      // Of the shorter integers: their terms are those.
      add(left);
      address.terms.emplace_back(right, -times);
    } else if (llvm::isa<llvm::PtrToIntInst, llvm::IntToPtrInst>(term) &&
               llvm::cast<llvm::CastInst>(term)->isNoopCast(instruction->getDataLayout())) {
      add(instruction->getOperand(0));
    } else {
      address.terms.emplace_back(term, times);
    }
  }
  if (!address.array) return std::nullopt;
  return address;
}

/// The blocks between a branch and where its ways meet.
struct Region {
  BasicBlock* branch = nullptr;
  BasicBlock* end = nullptr;
  llvm::SmallVector<BasicBlock*, 24> blocks;
};

/// The region from `branch` to `end`; none if its ways lead elsewhere too, or are entered from
/// elsewhere.
Region region_between(BasicBlock* branch, BasicBlock* end, const llvm::DominatorTree& dominators) {
  constexpr std::size_t most_blocks = 40;
  llvm::SmallPtrSet<BasicBlock*, 32> seen;
  Region region{branch, end, {}};
  const auto enter = [&](BasicBlock* block) {
    if (block != end && seen.insert(block).second) region.blocks.push_back(block);
  };
  for (BasicBlock* next : llvm::successors(branch)) enter(next);
  for (std::size_t i = 0; i < region.blocks.size(); ++i) {
    BasicBlock* block = region.blocks[i];
    if (i == most_blocks || block == branch ||
        !llvm::isa<llvm::BranchInst>(block->getTerminator()) ||
        !dominators.properlyDominates(branch, block))
      return {};
    for (BasicBlock* next : llvm::successors(block)) enter(next);
  }
  for (BasicBlock* above : llvm::predecessors(end)) {
    if (above != branch && !seen.contains(above)) return {};
  }
  return region;
}

Region region_before(BasicBlock* end, const llvm::DominatorTree& dominators) {
  const auto* node = dominators.getNode(end);
  if (!node || !node->getIDom()) return {};
  BasicBlock* branch = node->getIDom()->getBlock();
  const auto* asks = llvm::dyn_cast<llvm::BranchInst>(branch->getTerminator());
  if (!asks || asks->isUnconditional()) return {};
  return region_between(branch, end, dominators);
}

/// Whether `block` only computes what others may look at, and jumps: its operations may be
/// anywhere.
bool is_passed_through(const BasicBlock& block) {
  const auto* jump = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return jump && jump->isUnconditional() && !llvm::isa<llvm::PHINode>(block.front()) &&
         llvm::none_of(block, [](const llvm::Instruction& instruction) {
           return instruction.mayReadOrWriteMemory() && !is_of_notes(instruction);
         });
}

class Fingerprint {
 public:
  Fingerprint(const Region& region, llvm::ArrayRef<Value*> given, RegionResult& result)
      : region_(region), given_(given), result_(result) {
    for (const BasicBlock* block : region.blocks) {
      if (!is_passed_through(*block)) numbers_.try_emplace(block, numbers_.size() + 1);
    }
    for (Value* value : given) of_operand(value);
  }

  void take(llvm::PHINode& phi) {
    // The condition is the first operand.
    std::uint64_t hash = of_branch(*region_.branch);
    for (BasicBlock* block : region_.blocks) {
      if (is_passed_through(*block)) continue;
      for (llvm::Instruction& instruction : *block) {
        if (instruction.mayHaveSideEffects() && !lower::is_line_note(instruction))
          hash = mixed(hash, of(instruction, 0));
      }
      hash = mixed(hash, of_branch(*block));
    }
    result_.fingerprint = mixed(hash, of_ways(phi));
  }

 private:
  bool is_inside(const llvm::Instruction& instruction) const {
    return llvm::is_contained(region_.blocks, instruction.getParent());
  }

  /// Of where control comes to behind blocks that are passed through.
  std::uint64_t of_block(const BasicBlock* block) const {
    while (llvm::is_contained(region_.blocks, block) && is_passed_through(*block))
      block = block->getSingleSuccessor();
    return numbers_.lookup(block);
  }

  std::uint64_t of_branch(BasicBlock& block) {
    auto* branch = llvm::cast<llvm::BranchInst>(block.getTerminator());
    std::uint64_t hash = of_block(&block);
    if (branch->isUnconditional()) return mixed(hash, of_block(branch->getSuccessor(0)));
    const Condition asked = condition(branch->getCondition());
    hash = mixed(hash, asked.hash);
    for (const unsigned way : {0u, 1u})
      hash = mixed(hash, of_block(branch->getSuccessor(way ^ asked.turned)));
    return hash;
  }

  struct Condition {
    std::uint64_t hash;
    unsigned turned;  ///< 1: it is the opposite
  };

  /// Alike for a condition and its opposite, and for the ways to ask for a sign.
  Condition condition(Value* value) {
    using namespace llvm::PatternMatch;
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(value);
    if (!comparison || llvm::is_contained(given_, value)) return {of(value), 0};
    Value* number = nullptr;
    const auto predicate = comparison->getPredicate();
    if (match(value, m_SpecificICmp(predicate, m_And(m_Value(number), m_SignMask()), m_Zero())) &&
        comparison->isEquality())
      return {mixed(9, of(number)), predicate == llvm::CmpInst::ICMP_EQ ? 1u : 0u};
    if (match(value, m_SpecificICmp(llvm::CmpInst::ICMP_SGT, m_Value(number), m_AllOnes())))
      return {mixed(9, of(number)), 1};
    if (match(value, m_SpecificICmp(llvm::CmpInst::ICMP_SLT, m_Value(number), m_Zero())))
      return {mixed(9, of(number)), 0};
    return {of(value), 0};
  }

  /// The ways to the end by the branches that they begin with: what is passed through may be blocks
  /// or none.
  std::uint64_t of_ways(llvm::PHINode& phi) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const BasicBlock* to = phi.getParent();
      const BasicBlock* from = phi.getIncomingBlock(i);
      while (from != region_.branch && is_passed_through(*from) && from->getSinglePredecessor()) {
        to = from;
        from = from->getSinglePredecessor();
      }
      const auto* branch = llvm::cast<llvm::BranchInst>(from->getTerminator());
      std::uint64_t way = branch->getSuccessor(0) == to ? 0 : 1;
      if (branch->isConditional()) way ^= condition(branch->getCondition()).turned;
      sum += mixed(mixed(of_block(from) + 1, way), of(phi.getIncomingValue(i)));
    }
    return sum;
  }

  std::uint64_t of(Value* value) {
    value = bare_value(value);
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value))
      return mixed(2, integer->getValue().getLimitedValue());
    if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(value))
      return mixed(2, real->getValueAPF().bitcastToAPInt().getLimitedValue());
    if (const auto* function = llvm::dyn_cast<llvm::Function>(value)) {
      std::uint64_t hash = 3;
      for (const char letter : function->getName())
        hash = mixed(hash, static_cast<unsigned char>(letter));
      return hash;
    }
    if (const auto found = known_.find(value); found != known_.end()) return found->second;
    if (const std::optional<LocalAddress> address = local_address(value)) {
      std::uint64_t hash = mixed(mixed(7, of_operand(address->array)), address->offset);
      std::uint64_t sum = 0;
      for (const auto& [term, times] : address->terms) sum += mixed(times, of(term));
      return known_[value] = mixed(hash, sum);
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !(is_inside(*instruction) || is_moved_out(*instruction)))
      return of_operand(value);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      // What a loop carries is known by its turn while it is looked at.
      known_[value] = mixed(5, ++phis_);
      return known_[value] = mixed(of_block(phi->getParent()), of_ways(*phi));
    }
    const std::uint64_t hash = of(*instruction, 6);
    return known_[value] = hash;
  }

  /// What compilers move out of regions, since others compute it too, or loops need it but once.
  bool is_moved_out(const llvm::Instruction& instruction) {
    constexpr unsigned most_moved = 64;
    if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) ||
        instruction.mayReadOrWriteMemory() ||
        (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)))
      return false;
    return ++moved_ <= most_moved;
  }

  std::uint64_t of_operand(Value* value) {
    const auto [entry, is_new] = known_.try_emplace(value, 0);
    if (!is_new) return entry->second;
    result_.operands.push_back(value);
    return entry->second = mixed(4, result_.operands.size());
  }

  std::uint64_t of(llvm::Instruction& instruction, std::uint64_t hash) {
    hash = mixed(hash, instruction.getOpcode());
    hash = mixed(hash, instruction.getType()->getScalarSizeInBits());
    if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction))
      hash = mixed(hash, comparison->getPredicate());
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      const Condition asked = condition(choice->getCondition());
      hash = mixed(hash, asked.hash);
      for (const unsigned way : {0u, 1u})
        hash = mixed(hash, of(choice->getOperand(1 + (way ^ asked.turned))));
      return hash;
    }
    const llvm::Use* rest = instruction.op_begin();
    if (instruction.isCommutative()) {
      hash = mixed(hash, of(rest[0]) + of(rest[1]));
      rest += 2;
    } else if (const std::optional<std::uint64_t> field = of_field(instruction)) {
      return mixed(hash, *field);
    }
    for (; rest != instruction.op_end(); ++rest) hash = mixed(hash, of(*rest));
    return hash;
  }

  /// Of bits that are masked, added to and shifted: those that are shifted out may be masked or
  /// not.
  std::optional<std::uint64_t> of_field(llvm::Instruction& instruction) {
    using namespace llvm::PatternMatch;
    Value* whole = nullptr;
    const llvm::APInt *mask = nullptr, *addend = nullptr, *shift = nullptr;
    if (!match(&instruction, m_LShr(m_Add(m_And(m_Value(whole), m_APInt(mask)), m_APInt(addend)),
                                    m_APInt(shift))) ||
        shift->ugt(addend->countr_zero()))
      return std::nullopt;
    std::uint64_t hash = mixed(10, of(whole));
    for (const llvm::APInt& part : {mask->lshr(*shift), addend->lshr(*shift), *shift})
      hash = mixed(hash, part.getLimitedValue());
    return hash;
  }

  const Region& region_;
  llvm::ArrayRef<Value*> given_;
  RegionResult& result_;
  unsigned moved_ = 0, phis_ = 0;
  llvm::DenseMap<const BasicBlock*, std::uint64_t> numbers_;
  llvm::DenseMap<const Value*, std::uint64_t> known_;
};

bool is_in_any(const llvm::Instruction& instruction, llvm::ArrayRef<Region> regions) {
  return llvm::any_of(regions, [&](const Region& region) {
    return llvm::is_contained(region.blocks, instruction.getParent());
  });
}

bool is_address_step(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator, llvm::PHINode>(
      instruction);
}

/// The array of the thread's own that `address` is computed from, also step by step in a loop.
llvm::AllocaInst* array_behind(Value* address) {
  llvm::SmallVector<Value*, 8> pending{address};
  llvm::SmallPtrSet<Value*, 8> seen;
  while (!pending.empty()) {
    Value* next = pending.pop_back_val();
    if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(next)) return array;
    auto* step = llvm::dyn_cast<llvm::Instruction>(next);
    if (step && is_address_step(*step) && seen.insert(step).second)
      pending.append(step->op_begin(), step->op_end());
  }
  return nullptr;
}

/// Whether `address` lies in memory that nobody but `regions` uses.
bool is_of_regions_alone(Value* address, llvm::ArrayRef<Region> regions) {
  llvm::AllocaInst* place = array_behind(address);
  if (!place) return false;
  llvm::SmallVector<Value*, 16> pending{place};
  llvm::SmallPtrSet<Value*, 16> seen;
  while (!pending.empty()) {
    Value* next = pending.pop_back_val();
    for (llvm::User* user : next->users()) {
      auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
        if ((store && store->getValueOperand() == next) || !is_in_any(*instruction, regions))
          return false;
      } else if (!is_address_step(*instruction)) {
        return false;
      } else if (seen.insert(instruction).second) {
        pending.push_back(instruction);
      }
    }
  }
  return true;
}

/// The region that begins at the end of `branch` and gives nothing to where its ways meet.
Region region_behind(BasicBlock& branch, const llvm::DominatorTree& dominators) {
  const auto* asks = llvm::dyn_cast<llvm::BranchInst>(branch.getTerminator());
  const auto* node = dominators.getNode(&branch);
  if (!asks || asks->isUnconditional() || !node) return {};
  for (const auto* child : node->children()) {
    Region region = region_between(&branch, child->getBlock(), dominators);
    if (!region.branch || region.blocks.empty()) continue;
    return llvm::isa<llvm::PHINode>(region.end->front()) ? Region{} : region;
  }
  return {};
}

/// What tells of a fault of an access, which goes with the access.
bool is_only_for_faults(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return lower::is_line_note(instruction) ||
         (call && lower::callee_name(*call) == lower::pseudo::check_alignment);
}

/// Whether anything of `region`, one of `all`, is seen outside of them.
bool is_seen(const Region& region, llvm::ArrayRef<Region> all) {
  for (BasicBlock* block : region.blocks) {
    for (llvm::Instruction& instruction : *block) {
      const bool is_used_outside = llvm::any_of(instruction.users(), [&](llvm::User* user) {
        return !llvm::is_contained(region.blocks, llvm::cast<llvm::Instruction>(user)->getParent());
      });
      if (is_used_outside) return true;
      if (!instruction.mayHaveSideEffects() || is_only_for_faults(instruction)) continue;
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || store->isVolatile() || !is_of_regions_alone(store->getPointerOperand(), all))
        return true;
    }
  }
  return false;
}

}  // namespace

const BasicBlock* after_nothing(const BasicBlock* block) {
  constexpr unsigned most_steps = 4;
  for (unsigned steps = 0; steps < most_steps; ++steps) {
    const auto first = llvm::find_if_not(*block, is_of_notes);
    const auto* jump = llvm::dyn_cast<llvm::BranchInst>(&*first);
    if (!jump || jump->isConditional()) break;
    block = jump->getSuccessor(0);
  }
  return block;
}

Value* bare_value(Value* value) {
  for (;;) {
    Value* inner = number(value);
    if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(inner)) inner = cast->getOperand(0);
    if (inner == value) return value;
    value = inner;
  }
}

BasicBlock* region_branch(llvm::PHINode& phi, const llvm::DominatorTree& dominators) {
  return region_before(phi.getParent(), dominators).branch;
}

RegionResult region_result(llvm::PHINode& phi, llvm::ArrayRef<Value*> given,
                           const llvm::DominatorTree& dominators) {
  RegionResult result;
  const Region region = region_before(phi.getParent(), dominators);
  if (region.branch) Fingerprint(region, given, result).take(phi);
  return result;
}

unsigned drop_regions(llvm::ArrayRef<BasicBlock*> branches, const llvm::DominatorTree& dominators) {
  llvm::SmallVector<Region, 4> regions;
  for (BasicBlock* branch : branches) {
    if (Region region = region_behind(*branch, dominators); region.branch)
      regions.push_back(std::move(region));
  }
  // They may share memory with one another, but not with one that stays.
  for (std::size_t before = 0; before != regions.size();) {
    before = regions.size();
    const llvm::SmallVector<Region, 4> all = regions;
    llvm::erase_if(regions, [&](const Region& region) { return is_seen(region, all); });
  }
  for (const Region& region : regions) {
    llvm::Instruction* asks = region.branch->getTerminator();
    llvm::BranchInst::Create(region.end, asks->getIterator());
    asks->eraseFromParent();
  }
  return static_cast<unsigned>(regions.size());
}

}  // namespace pycuda::cpu::libdevice
