// SPDX-License-Identifier: MIT

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <memory>

#include "cpu/jit/finishing_passes.h"

namespace pycuda::cpu::jit {
namespace {

constexpr std::size_t most_instructions = 32;

bool is_computed(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::BinaryOperator, llvm::CmpInst,
                   llvm::SelectInst>(instruction);
}

/// Of one function, as it was before CoroSplit changed it: what that adds is not asked for again.
class ShortChains {
 public:
  bool has(const llvm::Instruction& instruction) {
    if (instruction.getFunction() != function_) look_at(*instruction.getFunction());
    return is_computed(instruction) && instructions_.contains(&instruction);
  }

 private:
  void look_at(const llvm::Function& function) {
    function_ = &function;
    instructions_.clear();
    for (const llvm::BasicBlock* block :
         llvm::ReversePostOrderTraversal<const llvm::Function*>(&function)) {
      for (const llvm::Instruction& instruction : *block) {
        if (!is_computed(instruction)) continue;
        std::size_t needed = 1;
        for (const llvm::Use& operand : instruction.operands()) {
          needed += instructions_.lookup(llvm::dyn_cast<llvm::Instruction>(operand));
        }
        if (needed <= most_instructions) instructions_[&instruction] = needed;
      }
    }
  }

  const llvm::Function* function_ = nullptr;
  llvm::DenseMap<const llvm::Instruction*, std::size_t> instructions_;  ///< that each needs
};

}  // namespace

std::function<bool(llvm::Instruction&)> recomputed_values() {
  return [chains = std::make_shared<ShortChains>()](const llvm::Instruction& instruction) {
    return chains->has(instruction);
  };
}

}  // namespace pycuda::cpu::jit
