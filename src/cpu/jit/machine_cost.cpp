// SPDX-License-Identifier: MIT
// LLVM's estimate of each instruction on this target, which counts parts of vectors and lanes.
#include "cpu/jit/machine_cost.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace pycuda::cpu::jit {
namespace {

/// Values on their way from block to block, which later passes keep in registers.
bool is_of_local_variable(const llvm::Instruction& instruction) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  return pointer != nullptr && llvm::isa<llvm::AllocaInst>(pointer);
}

}  // namespace

std::uint64_t machine_cost(llvm::Function& function, llvm::TargetMachine& target) {
  const llvm::TargetTransformInfo costs = target.getTargetTransformInfo(function);
  std::uint64_t sum = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_of_local_variable(instruction)) continue;
    const auto cost =
        costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_RecipThroughput)
            .getValue();
    if (cost) sum += static_cast<std::uint64_t>(*cost);
  }
  return sum;
}

std::uint64_t machine_cost(llvm::Module& module, llvm::TargetMachine& target) {
  std::uint64_t sum = 0;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) sum += machine_cost(function, target);
  }
  return sum;
}

}  // namespace pycuda::cpu::jit
