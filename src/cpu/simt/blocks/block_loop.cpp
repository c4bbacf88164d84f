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
#include "cpu/simt/blocks/block_rows.h"

namespace pycuda::cpu::simt {

namespace {

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
    llvm::Value* launch = load_launch(b, function.getArg(0));
    const auto extent = [&](std::size_t axis) {
      return load_word(b, launch, offsetof(LaunchFrame, block) + axis * sizeof(std::uint32_t),
                       true);
    };
    width_ = extent(0);
    height_ = extent(1);
    llvm::Value* depth = extent(2);
    const auto own = [&](std::size_t offset) { return load_word(b, thread_, offset, false); };
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
    start->addIncoming(b_.getInt32(0), next);
    number->addIncoming(number_next, next);
    step_row(b_, y, z, height_, 1);
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

llvm::Function* new_block_function(const llvm::Function& kernel, const llvm::Twine& name) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false),
      llvm::Function::ExternalLinkage, name, *const_cast<llvm::Module*>(kernel.getParent()));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  lower::flush_like(*function, kernel);
  return function;
}

BlockRows read_rows(llvm::IRBuilder<>& b, llvm::Function& function, GangSize size, bool tail) {
  llvm::Value* block = function.getArg(0);
  llvm::Value* launch = load_launch(b, block);
  const auto extent = [&](std::size_t axis) {
    return load_word(b, launch, offsetof(LaunchFrame, rows) + axis * sizeof(std::uint32_t), true);
  };
  BlockRows rows{};
  rows.width = load_word(b, block, offsetof(BlockFrame, row_threads), true);
  rows.height = extent(1);
  rows.all = b.CreateMul(rows.height, extent(2));
  rows.full_end = tail ? b.CreateAnd(rows.width, b.getInt32(~(size.columns - 1))) : rows.width;
  return rows;
}

void step_row(llvm::IRBuilder<>& b, llvm::PHINode* y, llvm::PHINode* z, llvm::Value* height,
              unsigned rows) {
  llvm::Value* next = b.CreateAdd(y, b.getInt32(rows));
  llvm::Value* wraps = b.CreateICmpEQ(next, height);
  y->addIncoming(b.CreateSelect(wraps, b.getInt32(0), next), b.GetInsertBlock());
  z->addIncoming(b.CreateAdd(z, b.CreateZExt(wraps, b.getInt32Ty())), b.GetInsertBlock());
}

void finish_loop(llvm::Function& function, llvm::StringMap<llvm::Value*>& known,
                 llvm::Instruction* end_of_entry, std::uint64_t parameter_bytes) {
  // In long code there are no registers for all parameters: they would only be spilled.
  constexpr unsigned most_for_early_parameters = 400;
  known["block"] = function.getArg(0);
  const bool early = function.getInstructionCount() <= most_for_early_parameters;
  replace_special_values(function, known, end_of_entry, early ? parameter_bytes : 0);
  reduce_line_notes(function);
}

llvm::Function* make_block_loop(llvm::Function& kernel, llvm::StringRef name,
                                const ParameterChecks& checks) {
  llvm::LLVMContext& context = kernel.getContext();
  const std::uint64_t parameter_bytes =
      kernel.getFnAttributeAsParsedInteger(lower::pseudo::parameter_bytes);
  llvm::IRBuilder<> b(context);
  llvm::Function* function = new_block_function(kernel, name + ".block");
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "entry", function);
  llvm::BasicBlock* row = llvm::BasicBlock::Create(context, "row", function);
  llvm::BasicBlock* done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  ThreadLoops loops(b, *function);
  llvm::Instruction* end_of_entry = nullptr;
  if (checks.careful) {
    llvm::BasicBlock* careful = llvm::BasicBlock::Create(context, "careful", function);
    llvm::Value* params = load_parameters(b, load_launch(b, function->getArg(0)), parameter_bytes);
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
  finish_loop(*function, known, end_of_entry, parameter_bytes);
  return function;
}

}  // namespace pycuda::cpu::simt
