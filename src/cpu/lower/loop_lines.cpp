// SPDX-License-Identifier: MIT
// Loops are found anew: only the branches know their lines.
#include "cpu/lower/loop_lines.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/lower/line_notes.h"

namespace pycuda::cpu::lower {
namespace {

constexpr const char* line_of_loop = "pycuda.line";

using Line = std::pair<std::uint32_t, std::uint32_t>;  // and the file

std::optional<Line> line_of(const llvm::Instruction& branch) {
  const llvm::MDNode* node = branch.getMetadata(line_of_loop);
  if (!node) return std::nullopt;
  const auto number = [&](unsigned i) {
    return static_cast<std::uint32_t>(
        llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(i))->getZExtValue());
  };
  return Line(number(0), number(1));
}

/// Of the first branch back to the loop's begin that has one.
std::optional<Line> line_of(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  loop.getLoopLatches(latches);
  for (const llvm::BasicBlock* latch : latches) {
    if (const auto line = line_of(*latch->getTerminator())) return line;
  }
  return std::nullopt;
}

bool has_notes(const llvm::Loop& loop) {
  return std::any_of(loop.block_begin(), loop.block_end(), [](const llvm::BasicBlock* block) {
    return std::any_of(block->begin(), block->end(), is_line_note);
  });
}

}  // namespace

void remember_line(llvm::BranchInst& branch, std::uint32_t line, std::uint32_t file) {
  llvm::LLVMContext& context = branch.getContext();
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  const auto number = [&](std::uint32_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, value));
  };
  branch.setMetadata(line_of_loop, llvm::MDNode::get(context, {number(line), number(file)}));
}

void note_lines_of_loops(llvm::Function& function) {
  const bool any = std::any_of(llvm::inst_begin(function), llvm::inst_end(function),
                               [](const auto& instruction) { return line_of(instruction); });
  if (!any) return;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<const llvm::Loop*> pending(loops.begin(), loops.end());
  while (!pending.empty()) {
    const llvm::Loop& loop = *pending.back();
    pending.pop_back();
    if (has_notes(loop)) {
      pending.insert(pending.end(), loop.begin(), loop.end());
      continue;
    }
    const auto line = line_of(loop);
    if (!line) continue;
    // Lowering leaves blocks that nothing reaches; they enter no loop.
    for (llvm::BasicBlock* before : llvm::predecessors(loop.getHeader())) {
      if (loop.contains(before) || !dominators.isReachableFromEntry(before)) continue;
      llvm::IRBuilder<> builder(before->getTerminator());
      note_line(builder, function.getArg(0), line->first, line->second);
    }
  }
}

}  // namespace pycuda::cpu::lower
