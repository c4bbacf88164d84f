// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "cpu/simt/numbers/divider_load.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/multiplied_root.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned register_lanes = 16;

/// 1 / `root` in its block, or null.
llvm::Instruction* reciprocal_of(llvm::Instruction& root) {
  for (llvm::User* user : root.users()) {
    auto* quotient = llvm::cast<llvm::Instruction>(user);
    if (quotient->getParent() == root.getParent() &&
        llvm::PatternMatch::match(
            quotient, llvm::PatternMatch::m_FDiv(llvm::PatternMatch::m_FPOne(),
                                                 llvm::PatternMatch::m_Specific(&root))))
      return quotient;
  }
  return nullptr;
}

/// What becomes of a root: of its registers (or of 1, the whole, where it is not taken apart) so
/// many are multiplied, and of these the first so many have a multiplied reciprocal.
struct Choice {
  llvm::IntrinsicInst* root;
  llvm::Instruction* reciprocal;
  unsigned registers;
  unsigned multiplied = 0;
  unsigned inverted = 0;
};

/// `load` with one register's root, and where asked its reciprocal, taken from the divider.
DividerLoad relieved(DividerLoad load, const target::DividerCosts& costs, bool with_reciprocal) {
  load.divider -= costs.root.divider;
  load.multipliers = load.multipliers + costs.multiplied_root - costs.root.multipliers;
  if (!with_reciprocal) return load;
  load.divider -= costs.division.divider;
  load.multipliers = load.multipliers + costs.multiplied_reciprocal - costs.division.multipliers;
  return load;
}

/// Takes one more register of `choice` from the divider if that shortens the block.
bool relieve_by_one(Choice& choice, DividerLoad& load, const target::DividerCosts& costs) {
  DividerLoad better = relieved(load, costs, false);
  bool with_reciprocal = choice.reciprocal != nullptr && choice.inverted == choice.multiplied;
  if (with_reciprocal) {
    const DividerLoad both = relieved(load, costs, true);
    with_reciprocal = both.longest() <= better.longest();
    if (with_reciprocal) better = both;
  }
  if (better.longest() >= load.longest()) return false;
  load = better;
  ++choice.multiplied;
  if (with_reciprocal) ++choice.inverted;
  return true;
}

/// The roots of `block` that are better multiplied, in turn so many registers of each as bring
/// divider and multipliers into balance.
std::vector<Choice> roots_to_replace(llvm::BasicBlock& block, const target::DividerCosts& costs) {
  std::vector<Choice> roots;
  DividerLoad load;
  for (llvm::Instruction& instruction : block) {
    const unsigned registers =
        costs.in_registers && instruction.getType()->isVectorTy() ? registers_of(instruction) : 1;
    add_load(load, instruction, registers, costs);
    if (!is_root_of_registers(instruction)) continue;
    roots.push_back({.root = llvm::cast<llvm::IntrinsicInst>(&instruction),
                     .reciprocal = costs.in_registers ? reciprocal_of(instruction) : nullptr,
                     .registers = registers});
  }
  const unsigned before = load.longest();
  bool any = true;
  while (any) {
    any = false;
    for (Choice& choice : roots)
      any |= choice.multiplied < choice.registers && relieve_by_one(choice, load, costs);
  }
  // Gains so small are within the error of the costs, and the branches would eat them.
  if (costs.in_registers && load.longest() * 10 > before * 9) return {};
  std::erase_if(roots, [](const Choice& choice) { return choice.multiplied == 0; });
  return roots;
}

/// `usual` from one block or `instruction` from its own, for all that used `instruction`.
void join(llvm::Instruction& instruction, llvm::Value* usual, llvm::BasicBlock* from,
          llvm::BasicBlock& to) {
  llvm::IRBuilder<> b(&to, to.begin());
  llvm::PHINode* result = b.CreatePHI(instruction.getType(), 2);
  instruction.replaceAllUsesWith(result);
  result->addIncoming(usual, from);
  result->addIncoming(&instruction, instruction.getParent());
}

void replace(const Choice& choice) {
  llvm::IntrinsicInst& root = *choice.root;
  llvm::IRBuilder<> b(&root);
  // Lanes that are not active may hold anything.
  llvm::Value* numbers = b.CreateFreeze(root.getArgOperand(0));
  const unsigned count = float_lanes(*root.getType()) / register_lanes;
  const unsigned multiplied = choice.registers == count ? choice.multiplied : count;
  llvm::SmallVector<llvm::Value*, 4> registers, roots(count), reciprocals(count);
  for (unsigned i = 0; i < count; ++i) {
    registers.push_back(b.CreateShuffleVector(
        numbers, llvm::createSequentialMask(i * register_lanes, register_lanes, 0)));
  }
  llvm::Value* unusual =
      target::leaves_range_of_roots(b, llvm::ArrayRef(registers).take_front(multiplied));
  llvm::Instruction* slow_end = nullptr;
  llvm::Instruction* fast_end = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(
      unusual, root.getIterator(), &slow_end, &fast_end,
      llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  llvm::BasicBlock& after = *root.getParent();

  // The divider's part first: it takes longest.
  b.SetInsertPoint(fast_end);
  for (unsigned i = multiplied; i < count; ++i)
    roots[i] = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, registers[i]);
  for (unsigned i = 0; i < multiplied; ++i) {
    const target::MultipliedRoot both =
        target::multiplied_root(b, registers[i], i < choice.inverted);
    roots[i] = both.root;
    reciprocals[i] = both.reciprocal;
  }
  root.moveBefore(slow_end);
  root.setArgOperand(0, numbers);
  if (choice.reciprocal) {
    for (unsigned i = choice.inverted; i < count; ++i)
      reciprocals[i] = b.CreateFDiv(llvm::ConstantFP::get(roots[i]->getType(), 1), roots[i]);
    choice.reciprocal->moveBefore(slow_end);
    join(*choice.reciprocal, llvm::concatenateVectors(b, reciprocals), fast_end->getParent(),
         after);
  }
  join(root, llvm::concatenateVectors(b, roots), fast_end->getParent(), after);
  if (choice.reciprocal) choice.reciprocal->setOperand(1, &root);
}

/// What a root is computed from comes before the root two ahead of it: a multiplied root is a long
/// chain, and while processors wait for its links they look for other work among no more than some
/// hundred instructions.
void start_early(llvm::ArrayRef<Choice> roots) {
  constexpr std::size_t ahead = 2;
  for (std::size_t i = ahead; i < roots.size(); ++i) {
    llvm::Instruction& before = *roots[i - ahead].root;
    if (before.getParent() == roots[i].root->getParent())
      compute_ahead(*roots[i].root, before, is_root_of_registers);
  }
}

}  // namespace

void compute_ahead(llvm::Instruction& user, llvm::Instruction& place,
                   llvm::function_ref<bool(const llvm::Instruction&)> must_stay) {
  bool passes_effects = false;
  for (auto i = place.getIterator(); &*i != &user; ++i) passes_effects |= i->mayHaveSideEffects();
  llvm::SmallPtrSet<const llvm::Value*, 16> needed;
  needed.insert(user.op_begin(), user.op_end());
  llvm::SmallVector<llvm::Instruction*, 16> moved;
  for (auto i = std::prev(user.getIterator()); &*i != &place; --i) {
    if (!needed.contains(&*i)) continue;
    const bool is_bound = i->mayReadFromMemory() || !llvm::isSafeToSpeculativelyExecute(&*i);
    if (i->mayHaveSideEffects() || (passes_effects && is_bound) || must_stay(*i)) return;
    needed.insert(i->op_begin(), i->op_end());
    moved.push_back(&*i);
  }
  if (needed.contains(&place)) return;
  for (llvm::Instruction* instruction : llvm::reverse(moved)) instruction->moveBefore(&place);
}

void relieve_divider(llvm::Function& gang, const target::DividerCosts& costs) {
  std::vector<Choice> roots;
  for (llvm::BasicBlock& block : gang) {
    const std::vector<Choice> found = roots_to_replace(block, costs);
    roots.insert(roots.end(), found.begin(), found.end());
  }
  if (costs.in_registers) start_early(roots);
  for (const Choice& choice : roots) replace(choice);
}

}  // namespace pycuda::cpu::simt
