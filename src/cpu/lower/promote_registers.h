// SPDX-License-Identifier: MIT
// Registers that are written once become values at once: most are, and LLVM's own passes take long
// over thousands of variables that live across thousands of blocks.
#pragma once

#include <llvm/ADT/ArrayRef.h>

namespace llvm {
class AllocaInst;
class Function;
class StoreInst;
}  // namespace llvm

namespace pycuda::cpu::lower {

/// The memory of a PTX register while its function is lowered.
struct RegisterSlot {
  llvm::AllocaInst* memory = nullptr;
  llvm::StoreInst* zero = nullptr;  ///< what a read before the first write finds
};

/// Replaces reads of slots with the value written, where the one write there is beyond `zero` comes
/// before each of them, or with zero where there is none; such slots are gone afterwards. Others,
/// and those with uses other than reads and writes as a whole, stay as they are. `function` is
/// complete.
void promote_registers(llvm::Function& function, llvm::ArrayRef<RegisterSlot> slots);

}  // namespace pycuda::cpu::lower
