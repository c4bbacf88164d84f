// SPDX-License-Identifier: MIT

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cpu/lower/callee_name.h"
#include "cpu/simt/analysis/barrier_notes.h"
#include "cpu/simt/blocks/block_passes.h"

namespace pycuda::cpu::simt {

void drop_notes_of_right_barriers(llvm::Function& full, llvm::Function* tail) {
  llvm::SmallVector<llvm::CallBase*, 16> notes;
  for (llvm::Function* gang : {&full, tail}) {
    if (!gang) continue;
    for (llvm::Instruction& instruction : llvm::instructions(*gang)) {
      if (lower::callee_name(instruction) != note_gang_barrier) continue;
      auto& note = llvm::cast<llvm::CallBase>(instruction);
      // Of some and not of others would look as if gangs were missing.
      if (!note.hasFnAttr(for_all_lanes)) return;
      notes.push_back(&note);
    }
  }
  for (llvm::CallBase* note : notes) note->eraseFromParent();
}

}  // namespace pycuda::cpu::simt
