// SPDX-License-Identifier: MIT
// Short ways that store become choices of addresses.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>

#include "cpu/lower/line_notes.h"
#include "cpu/simt/branches/branch_passes.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::uint64_t longest_store = 16;

/// Whether `value` is computed within `loop` from what a load there has read. With `looked_up`,
/// from a load whose address is.
bool is_read_in(const llvm::Value* value, const llvm::Loop& loop, bool looked_up,
                unsigned depth = 0) {
  constexpr unsigned deepest = 12;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !loop.contains(instruction) || depth == deepest) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
    return !looked_up || is_read_in(load->getPointerOperand(), loop, false, depth + 1);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::GetElementPtrInst,
                 llvm::SelectInst, llvm::FreezeInst>(instruction))
    return false;
  return llvm::any_of(instruction->operands(), [&](const llvm::Use& operand) {
    return is_read_in(operand.get(), loop, looked_up, depth + 1);
  });
}

bool writes(const llvm::Instruction& instruction) {
  return instruction.mayWriteToMemory() && !lower::is_line_note(instruction);
}

/// Whether `value` is whatever a load of `pointer` has read last: `loads` are where.
bool is_read_from(const llvm::Value* value, const llvm::Value* pointer,
                  llvm::SmallPtrSetImpl<const llvm::PHINode*>& seen,
                  llvm::SmallPtrSetImpl<const llvm::LoadInst*>& loads) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) {
    loads.insert(load);
    return load->isSimple() && load->getPointerOperand() == pointer;
  }
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (!phi) return false;
  if (!seen.insert(phi).second) return true;
  return llvm::all_of(phi->incoming_values(), [&](const llvm::Use& from) {
    return is_read_from(from.get(), pointer, seen, loads);
  });
}

/// A branch of a loop round a way that stores.
struct Detour {
  llvm::BranchInst* branch;
  llvm::BasicBlock *way, *end;
  bool stores_if;  ///< what the condition is where the thread stores
};

class Loops {
 public:
  explicit Loops(llvm::Function& kernel) : dominators_(kernel), loops_(dominators_) {}

  bool is_worth_it(const Detour& detour) const {
    const llvm::Loop* loop = loops_.getLoopFor(detour.way);
    return loop && loop->contains(detour.branch) && loop->contains(detour.end) &&
           is_read_in(detour.branch->getCondition(), *loop, true) && is_short(detour, *loop);
  }

 private:
  /// One or two stores, few operations that do no harm, and what has been read before.
  static bool is_short(const Detour& detour, const llvm::Loop& loop) {
    constexpr unsigned most_stores = 2, most_operations = 6;
    unsigned stores = 0, operations = 0;
    const llvm::DataLayout& layout = detour.way->getDataLayout();
    for (const llvm::Instruction& instruction : *detour.way) {
      if (instruction.isTerminator() || lower::is_line_note(instruction)) continue;
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (!store->isSimple() ||
            layout.getTypeStoreSize(store->getValueOperand()->getType()) > longest_store)
          return false;
        ++stores;
      } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (!is_read_again(*load, detour, loop)) return false;
      } else if (llvm::isa<llvm::PHINode>(instruction) || instruction.mayReadOrWriteMemory() ||
                 !llvm::isSafeToSpeculativelyExecute(&instruction)) {
        return false;
      }
      if (++operations > most_operations) return false;
    }
    return stores != 0 && stores <= most_stores && choices(detour) == 0;
  }

  /// How many phis of the end would need a choice: the loop would wait for what that is made of.
  static unsigned choices(const Detour& detour) {
    unsigned found = 0;
    for (const llvm::PHINode& phi : detour.end->phis()) {
      const llvm::Value* by_way = phi.getIncomingValueForBlock(detour.way);
      const llvm::Value* directly = phi.getIncomingValueForBlock(detour.branch->getParent());
      if (by_way == directly) continue;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(by_way);
      llvm::SmallPtrSet<const llvm::PHINode*, 4> seen;
      llvm::SmallPtrSet<const llvm::LoadInst*, 4> loads;
      if (load && load->getParent() == detour.way &&
          is_read_from(directly, load->getPointerOperand(), seen, loads))
        continue;
      ++found;
    }
    return found;
  }

  /// Whether a load behind the store, which might have changed what had been read there, finds the
  /// old value where there was no store: nothing else is written from the first such load on.
  static bool is_read_again(const llvm::LoadInst& load, const Detour& detour,
                            const llvm::Loop& loop) {
    if (!load.isSimple() || !load.hasOneUse()) return false;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(*load.user_begin());
    if (!phi || phi->getParent() != detour.end) return false;
    llvm::SmallPtrSet<const llvm::PHINode*, 4> seen;
    llvm::SmallPtrSet<const llvm::LoadInst*, 4> loads;
    if (!is_read_from(phi, load.getPointerOperand(), seen, loads)) return false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        if (writes(instruction) && block != detour.way) return false;
      }
    }
    for (const llvm::Instruction* next = load.getNextNode(); next; next = next->getNextNode())
      if (writes(*next)) return false;
    // What is read before the loop, and everything on the only way from there.
    loads.erase(&load);
    if (loads.size() != 1 || loop.contains(*loads.begin())) return false;
    const llvm::LoadInst* first = *loads.begin();
    const llvm::BasicBlock* block = loop.getLoopPredecessor();
    for (; block && block != first->getParent(); block = block->getSinglePredecessor())
      if (llvm::any_of(*block, writes)) return false;
    if (!block) return false;
    for (const llvm::Instruction* next = first->getNextNode(); next; next = next->getNextNode())
      if (writes(*next)) return false;
    return true;
  }

  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
};

/// The detours that end in `block`'s branch.
llvm::SmallVector<Detour, 2> detours_of(llvm::BasicBlock& block) {
  llvm::SmallVector<Detour, 2> found;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || branch->isUnconditional()) return found;
  for (unsigned i = 0; i < 2; ++i) {
    llvm::BasicBlock *way = branch->getSuccessor(i), *end = branch->getSuccessor(1 - i);
    if (way != end && end != &block && way->getSinglePredecessor() == &block &&
        way->getSingleSuccessor() == end)
      found.push_back({branch, way, end, i == 0});
  }
  return found;
}

/// Behind the last store nothing can fault: what is read again could be read before. Stores wait
/// for one another, so each note of a line is one that keeps the loop from looking ahead.
void drop_last_notes(llvm::BasicBlock& way) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::reverse(way))) {
    if (writes(instruction)) return;
    if (lower::is_line_note(instruction)) instruction.eraseFromParent();
  }
}

/// The way's operations move in front of the branch, which is gone afterwards.
void take(const Detour& detour, llvm::Value& nobodys) {
  llvm::BasicBlock& block = *detour.branch->getParent();
  llvm::Value* condition = detour.branch->getCondition();
  for (llvm::Instruction& instruction : *detour.way) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || lower::is_line_note(*store)) continue;
    llvm::IRBuilder<> b(store);
    llvm::Value* place = b.CreatePtrToInt(store->getPointerOperand(), b.getInt64Ty());
    llvm::Value* chosen = detour.stores_if ? b.CreateSelect(condition, place, &nobodys, "place")
                                           : b.CreateSelect(condition, &nobodys, place, "place");
    // Else LLVM makes a branch of it again.
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(chosen))
      choice->setMetadata(llvm::LLVMContext::MD_unpredictable,
                          llvm::MDNode::get(block.getContext(), {}));
    store->setOperand(llvm::StoreInst::getPointerOperandIndex(),
                      b.CreateIntToPtr(chosen, b.getPtrTy()));
  }
  drop_last_notes(*detour.way);
  block.splice(detour.branch->getIterator(), detour.way, detour.way->begin(),
               detour.way->getTerminator()->getIterator());
  for (llvm::PHINode& phi : detour.end->phis()) {
    phi.setIncomingValueForBlock(&block, phi.getIncomingValueForBlock(detour.way));
    phi.removeIncomingValue(detour.way, false);
  }
  llvm::BranchInst::Create(detour.end, detour.branch->getIterator());
  detour.branch->eraseFromParent();
  detour.way->eraseFromParent();
}

}  // namespace

unsigned if_convert_stores(llvm::Function& kernel) {
  llvm::SmallVector<Detour, 4> found;
  const Loops loops(kernel);
  for (llvm::BasicBlock& block : kernel) {
    for (const Detour& detour : detours_of(block)) {
      if (loops.is_worth_it(detour)) found.push_back(detour);
    }
  }
  if (found.empty()) return 0;
  llvm::IRBuilder<> entry(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* memory = entry.CreateAlloca(
      llvm::ArrayType::get(entry.getInt8Ty(), longest_store), nullptr, "nobodys");
  memory->setAlignment(llvm::Align(longest_store));
  // As a number: of what is written to memory of its own alone LLVM knows that nobody reads it, and
  // would branch round that.
  llvm::Value* nobodys = entry.CreatePtrToInt(memory, entry.getInt64Ty());
  for (const Detour& detour : found) take(detour, *nobodys);
  return static_cast<unsigned>(found.size());
}

}  // namespace pycuda::cpu::simt
