// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {

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

}  // namespace pycuda::cpu::simt
