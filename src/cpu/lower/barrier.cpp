// SPDX-License-Identifier: MIT
// Emitters: barriers of a block and of a warp.
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/clusters.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/pseudo.h"
#include "cpu/lower/warp_call.h"

namespace pycuda::cpu::lower {

namespace {

BarrierReduce reduction_of(ptx::AtomicOp operation) {
  if (operation == ptx::AtomicOp::And) return BarrierReduce::And;
  if (operation == ptx::AtomicOp::Or) return BarrierReduce::Or;
  return BarrierReduce::Popc;
}

/// bar.red d, id {, count}, predicate
bool emit_reduction(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (operands.size() != 3 && operands.size() != 4) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* id = lowering.read_bits(operands[1], 32);
  llvm::Value* count = operands.size() == 4 ? lowering.read_bits(operands[2], 32) : b.getInt32(0);
  llvm::Value* predicate = b.CreateZExt(lowering.read_bits(operands.back(), 1), b.getInt32Ty());
  const BarrierReduce reduction = reduction_of(instruction.modifiers.atomic);
  llvm::Value* result = lowering.pseudo_call(
      pseudo::barrier_reduce, b.getInt32Ty(),
      {id, count, predicate, b.getInt32(static_cast<std::uint32_t>(reduction))}, true);
  if (reduction != BarrierReduce::Popc) result = b.CreateICmpNE(result, b.getInt32(0));
  lowering.write(operands[0], result);
  return true;
}

/// Notes the line for findings, and whether all threads of a warp must come to this barrier.
void note_barrier(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (!lowering.module().options().checks.has(Check::Sync)) return;
  lowering.track_line();
  if (instruction.modifiers.barrier == ptx::BarrierMode::Warp) return;
  const bool is_aligned = instruction.opcode == ptx::Opcode::bar || instruction.modifiers.aligned;
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.runtime_call(
      pseudo::note_barrier, b.getVoidTy(),
      {lowering.thread(), b.getInt32(is_aligned ? 1 : 0), b.getInt32(no_check_site)});
}

/// The thread has waited.
bool note_passed(FunctionLowering& lowering) {
  if (lowering.module().options().checks.has(Check::Race))
    lowering.runtime_call(pseudo::note_passed, lowering.builder().getVoidTy(), {lowering.thread()});
  return true;
}

/// barrier.cluster.arrive and barrier.cluster.wait
bool emit_cluster_barrier(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (!instruction.operands.empty()) return false;
  lowering.track_line();
  const ptx::Ordering order = instruction.modifiers.ordering;
  if (instruction.modifiers.has("wait")) {
    lowering.runtime_call("pycuda_cpu_cluster_wait", b.getVoidTy(), {lowering.thread()});
    lowering.pseudo_call(pseudo::barrier_sync, b.getVoidTy(),
                         {b.getInt32(cluster_barrier), b.getInt32(0)}, true);
    return true;
  }
  if (instruction.modifiers.barrier != ptx::BarrierMode::Arrive) return false;
  if (order != ptx::Ordering::Relaxed)
    b.CreateFence(llvm::AtomicOrdering::Release, llvm::SyncScope::SingleThread);
  lowering.runtime_call("pycuda_cpu_cluster_arrive", b.getVoidTy(), {lowering.thread()});
  return true;
}

}  // namespace

bool emit_barrier(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (instruction.modifiers.scope == ptx::Scope::Cluster)
    return emit_cluster_barrier(lowering, instruction);
  note_barrier(lowering, instruction);
  switch (instruction.modifiers.barrier) {
    case ptx::BarrierMode::Warp:
      if (operands.size() != 1) return false;
      warp_call(lowering, WarpOp::Sync, lowering.read_bits(operands[0], 32));
      return true;
    case ptx::BarrierMode::Red:
      return emit_reduction(lowering, instruction) && note_passed(lowering);
    case ptx::BarrierMode::Sync:
    case ptx::BarrierMode::Arrive: {
      if (operands.empty() || operands.size() > 2) return false;
      const bool waits = instruction.modifiers.barrier == ptx::BarrierMode::Sync;
      if (!waits && operands.size() != 2) return false;
      llvm::Value* id = lowering.read_bits(operands[0], 32);
      llvm::Value* count =
          operands.size() == 2 ? lowering.read_bits(operands[1], 32) : b.getInt32(0);
      lowering.pseudo_call(waits ? pseudo::barrier_sync : pseudo::barrier_arrive, b.getVoidTy(),
                           {id, count}, true);
      return !waits || note_passed(lowering);
    }
    case ptx::BarrierMode::None:
      return false;
  }
  return false;
}

}  // namespace pycuda::cpu::lower
