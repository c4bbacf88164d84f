// SPDX-License-Identifier: MIT
// Emitters: fences, and hints that a CPU may ignore.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/memory_order.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

namespace {

bool emit_fence(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  llvm::IRBuilder<>& b = lowering.builder();
  // A block runs on one worker, so that within it only the compiler must be held back.
  const bool block_only = modifiers.scope == ptx::Scope::Cta || modifiers.has("cta");
  llvm::AtomicOrdering ordering = memory_order(modifiers.ordering);
  if (ordering == llvm::AtomicOrdering::NotAtomic || ordering == llvm::AtomicOrdering::Monotonic) {
    ordering = llvm::AtomicOrdering::SequentiallyConsistent;
  }
  if (lowering.module().options().checks.has(Check::Race))
    lowering.runtime_call(
        pseudo::note_fence, b.getVoidTy(),
        {lowering.thread(),
         b.getInt32(block_only ? AccessFlags::scope_block : scope_flags(modifiers.scope))});
  b.CreateFence(ordering, block_only ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
  return true;
}

}  // namespace

bool emit_cache_control(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::fence:
    case ptx::Opcode::membar:
      return emit_fence(lowering, instruction);
    case ptx::Opcode::createpolicy:
      if (instruction.operands.empty()) return false;
      lowering.write(instruction.operands[0], lowering.builder().getInt64(0));
      return true;
    case ptx::Opcode::applypriority:
    case ptx::Opcode::discard:
    case ptx::Opcode::griddepcontrol:
    case ptx::Opcode::pmevent:
    case ptx::Opcode::prefetch:
    case ptx::Opcode::prefetchu:
    case ptx::Opcode::setmaxnreg:
      return true;
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
