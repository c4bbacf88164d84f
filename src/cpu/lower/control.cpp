// SPDX-License-Identifier: MIT
// Emitters: branches, the ends of threads and functions, nanosleep.
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/loop_lines.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

namespace {

/// What tells LLVM to leave a loop's trips as they are.
llvm::MDNode* one_trip_at_a_time(llvm::LLVMContext& context) {
  llvm::MDNode* disable =
      llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, disable});
  loop->replaceOperandWith(0, loop);
  return loop;
}

bool emit_branch(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.empty() || instruction.operands[0].kind != ptx::Operand::Kind::Label)
    return false;
  const ptx::LabelId target = instruction.operands[0].label;
  llvm::BranchInst* branch = lowering.builder().CreateBr(lowering.label_block(target));
  const ptx::Label& label = lowering.source().labels[target];
  const auto here = static_cast<std::size_t>(&instruction - lowering.source().body.data());
  if (label.instruction <= here && instruction.source_line != 0)
    remember_line(*branch, instruction.source_line, instruction.source_file);
  if (label.keeps_trips && label.instruction <= here)
    branch->setMetadata(llvm::LLVMContext::MD_loop, one_trip_at_a_time(branch->getContext()));
  lowering.start_unreachable_block();
  return true;
}

bool emit_indexed_branch(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.empty() || instruction.targets.empty()) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* index = lowering.read_bits(instruction.operands[0], 32);
  lowering.counting().branch(instruction, index);
  llvm::BasicBlock* outside = lowering.new_block("outside");
  llvm::SwitchInst* branch =
      b.CreateSwitch(index, outside, static_cast<unsigned>(instruction.targets.size()));
  for (std::uint32_t i = 0; i < instruction.targets.size(); ++i) {
    branch->addCase(b.getInt32(i), lowering.label_block(instruction.targets[i]));
  }
  b.SetInsertPoint(outside);
  lowering.track_line();
  lowering.fault(FaultKind::BranchTarget, b.CreateZExt(index, b.getInt64Ty()));
  lowering.start_unreachable_block();
  return true;
}

void emit_exit(FunctionLowering& lowering) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (lowering.source().is_entry) {
    b.CreateBr(lowering.return_block());
  } else {
    lowering.pseudo_call(pseudo::exit, b.getVoidTy(), {}, true);
    b.CreateUnreachable();
  }
  lowering.start_unreachable_block();
}

}  // namespace

bool emit_control(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  switch (instruction.opcode) {
    case ptx::Opcode::bra:
      return emit_branch(lowering, instruction);
    case ptx::Opcode::brx:
      return emit_indexed_branch(lowering, instruction);
    case ptx::Opcode::ret:
      b.CreateBr(lowering.return_block());
      lowering.start_unreachable_block();
      return true;
    case ptx::Opcode::exit:
      emit_exit(lowering);
      return true;
    case ptx::Opcode::brkpt:
    case ptx::Opcode::trap: {
      lowering.track_line();
      lowering.runtime_call("pycuda_cpu_trap", b.getVoidTy(), {lowering.thread()})
          ->setDoesNotReturn();
      b.CreateUnreachable();
      lowering.start_unreachable_block();
      return true;
    }
    case ptx::Opcode::nanosleep:
      if (instruction.operands.size() != 1) return false;
      lowering.runtime_call("pycuda_cpu_nanosleep", b.getVoidTy(),
                            {lowering.thread(), lowering.read_bits(instruction.operands[0], 32)});
      lowering.pseudo_call(pseudo::yield, b.getVoidTy(), {}, true);
      return true;
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
