// SPDX-License-Identifier: MIT
// Of processors without native operations: never asked for.
#include "cpu/target/multiplied_root.h"

#include <llvm/Support/ErrorHandling.h>

namespace pycuda::cpu::target {

llvm::Value* leaves_range_of_roots(llvm::IRBuilder<>&, llvm::ArrayRef<llvm::Value*>) {
  llvm_unreachable("a processor without native operations");
}

MultipliedRoot multiplied_root(llvm::IRBuilder<>&, llvm::Value*, bool) {
  llvm_unreachable("a processor without native operations");
}

}  // namespace pycuda::cpu::target
