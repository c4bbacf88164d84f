// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/per_lane/per_lane_passes.h"

namespace pycuda::cpu::simt {

static constexpr llvm::StringLiteral lane_function_prefix = "lane.";

bool is_lane_function(const llvm::Function& function) {
  return function.getName().starts_with(lane_function_prefix);
}

llvm::Function* make_lane_function(llvm::Module& module, llvm::ArrayRef<llvm::Value*> arguments,
                                   llvm::StringRef label) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), types, false),
      llvm::Function::InternalLinkage, lane_function_prefix + label, module);
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  return function;
}

bool is_serial_block(const llvm::Function& function) {
  return !function.getName().drop_front(lane_function_prefix.size()).starts_with(own_row_label);
}

llvm::StringRef form_of_lane_function(const llvm::Function& function) {
  return !is_serial_block(function)
             ? "a row of each thread's own: thread by thread, neighbouring elements in vectors"
             : "serialised: a few threads access distant shared memory, one after the other";
}

void inline_lane_functions(llvm::Function& gang) {
  llvm::SmallVector<llvm::CallInst*, 4> calls;
  for (llvm::Instruction& instruction : llvm::instructions(gang)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && call->getCalledFunction() && is_lane_function(*call->getCalledFunction()))
      calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) inline_call(*call);
}

void drop_lane_functions(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (is_lane_function(function) && function.use_empty()) function.eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
