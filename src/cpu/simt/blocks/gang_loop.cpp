// SPDX-License-Identifier: MIT
// The loops over rows and gangs.

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <cstddef>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/blocks/block_passes.h"
#include "cpu/simt/blocks/block_rows.h"
#include "cpu/simt/widen/place_stores.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

void replace_gang_values(llvm::Function& gang) {
  const auto replace = [&](const std::string& name, std::size_t offset) {
    const std::vector<llvm::CallInst*> calls = calls_of(gang, name);
    if (calls.empty()) return;
    llvm::BasicBlock& entry = gang.getEntryBlock();
    llvm::IRBuilder<> b(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    llvm::Value* value = load_word(b, gang.getArg(0), offset, false);
    for (llvm::CallInst* call : calls) {
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  };
  replace(gang_lanes, offsetof(ThreadFrame, mask));
  replace(std::string(lower::pseudo::sreg_prefix) + "tid.x", offsetof(ThreadFrame, tid.x));
}

llvm::Function* make_gang_loop(llvm::Function& full, llvm::Function* tail, llvm::StringRef name,
                               GangSize size) {
  llvm::LLVMContext& context = full.getContext();
  const std::uint64_t parameter_bytes =
      full.getFnAttributeAsParsedInteger(lower::pseudo::parameter_bytes);
  const bool numbered = asks_for_number(full) || (tail && asks_for_number(*tail));
  llvm::IRBuilder<> b(context);
  llvm::Function* function = new_block_function(full, name);
  llvm::Argument* thread = function->getArg(1);
  const auto new_block = [&](const char* label) {
    return llvm::BasicBlock::Create(context, label, function);
  };
  llvm::BasicBlock* entry = new_block("entry");
  llvm::BasicBlock* row = new_block("row");
  llvm::BasicBlock* gang = new_block("gang");
  llvm::BasicBlock* rest = new_block("rest");
  llvm::BasicBlock* next = new_block("next");
  llvm::BasicBlock* done = new_block("done");

  b.SetInsertPoint(entry);
  const auto [width, height, rows, full_end] = read_rows(b, *function, size, tail != nullptr);
  const auto put = [&](std::size_t offset, llvm::Value* value) {
    store_field(b, thread, offset, value);
  };
  llvm::Instruction* end_of_entry = b.CreateBr(row);

  b.SetInsertPoint(row);
  const auto counter = [&](const char* label, llvm::BasicBlock* from) {
    llvm::PHINode* phi = b.CreatePHI(b.getInt32Ty(), 2, label);
    phi->addIncoming(b.getInt32(0), from);
    return phi;
  };
  llvm::PHINode* number = counter("number", entry);
  llvm::PHINode* y = counter("y", entry);
  llvm::PHINode* z = counter("z", entry);
  put(offsetof(ThreadFrame, tid.y), y);
  put(offsetof(ThreadFrame, tid.z), z);
  llvm::Value* row_start = b.CreateMul(number, width);
  if (tail) {
    b.CreateCondBr(b.CreateICmpNE(full_end, b.getInt32(0)), gang, rest);
  } else {
    b.CreateBr(gang);
  }

  std::vector<llvm::CallInst*> calls;
  b.SetInsertPoint(gang);
  llvm::PHINode* x = counter("x", row);
  put(offsetof(ThreadFrame, tid.x), x);
  if (numbered) put(offsetof(ThreadFrame, linear), b.CreateAdd(row_start, x));
  calls.push_back(b.CreateCall(&full, {thread}));
  llvm::Value* x_next = b.CreateAdd(x, b.getInt32(size.columns));
  x->addIncoming(x_next, gang);
  b.CreateCondBr(b.CreateICmpULT(x_next, full_end), gang, rest);

  b.SetInsertPoint(rest);
  if (tail) {
    llvm::BasicBlock* partial = new_block("partial");
    b.CreateCondBr(b.CreateICmpNE(full_end, width), partial, next);
    b.SetInsertPoint(partial);
    put(offsetof(ThreadFrame, tid.x), full_end);
    if (numbered) put(offsetof(ThreadFrame, linear), b.CreateAdd(row_start, full_end));
    put(offsetof(ThreadFrame, mask), b.CreateSub(width, full_end));
    calls.push_back(b.CreateCall(tail, {thread}));
  }
  b.CreateBr(next);

  b.SetInsertPoint(next);
  llvm::Value* y_next = b.CreateAdd(y, b.getInt32(size.rows));
  llvm::Value* y_wraps = b.CreateICmpEQ(y_next, height);
  llvm::Value* number_next = b.CreateAdd(number, b.getInt32(size.rows));
  number->addIncoming(number_next, next);
  y->addIncoming(b.CreateSelect(y_wraps, b.getInt32(0), y_next), next);
  z->addIncoming(b.CreateAdd(z, b.CreateZExt(y_wraps, b.getInt32Ty())), next);
  b.CreateCondBr(b.CreateICmpULT(number_next, rows), row, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();

  for (llvm::CallInst* call : calls) {
    call->setDoesNotThrow();
    inline_call(*call);
  }
  full.eraseFromParent();
  if (tail) tail->eraseFromParent();
  llvm::StringMap<llvm::Value*> known;
  known["tid.y"] = y;
  known["tid.z"] = z;
  finish_loop(*function, known, end_of_entry, parameter_bytes);
  return function;
}

}  // namespace pycuda::cpu::simt
