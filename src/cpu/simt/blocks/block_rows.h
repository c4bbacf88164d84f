// SPDX-License-Identifier: MIT
// What the loops over a block's threads and gangs have in common.
#pragma once

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// A BlockFunction without code for what `kernel` does.
llvm::Function* new_block_function(const llvm::Function& kernel, const llvm::Twine& name);

/// Threads of a row, rows of a plane, all rows, and where the last whole gang of a row ends.
struct BlockRows {
  llvm::Value *width, *height, *all, *full_end;
};
BlockRows read_rows(llvm::IRBuilder<>& b, llvm::Function& function, GangSize size, bool tail);

/// A row's end: `rows` further, y and z, phis of its start, are these.
void step_row(llvm::IRBuilder<>& b, llvm::PHINode* y, llvm::PHINode* z, llvm::Value* height,
              unsigned rows);

/// Once a loop has its code: what asks for special values, some of them `known`, gets them.
/// Arguments are read at `end_of_entry`.
void finish_loop(llvm::Function& function, llvm::StringMap<llvm::Value*>& known,
                 llvm::Instruction* end_of_entry, std::uint64_t parameter_bytes);

}  // namespace pycuda::cpu::simt
