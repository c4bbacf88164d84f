// SPDX-License-Identifier: MIT
// Emitters: addresses as values: cvta, isspacep, and the extra stack of alloca.
#include <algorithm>
#include <bit>

#include "cpu/lower/cluster.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

namespace {

/// Generic addresses are host addresses, and so are those of every space but .shared.
bool emit_cvta(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  const ptx::Modifiers& modifiers = instruction.modifiers;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* address = lowering.read_bits(instruction.operands[1], 64);
  if (modifiers.space == ptx::Space::Shared) {
    llvm::Value* base = b.CreatePtrToInt(lowering.shared_base(), b.getInt64Ty());
    address = modifiers.to ? b.CreateSub(address, base) : b.CreateAdd(address, base);
  }
  lowering.write(instruction.operands[0], address);
  return true;
}

/// The function of the run time that answers for a space; null for .shared, which compiled code
/// knows.
const char* question_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::Local:
      return "pycuda_cpu_is_local";
    case ptx::Space::Const:
      return "pycuda_cpu_is_constant";
    case ptx::Space::Param:
      return "pycuda_cpu_is_parameter";
    case ptx::Space::Global:
      return "pycuda_cpu_is_global";
    default:
      return nullptr;
  }
}

bool emit_isspacep(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* address = lowering.read_bits(instruction.operands[1], 64);
  const ptx::Space space = instruction.modifiers.space;
  if (space == ptx::Space::Shared) {
    lowering.write(instruction.operands[0], lowering.is_in_shared(address));
    return true;
  }
  const char* const question = question_of(space);
  if (question == nullptr) return false;
  llvm::CallInst* answer =
      lowering.runtime_call(question, b.getInt32Ty(), {lowering.thread(), address});
  answer->getCalledFunction()->setOnlyReadsMemory();
  lowering.write(instruction.operands[0], b.CreateICmpNE(answer, b.getInt32(0)));
  return true;
}

bool emit_alloca(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() < 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  std::uint64_t alignment = 16;
  if (instruction.operands.size() > 2 &&
      instruction.operands[2].kind == ptx::Operand::Kind::Integer) {
    alignment = std::max<std::uint64_t>(alignment, instruction.operands[2].bits);
  }
  constexpr std::uint64_t most_alignment = 1 << 20;
  if (!std::has_single_bit(alignment) || alignment > most_alignment) return false;
  lowering.track_line();
  llvm::Value* memory = lowering.push_variable(lowering.read_bits(instruction.operands[1], 64),
                                               static_cast<std::uint32_t>(alignment), true);
  lowering.write(instruction.operands[0], b.CreatePtrToInt(memory, b.getInt64Ty()));
  return true;
}

}  // namespace

bool emit_address(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const bool of_cluster = instruction.modifiers.has("shared::cluster");
  switch (instruction.opcode) {
    case ptx::Opcode::mapa:
    case ptx::Opcode::getctarank:
      return emit_cluster_rank(lowering, instruction);
    case ptx::Opcode::cvta:
      return of_cluster ? emit_cluster_cvta(lowering, instruction)
                        : emit_cvta(lowering, instruction);
    case ptx::Opcode::isspacep:
      return of_cluster ? emit_is_in_cluster(lowering, instruction)
                        : emit_isspacep(lowering, instruction);
    case ptx::Opcode::alloca:
      return emit_alloca(lowering, instruction);
    case ptx::Opcode::stacksave:
      if (instruction.operands.size() != 1) return false;
      lowering.stack_mark();
      lowering.write(instruction.operands[0],
                     lowering.runtime_call("pycuda_cpu_frame_push", b.getPtrTy(),
                                           {lowering.thread(), b.getInt64(0)}));
      return true;
    case ptx::Opcode::stackrestore:
      if (instruction.operands.size() != 1) return false;
      lowering.runtime_call(
          "pycuda_cpu_frame_pop", b.getVoidTy(),
          {lowering.thread(),
           b.CreateIntToPtr(lowering.read_bits(instruction.operands[0], 64), b.getPtrTy())});
      return true;
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
