// SPDX-License-Identifier: MIT
// Calls of pseudo functions and of the executor, which know their types by their arguments.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace pycuda::cpu::simt {

/// A call of the module's function `name`, which is declared by it if there is none yet.
llvm::CallInst* call_by_name(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> arguments);

/// The same of a function whose result depends on its arguments alone.
llvm::CallInst* ask_by_name(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                            llvm::ArrayRef<llvm::Value*> arguments);

/// Whether `function`, or one block, calls the function `name`.
bool calls(const llvm::Function& function, llvm::StringRef name);
bool calls(const llvm::BasicBlock& block, llvm::StringRef name);
/// Those calls, in order.
std::vector<llvm::CallInst*> calls_of(llvm::Function& function, llvm::StringRef name);

/// A special register's value, in a function whose first argument is the thread.
llvm::CallInst* read_special_register(llvm::IRBuilderBase& b, llvm::StringRef name);

/// Inlines a call that can be.
void inline_call(llvm::CallInst& call);

}  // namespace pycuda::cpu::simt
