// SPDX-License-Identifier: MIT
#include "cpu/target/native_operations.h"

#include <llvm/IR/Module.h>

#include <cassert>
#include <cstddef>
#include <string>

#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::target {
namespace {

constexpr const char* prefix = "native.";
constexpr unsigned gang_lanes_multiple = 16;

/// In NativeOperation's order.
constexpr const char* names[] = {"native.scale",     "native.exponent", "native.mantissa",
                                 "native.fraction",  "native.chosen",   "native.sum-toward-zero",
                                 "native.truncated", "native.nearest",  "native.larger",
                                 "native.smaller",   "native.quieted"};

bool makes_integers(llvm::StringRef name) {
  return name.starts_with(name_of(NativeOperation::Truncated)) ||
         name.starts_with(name_of(NativeOperation::Nearest));
}

llvm::CallInst* call_named(llvm::IRBuilder<>& b, const std::string& name,
                           llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Type* type = operands[0]->getType();
  const llvm::SmallVector<llvm::Type*, 3> types(operands.size(), type);
  llvm::Type* result = makes_integers(name) ? type->getWithNewType(b.getInt32Ty()) : type;
  llvm::FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->addFnAttr(llvm::Attribute::NoSync);
  function->addFnAttr(llvm::Attribute::Speculatable);
  llvm::CallInst* call = b.CreateCall(callee, operands);
  call->setAttributes(function->getAttributes());
  return call;
}

}  // namespace

llvm::StringRef name_of(NativeOperation operation) {
  return names[static_cast<std::size_t>(operation)];
}

bool is_native(const llvm::CallInst& call, NativeOperation operation) {
  return lower::callee_name(call).starts_with(name_of(operation));
}

bool is_native_operation(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && callee->getName().starts_with(prefix);
}

llvm::CallInst* call_native(llvm::IRBuilder<>& b, NativeOperation operation,
                            llvm::ArrayRef<llvm::Value*> operands) {
  const char* type = operands[0]->getType()->isDoubleTy() ? ".f64" : ".f32";
  return call_named(b, name_of(operation).str() + type, operands);
}

llvm::CallInst* widen_native(llvm::IRBuilder<>& b, const llvm::CallInst& call,
                             llvm::ArrayRef<llvm::Value*> operands) {
  const unsigned lanes =
      llvm::cast<llvm::FixedVectorType>(operands[0]->getType())->getNumElements();
  assert(lanes % gang_lanes_multiple == 0 && "a gang of whole registers");
  return call_named(b, lower::callee_name(call).str() + "." + std::to_string(lanes), operands);
}

}  // namespace pycuda::cpu::target
