// SPDX-License-Identifier: MIT
// Emitters: addresses of the shared memory of other blocks of the cluster.
#include "cpu/lower/cluster.h"

#include <vector>

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

void use_cluster(FunctionLowering& lowering) {
  lowering.runtime_call("pycuda_cpu_cluster_use", lowering.builder().getVoidTy(),
                        {lowering.thread()});
}

llvm::Value* cluster_pointer(FunctionLowering& lowering, llvm::Value* address) {
  lowering.track_line();
  return lowering.runtime_call("pycuda_cpu_cluster_pointer", lowering.builder().getPtrTy(),
                               {lowering.thread(), address});
}

bool emit_cluster_rank(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const bool maps = instruction.opcode == ptx::Opcode::mapa;
  if (instruction.operands.size() != (maps ? 3u : 2u)) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.track_line();
  const bool is_generic = !instruction.modifiers.has_space;
  std::vector<llvm::Value*> arguments{lowering.thread(),
                                      lowering.read_bits(instruction.operands[1], 64)};
  if (maps) arguments.push_back(lowering.read_bits(instruction.operands[2], 32));
  arguments.push_back(b.getInt32(is_generic ? 1 : 0));
  lowering.write(instruction.operands[0],
                 lowering.runtime_call(maps ? "pycuda_cpu_cluster_map" : "pycuda_cpu_cluster_rank",
                                       maps ? b.getInt64Ty() : b.getInt32Ty(), arguments));
  return true;
}

bool emit_cluster_cvta(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.track_line();
  llvm::Value* address = lowering.read_bits(instruction.operands[1], 64);
  if (instruction.modifiers.to) {
    address = lowering.runtime_call("pycuda_cpu_cluster_address", b.getInt32Ty(),
                                    {lowering.thread(), address});
  } else {
    address = b.CreatePtrToInt(cluster_pointer(lowering, b.CreateTrunc(address, b.getInt32Ty())),
                               b.getInt64Ty());
  }
  lowering.write(instruction.operands[0], address);
  return true;
}

bool emit_is_in_cluster(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* answer =
      lowering.runtime_call("pycuda_cpu_cluster_has", b.getInt32Ty(),
                            {lowering.thread(), lowering.read_bits(instruction.operands[1], 64)});
  lowering.write(instruction.operands[0], b.CreateICmpNE(answer, b.getInt32(0)));
  return true;
}

}  // namespace pycuda::cpu::lower
