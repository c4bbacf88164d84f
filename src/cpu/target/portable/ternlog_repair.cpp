// SPDX-License-Identifier: MIT
// Of processors without three-input logic.
#include "cpu/target/ternlog_repair.h"

namespace pycuda::cpu::target {

std::unique_ptr<llvm::MachineFunctionPass> repair_of_ternary_logic(const Processor&,
                                                                   llvm::TargetMachine&, Emit) {
  return nullptr;
}

}  // namespace pycuda::cpu::target
