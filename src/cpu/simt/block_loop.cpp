// SPDX-License-Identifier: MIT
// The loop over threads: x fastest, then y, then z.
#include "cpu/simt/block_loop.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cassert>
#include <cstddef>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/source_lines.h"
#include "cpu/simt/special_values.h"

namespace pycuda::cpu::simt {

llvm::Function* make_block_loop(llvm::Function& kernel, llvm::StringRef name) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false),
      llvm::Function::ExternalLinkage, name + ".block", kernel.getParent());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  llvm::Argument* block = function->getArg(0);
  llvm::Argument* thread = function->getArg(1);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function);
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(context, "thread", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", function);

  b.SetInsertPoint(entry);
  llvm::Value* launch = load_field(b, block, offsetof(BlockFrame, launch), b.getPtrTy(), true);
  const auto extent = [&](std::size_t axis) {
    return load_field(b, launch, offsetof(LaunchFrame, block) + axis * sizeof(std::uint32_t),
                      b.getInt32Ty(), true);
  };
  llvm::Value* width = extent(0);
  llvm::Value* height = extent(1);
  // All threads, or those that a search for a fault wants alone.
  const auto own = [&](std::size_t offset) {
    return load_field(b, thread, offset, b.getInt32Ty(), false);
  };
  llvm::Value* wanted = own(offsetof(ThreadFrame, mask));
  llvm::Value* some = b.CreateIsNotNull(wanted);
  const auto start = [&](std::size_t offset) {
    return b.CreateSelect(some, own(offset), b.getInt32(0));
  };
  llvm::Value* x_start = start(offsetof(ThreadFrame, tid.x));
  llvm::Value* y_start = start(offsetof(ThreadFrame, tid.y));
  llvm::Value* z_start = start(offsetof(ThreadFrame, tid.z));
  llvm::Value* first = start(offsetof(ThreadFrame, linear));
  llvm::Value* end = b.CreateSelect(some, b.CreateAdd(first, wanted),
                                    b.CreateMul(b.CreateMul(width, height), extent(2)));
  llvm::Instruction* end_of_entry = b.CreateBr(loop);

  b.SetInsertPoint(loop);
  const auto counter = [&](const char* label, llvm::Value* from) {
    llvm::PHINode* phi = b.CreatePHI(b.getInt32Ty(), 2, label);
    phi->addIncoming(from, entry);
    return phi;
  };
  llvm::PHINode* x = counter("x", x_start);
  llvm::PHINode* y = counter("y", y_start);
  llvm::PHINode* z = counter("z", z_start);
  llvm::PHINode* linear = counter("linear", first);
  const auto put = [&](std::size_t offset, llvm::Value* value) {
    b.CreateAlignedStore(value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), thread, offset),
                         llvm::Align(4));
  };
  put(offsetof(ThreadFrame, tid.x), x);
  put(offsetof(ThreadFrame, tid.y), y);
  put(offsetof(ThreadFrame, tid.z), z);
  put(offsetof(ThreadFrame, linear), linear);
  llvm::CallInst* call = b.CreateCall(&kernel, {thread});
  call->setDoesNotThrow();

  llvm::Value* x_next = b.CreateAdd(x, b.getInt32(1));
  llvm::Value* x_wraps = b.CreateICmpEQ(x_next, width);
  llvm::Value* y_next = b.CreateAdd(y, b.CreateZExt(x_wraps, b.getInt32Ty()));
  llvm::Value* y_wraps = b.CreateICmpEQ(y_next, height);
  llvm::Value* linear_next = b.CreateAdd(linear, b.getInt32(1));
  x->addIncoming(b.CreateSelect(x_wraps, b.getInt32(0), x_next), loop);
  y->addIncoming(b.CreateSelect(y_wraps, b.getInt32(0), y_next), loop);
  z->addIncoming(b.CreateAdd(z, b.CreateZExt(y_wraps, b.getInt32Ty())), loop);
  linear->addIncoming(linear_next, loop);
  b.CreateCondBr(b.CreateICmpULT(linear_next, end), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();

  // The inliner splits the loop block and updates the phis to the block that then ends the loop.
  llvm::InlineFunctionInfo info;
  [[maybe_unused]] const llvm::InlineResult inlined = llvm::InlineFunction(*call, info);
  assert(inlined.isSuccess());
  kernel.eraseFromParent();

  llvm::StringMap<llvm::Value*> known;
  known["tid.x"] = x;
  known["tid.y"] = y;
  known["tid.z"] = z;
  known["linear"] = linear;
  known["block"] = block;
  replace_special_values(*function, known, end_of_entry);
  reduce_line_notes(*function);
  return function;
}

}  // namespace pycuda::cpu::simt
