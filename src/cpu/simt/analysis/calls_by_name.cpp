// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/calls_by_name.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cassert>

#include "cpu/lower/callee_name.h"
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

bool calls(const llvm::Function& function, llvm::StringRef name) {
  return llvm::any_of(function, [&](const llvm::BasicBlock& block) { return calls(block, name); });
}

bool calls(const llvm::BasicBlock& block, llvm::StringRef name) {
  return llvm::any_of(block, [&](const llvm::Instruction& instruction) {
    return lower::callee_name(instruction) == name;
  });
}

std::vector<llvm::CallInst*> calls_of(llvm::Function& function, llvm::StringRef name) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (lower::callee_name(instruction) == name)
      found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  return found;
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
