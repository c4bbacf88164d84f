// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/calls_by_name.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cassert>
#include <string>

#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {

llvm::CallInst* call_by_name(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  return b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction(
                          name, llvm::FunctionType::get(result, types, false)),
                      arguments);
}

llvm::CallInst* ask_by_name(llvm::IRBuilderBase& b, llvm::StringRef name, llvm::Type* result,
                            llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* call = call_by_name(b, name, result, arguments);
  llvm::Function* function = call->getCalledFunction();
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return call;
}

llvm::CallInst* read_special_register(llvm::IRBuilderBase& b, llvm::StringRef name) {
  return call_by_name(b, (lower::pseudo::sreg_prefix + name).str(), b.getInt32Ty(),
                      {b.GetInsertBlock()->getParent()->getArg(0)});
}

void inline_call(llvm::CallInst& call) {
  llvm::InlineFunctionInfo info;
  [[maybe_unused]] const llvm::InlineResult inlined = llvm::InlineFunction(call, info);
  assert(inlined.isSuccess());
}

}  // namespace pycuda::cpu::simt
