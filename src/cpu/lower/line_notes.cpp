// SPDX-License-Identifier: MIT
#include "cpu/lower/line_notes.h"

#include <llvm/IR/Argument.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::lower {

void note_line(llvm::IRBuilderBase& builder, llvm::Value* thread, std::uint32_t line,
               std::uint32_t file) {
  const auto put = [&](std::size_t offset, std::uint32_t value) {
    // Volatile: the reader is a fault handler that LLVM does not know of.
    builder.CreateAlignedStore(
        builder.getInt32(value),
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread, offset), llvm::Align(4),
        true);
  };
  put(offsetof(ThreadFrame, source_line), line);
  put(offsetof(ThreadFrame, source_file), file);
}

bool is_line_note(const llvm::Instruction& instruction) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->isVolatile() && llvm::isa<llvm::ConstantInt>(store->getValueOperand()) &&
         llvm::isa<llvm::Argument>(store->getPointerOperand()->stripInBoundsConstantOffsets());
}

}  // namespace pycuda::cpu::lower
