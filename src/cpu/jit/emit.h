// SPDX-License-Identifier: MIT
// Optimised IR to an object file, with passes of ours in LLVM's code generator.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineFunctionPass.h>

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Writes `module` as a relocatable file to `object`. `after_selection`, if any, runs right after
/// instruction selection. False if the target cannot emit object files.
bool emit_object(llvm::Module& module, llvm::TargetMachine& target,
                 std::unique_ptr<llvm::MachineFunctionPass> after_selection,
                 llvm::SmallVectorImpl<char>& object);

}  // namespace pycuda::cpu::jit
