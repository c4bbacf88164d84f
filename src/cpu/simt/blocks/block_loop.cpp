// SPDX-License-Identifier: MIT
// The loop over threads: x fastest, then y, then z.

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/blocks/block_passes.h"

namespace pycuda::cpu::simt {

namespace {

/// Instructions of a loop over threads in which there are registers for all parameters.
constexpr unsigned most_for_early_parameters = 400;

/// A row's threads: those of a block with the same y and z.
struct Counters {
  llvm::PHINode *x, *y, *z;
  llvm::Value* linear;
};

/// The loops over rows and threads; several forms of a kernel may have some each.
class ThreadLoops {
 public:
  /// Reads at `b` which threads there are: all, or those that a search for a fault wants alone.
  ThreadLoops(llvm::IRBuilder<>& b, llvm::Function& function)
      : b_(b), function_(function), thread_(function.getArg(1)) {
    llvm::Value* launch =
        load_field(b, function.getArg(0), offsetof(BlockFrame, launch), b.getPtrTy(), true);
    const auto extent = [&](std::size_t axis) {
      return load_field(b, launch, offsetof(LaunchFrame, block) + axis * sizeof(std::uint32_t),
                        b.getInt32Ty(), true);
    };
    width_ = extent(0);
    height_ = extent(1);
    llvm::Value* depth = extent(2);
    const auto own = [&](std::size_t offset) {
      return load_field(b, thread_, offset, b.getInt32Ty(), false);
    };
    llvm::Value* wanted = own(offsetof(ThreadFrame, mask));
    llvm::Value* some = b.CreateIsNotNull(wanted);
    const auto start = [&](std::size_t offset) {
      return b.CreateSelect(some, own(offset), b.getInt32(0));
    };
    x_ = start(offsetof(ThreadFrame, tid.x));
    y_ = start(offsetof(ThreadFrame, tid.y));
    z_ = start(offsetof(ThreadFrame, tid.z));
    first_ = start(offsetof(ThreadFrame, linear));
    end_ = b.CreateSelect(some, b.CreateAdd(first_, wanted),
                          b.CreateMul(b.CreateMul(width_, height_), depth));
  }

  /// Loops that call `kernel`, from the end of `before` to `done`. The call is `call` afterwards.
  Counters loop_over(llvm::Function& kernel, llvm::BasicBlock* before, llvm::BasicBlock* row,
                     llvm::BasicBlock* done, llvm::CallInst*& call) {
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(b_.getContext(), "thread", &function_);
    llvm::BasicBlock* next = llvm::BasicBlock::Create(b_.getContext(), "next", &function_);
    b_.SetInsertPoint(row);
    llvm::PHINode* start = counter("start", x_, before);
    llvm::PHINode* number = counter("number", first_, before);
    llvm::PHINode* y = counter("y", y_, before);
    llvm::PHINode* z = counter("z", z_, before);
    put(offsetof(ThreadFrame, tid.y), y);
    put(offsetof(ThreadFrame, tid.z), z);
    llvm::Value* left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.CreateSub(width_, start),
                                                 b_.CreateSub(end_, number));
    llvm::Value* end = b_.CreateAdd(start, left);
    llvm::Value* before_row = b_.CreateSub(number, start);
    b_.CreateBr(loop);

    b_.SetInsertPoint(loop);
    llvm::PHINode* x = counter("x", start, row);
    llvm::Value* linear = b_.CreateAdd(before_row, x, "linear");
    put(offsetof(ThreadFrame, tid.x), x);
    put(offsetof(ThreadFrame, linear), linear);
    call = b_.CreateCall(&kernel, {thread_});
    call->setDoesNotThrow();
    llvm::Value* x_next = b_.CreateAdd(x, b_.getInt32(1), "", /*HasNUW=*/true);
    x->addIncoming(x_next, loop);
    b_.CreateCondBr(b_.CreateICmpULT(x_next, end), loop, next);

    b_.SetInsertPoint(next);
    llvm::Value* number_next = b_.CreateAdd(before_row, end);
    llvm::Value* y_next = b_.CreateAdd(y, b_.getInt32(1));
    llvm::Value* y_wraps = b_.CreateICmpEQ(y_next, height_);
    start->addIncoming(b_.getInt32(0), next);
    number->addIncoming(number_next, next);
    y->addIncoming(b_.CreateSelect(y_wraps, b_.getInt32(0), y_next), next);
    z->addIncoming(b_.CreateAdd(z, b_.CreateZExt(y_wraps, b_.getInt32Ty())), next);
    b_.CreateCondBr(b_.CreateICmpULT(number_next, end_), row, done);
    return {x, y, z, linear};
  }

 private:
  llvm::PHINode* counter(const char* label, llvm::Value* from, llvm::BasicBlock* before) {
    llvm::PHINode* phi = b_.CreatePHI(b_.getInt32Ty(), 2, label);
    phi->addIncoming(from, before);
    return phi;
  }
  void put(std::size_t offset, llvm::Value* value) { store_field(b_, thread_, offset, value); }

  llvm::IRBuilder<>& b_;
  llvm::Function& function_;
  llvm::Argument* thread_;
  llvm::Value *width_, *height_;
  llvm::Value *x_, *y_, *z_, *first_, *end_;  ///< of the first thread; the number after the last
};

}  // namespace

llvm::Function* make_block_loop(llvm::Function& kernel, llvm::StringRef name,
                                const ParameterChecks& checks) {
  llvm::LLVMContext& context = kernel.getContext();
  const std::uint64_t parameter_bytes =
      kernel.getFnAttributeAsParsedInteger(lower::pseudo::parameter_bytes);
  llvm::IRBuilder<> b(context);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false),
      llvm::Function::ExternalLinkage, name + ".block", kernel.getParent());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  lower::flush_like(*function, kernel);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function);
  llvm::BasicBlock* row = llvm::BasicBlock::Create(context, "row", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  ThreadLoops loops(b, *function);
  llvm::Instruction* end_of_entry = nullptr;
  if (checks.careful) {
    llvm::BasicBlock* careful = llvm::BasicBlock::Create(context, "careful", function);
    llvm::Value* launch =
        load_field(b, function->getArg(0), offsetof(BlockFrame, launch), b.getPtrTy(), true);
    llvm::Value* params = load_parameters(b, launch, parameter_bytes);
    end_of_entry = b.CreateCondBr(are_passed(b, params, checks.questions), row, careful);
    llvm::CallInst* call = nullptr;
    loops.loop_over(*checks.careful, entry, careful, done, call);
  } else {
    end_of_entry = b.CreateBr(row);
  }
  llvm::CallInst* call = nullptr;
  const Counters counters = loops.loop_over(kernel, entry, row, done, call);
  b.SetInsertPoint(done);
  b.CreateRetVoid();

  // Debuggers show it as a function, with its variables.
  if (kernel.getSubprogram() != nullptr) return function;

  // The inliner splits the loop block and updates the phis to the block that then ends the loop.
  inline_call(*call);
  kernel.eraseFromParent();

  llvm::StringMap<llvm::Value*> known;
  known["tid.x"] = counters.x;
  known["tid.y"] = counters.y;
  known["tid.z"] = counters.z;
  known["linear"] = counters.linear;
  known["block"] = function->getArg(0);
  // In long code they would only be spilled.
  const bool early = function->getInstructionCount() <= most_for_early_parameters;
  replace_special_values(*function, known, end_of_entry, early ? parameter_bytes : 0);
  reduce_line_notes(*function);
  return function;
}

}  // namespace pycuda::cpu::simt
