// SPDX-License-Identifier: MIT
// Of processors without native operations: no code has calls of them.
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::target {

bool is_native_instruction(const llvm::CallInst&) { return false; }

void select_native_operations(llvm::Module&) {}

}  // namespace pycuda::cpu::target
