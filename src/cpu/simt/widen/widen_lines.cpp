// SPDX-License-Identifier: MIT
// Gangs whose lanes access whole lines of global memory, where races are looked for: a call that
// says whether that is easily seen to be in order, and needs nothing of the gang's frame.
#include <llvm/IR/MDBuilder.h>

#include "cpu/kernel_abi/word_states.h"
#include "cpu/simt/widen/racing_access.h"

namespace pycuda::cpu::simt {

bool Widener::RacingAccess::may_be_lines() const {
  constexpr std::uint64_t others = AccessFlags::strong | AccessFlags::update | AccessFlags::shared;
  // What lanes of several rows write may be the same place.
  return !shape.is_varying() && shape.stride == static_cast<std::int64_t>(bytes) &&
         (flags & others) == 0 && (rows == 1 || is_read()) && bytes >= word_bytes &&
         bytes <= 4 * word_bytes && llvm::isPowerOf2_64(bytes) &&
         lanes * bytes % NotedLines::line_bytes == 0;
}

llvm::BasicBlock* Widener::RacingAccess::look_at_lines(Widener& widener, unsigned row) const {
  llvm::IRBuilder<>& b = widener.b_;
  llvm::BasicBlock *look = widener.new_block("lines"), *tell = widener.new_block("tell"),
                   *after = widener.new_block("noted");
  llvm::MDNode* likely = llvm::MDBuilder(b.getContext()).createLikelyBranchWeights();
  llvm::Value* first = widener.row_value(address, row);
  llvm::Value* are_lines =
      b.CreateIsNull(b.CreateAnd(first, b.getInt64(NotedLines::line_bytes - 1)));
  if (!widener.is_full(widener.mask_))
    are_lines = b.CreateAnd(are_lines, b.CreateAndReduce(widener.row_lanes(widener.mask_, row)));
  b.CreateCondBr(are_lines, look, tell, likely);
  b.SetInsertPoint(look);
  NotedLines what;
  what.log_bytes = llvm::Log2_64(bytes);
  what.lines = static_cast<std::uint32_t>(lanes * bytes / NotedLines::line_bytes);
  what.is_read = is_read();
  llvm::Value* in_order = b.CreateIsNotNull(widener.call_checks(
      "pycuda_cpu_note_lines",
      {widener.word_states(), first, widener.first_thread(row), place, b.getInt32(what.packed())},
      b.getInt32Ty()));
  b.CreateCondBr(in_order, after, tell, likely);
  b.SetInsertPoint(tell);
  return after;
}

}  // namespace pycuda::cpu::simt
