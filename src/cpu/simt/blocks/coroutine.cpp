// SPDX-License-Identifier: MIT
// Ramp, suspension points, calls of other coroutines, end.
#include "cpu/simt/blocks/coroutine.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/blocks/waits.h"

namespace pycuda::cpu::simt {

namespace {

/// Writes one coroutine's body.
class Body {
 public:
  Body(llvm::Function& ramp, bool is_kernel, unsigned& next_site)
      : ramp_(ramp), is_kernel_(is_kernel), next_site_(next_site), b_(ramp.getContext()) {}

  void make_ends(llvm::BasicBlock* old_entry);
  void replace_returns(llvm::ArrayRef<llvm::ReturnInst*> returns);
  void replace_pseudo(llvm::CallInst* call);
  /// `enter`, if there is one, enters the callee (write_enter).
  void replace_call(llvm::CallInst* call, llvm::FunctionType* ramp_type, llvm::Value* callee,
                    llvm::Function* enter);

 private:
  llvm::Value* thread() { return ramp_.getArg(0); }
  llvm::Value* memory() { return ramp_.getArg(1); }
  llvm::BasicBlock* block(const char* name) {
    return llvm::BasicBlock::Create(ramp_.getContext(), name, &ramp_);
  }
  void put(std::size_t offset, llvm::Value* value) { store_field(b_, thread(), offset, value); }
  void put_state(ThreadState state) {
    put(offsetof(ThreadFrame, state), b_.getInt32(static_cast<std::uint32_t>(state)));
  }
  void suspend();
  llvm::AllocaInst* result_slot(llvm::Type* type);

  llvm::Function& ramp_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> result_slots_;
  bool is_kernel_;
  unsigned& next_site_;
  llvm::IRBuilder<> b_;
  llvm::BasicBlock* finish_ = nullptr;  // the function's end
  llvm::BasicBlock* leave_ = nullptr;   // back to whoever runs or resumed the coroutine
};

void Body::make_ends(llvm::BasicBlock* old_entry) {
  llvm::LLVMContext& context = ramp_.getContext();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "ramp", &ramp_, old_entry);
  llvm::BasicBlock* measure = block("measure");
  llvm::BasicBlock* begin = block("begin");
  finish_ = block("finish");
  leave_ = block("leave");
  llvm::Constant* null = llvm::ConstantPointerNull::get(b_.getPtrTy());

  b_.SetInsertPoint(entry);
  llvm::Value* id =
      b_.CreateIntrinsic(llvm::Intrinsic::coro_id, {}, {b_.getInt32(64), null, null, null});
  b_.CreateCondBr(b_.CreateIsNull(memory()), measure, begin);
  b_.SetInsertPoint(measure);
  put(offsetof(ThreadFrame, scratch),
      b_.CreateIntrinsic(llvm::Intrinsic::coro_size, {b_.getInt64Ty()}, {}));
  b_.CreateRet(null);

  b_.SetInsertPoint(begin);
  llvm::Value* handle = b_.CreateIntrinsic(llvm::Intrinsic::coro_begin, {}, {id, memory()});
  if (is_kernel_) put(offsetof(ThreadFrame, coroutine), handle);
  b_.CreateBr(old_entry);
  // Variables of the function must stay static allocas: those of the entry block.
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(*old_entry)) {
    if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        slot && llvm::isa<llvm::Constant>(slot->getArraySize())) {
      slot->moveBefore(*entry, entry->begin());
    }
  }

  b_.SetInsertPoint(finish_);
  if (is_kernel_) put_state(ThreadState::Exited);
  llvm::Value* none = llvm::ConstantTokenNone::get(context);
  llvm::Value* next = b_.CreateIntrinsic(llvm::Intrinsic::coro_suspend, {}, {none, b_.getTrue()});
  llvm::BasicBlock* never = block("never");
  llvm::SwitchInst* choice = b_.CreateSwitch(next, leave_, 2);
  choice->addCase(b_.getInt8(0), never);
  choice->addCase(b_.getInt8(1), leave_);
  b_.SetInsertPoint(never);
  b_.CreateUnreachable();
  b_.SetInsertPoint(leave_);
  b_.CreateIntrinsic(llvm::Intrinsic::coro_end, {}, {handle, b_.getFalse(), none});
  b_.CreateRet(handle);
}

void Body::suspend() {
  llvm::BasicBlock* resumed = block("resumed");
  llvm::Value* none = llvm::ConstantTokenNone::get(ramp_.getContext());
  llvm::Value* next = b_.CreateIntrinsic(llvm::Intrinsic::coro_suspend, {}, {none, b_.getFalse()});
  llvm::SwitchInst* choice = b_.CreateSwitch(next, leave_, 2);
  choice->addCase(b_.getInt8(0), resumed);
  choice->addCase(b_.getInt8(1), leave_);
  b_.SetInsertPoint(resumed);
}

void Body::replace_returns(llvm::ArrayRef<llvm::ReturnInst*> returns) {
  for (llvm::ReturnInst* ret : returns) {
    b_.SetInsertPoint(ret);
    if (llvm::Value* value = ret->getReturnValue()) {
      b_.CreateAlignedStore(value, ramp_.getArg(static_cast<unsigned>(ramp_.arg_size()) - 1),
                            llvm::Align(16));
    }
    b_.CreateBr(finish_);
    ret->eraseFromParent();
  }
}

void Body::replace_pseudo(llvm::CallInst* call) {
  llvm::BasicBlock* before = call->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(call->getIterator());
  before->getTerminator()->eraseFromParent();
  b_.SetInsertPoint(before);
  b_.SetCurrentDebugLocation(call->getDebugLoc());
  llvm::Value* replacement = write_wait(b_, *call, thread(), next_site_++, [&] { suspend(); });
  b_.CreateBr(after);
  if (replacement) call->replaceAllUsesWith(replacement);
  call->eraseFromParent();
}

/// Gets memory for a coroutine's frame and calls its ramp with `rest` behind the thread and the
/// memory: what the ramp returns.
llvm::Value* write_enter(llvm::IRBuilder<>& b, llvm::Value* thread, llvm::FunctionType* ramp_type,
                         llvm::Value* ramp, llvm::ArrayRef<llvm::Value*> rest) {
  std::vector<llvm::Value*> arguments{thread, llvm::ConstantPointerNull::get(b.getPtrTy())};
  for (const llvm::Value* value : rest)
    arguments.push_back(llvm::PoisonValue::get(value->getType()));
  b.CreateCall(ramp_type, ramp, arguments);
  llvm::Value* bytes = load_field(b, thread, offsetof(ThreadFrame, scratch), b.getInt64Ty(), false);
  arguments[1] = call_by_name(b, "pycuda_cpu_frame_push", b.getPtrTy(), {thread, bytes});
  std::copy(rest.begin(), rest.end(), arguments.begin() + 2);
  return b.CreateCall(ramp_type, ramp, arguments);
}

/// Lets what uses the result of `call` read `slot`, where the callee has stored it, before another
/// call does. Elements of a structure are read one by one: code selection at the least effort would
/// load, and keep in memory, the whole structure for each of them.
void read_result(llvm::IRBuilder<>& b, llvm::CallInst& call, llvm::AllocaInst& slot) {
  if (auto* type = llvm::dyn_cast<llvm::StructType>(call.getType())) {
    const llvm::StructLayout& layout = *call.getDataLayout().getStructLayout(type);
    b.SetInsertPoint(&call);
    for (llvm::User* user : llvm::make_early_inc_range(call.users())) {
      auto* element = llvm::dyn_cast<llvm::ExtractValueInst>(user);
      if (!element || element->getNumIndices() != 1) continue;
      const unsigned index = element->getIndices().front();
      element->replaceAllUsesWith(b.CreateAlignedLoad(
          element->getType(), b.CreateStructGEP(type, &slot, index),
          llvm::commonAlignment(slot.getAlign(), layout.getElementOffset(index))));
      element->eraseFromParent();
    }
  }
  if (call.use_empty()) return;
  b.SetInsertPoint(&call);
  call.replaceAllUsesWith(b.CreateAlignedLoad(call.getType(), &slot, slot.getAlign()));
}

/// For the results of this type of all calls: each is read before the next call.
llvm::AllocaInst* Body::result_slot(llvm::Type* type) {
  llvm::AllocaInst*& slot = result_slots_[type];
  if (slot) return slot;
  llvm::BasicBlock& entry = ramp_.getEntryBlock();
  b_.SetInsertPoint(&entry, entry.begin());
  slot = b_.CreateAlloca(type);
  slot->setAlignment(llvm::Align(16));
  return slot;
}

void Body::replace_call(llvm::CallInst* call, llvm::FunctionType* ramp_type, llvm::Value* callee,
                        llvm::Function* enter) {
  llvm::BasicBlock* before = call->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(call->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::AllocaInst* slot = nullptr;
  if (!call->getType()->isVoidTy()) slot = result_slot(call->getType());
  b_.SetInsertPoint(before);
  b_.SetCurrentDebugLocation(call->getDebugLoc());
  std::vector<llvm::Value*> arguments{call->arg_begin() + 1, call->arg_end()};
  if (slot) arguments.push_back(slot);
  llvm::Value* handle = nullptr;
  if (enter) {
    arguments.insert(arguments.begin(), thread());
    handle = b_.CreateCall(enter, arguments);
  } else {
    handle = write_enter(b_, thread(), ramp_type, callee, arguments);
  }
  llvm::BasicBlock* test = block("callee");
  llvm::BasicBlock* wait = block("callee.waits");
  llvm::BasicBlock* done = block("callee.done");
  b_.CreateBr(test);
  b_.SetInsertPoint(test);
  b_.CreateCondBr(b_.CreateIntrinsic(llvm::Intrinsic::coro_done, {}, {handle}), done, wait);
  b_.SetInsertPoint(wait);
  suspend();
  b_.CreateIntrinsic(llvm::Intrinsic::coro_resume, {}, {handle});
  b_.CreateBr(test);
  b_.SetInsertPoint(done);
  // The frame begins where the memory for it does.
  call_by_name(b_, "pycuda_cpu_frame_pop", b_.getVoidTy(), {thread(), handle});
  b_.CreateBr(after);
  if (slot) read_result(b_, *call, *slot);
  call->eraseFromParent();
}

}  // namespace

CoroutineMaker::CoroutineMaker(llvm::Module& module, const Suspension& suspension)
    : module_(module), suspension_(suspension) {}

llvm::FunctionType* CoroutineMaker::ramp_type(llvm::FunctionType* plain) const {
  llvm::Type* pointer = llvm::PointerType::get(module_.getContext(), 0);
  std::vector<llvm::Type*> types{pointer, pointer};
  types.insert(types.end(), plain->param_begin() + 1, plain->param_end());
  if (!plain->getReturnType()->isVoidTy()) types.push_back(pointer);
  return llvm::FunctionType::get(pointer, types, false);
}

llvm::Function* CoroutineMaker::declare(llvm::Function& plain) {
  llvm::Function* ramp =
      llvm::Function::Create(ramp_type(plain.getFunctionType()), plain.getLinkage(), "", module_);
  ramp->addFnAttr(llvm::Attribute::NoUnwind);
  ramp->addFnAttr(llvm::Attribute::NullPointerIsValid);
  ramp->addFnAttr(llvm::Attribute::PresplitCoroutine);
  lower::flush_like(*ramp, plain);
  // The ramp runs up to where the thread first waits, and would be copied to each of its calls.
  if (plain.hasNUsesOrMore(2)) ramp->addFnAttr(llvm::Attribute::NoInline);
  const bool is_kernel = plain.hasFnAttribute("ptx-kernel");
  if (is_kernel) {
    ramp->setLinkage(llvm::Function::ExternalLinkage);
    llvm::StringRef name = plain.getName();
    name.consume_front("f.");
    ramp->setName(name + ".thread");
  } else {
    ramp->takeName(&plain);
  }
  return ramp;
}

/// Where many places call a coroutine, they share what begins it. The function, or null.
llvm::Function* CoroutineMaker::make_enter(llvm::Function& plain, llvm::Function& ramp) {
  constexpr unsigned many = 8;
  if (!plain.hasNUsesOrMore(many)) return nullptr;
  llvm::FunctionType* type = ramp.getFunctionType();
  std::vector<llvm::Type*> types{type->param_begin(), type->param_end()};
  types.erase(types.begin() + 1);  // the memory
  llvm::Function* enter =
      llvm::Function::Create(llvm::FunctionType::get(type->getReturnType(), types, false),
                             llvm::Function::InternalLinkage, ramp.getName() + ".enter", module_);
  enter->addFnAttr(llvm::Attribute::NoUnwind);
  enter->addFnAttr(llvm::Attribute::NoInline);
  enter->addFnAttr(llvm::Attribute::NullPointerIsValid);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(module_.getContext(), "entry", enter));
  std::vector<llvm::Value*> rest;
  for (llvm::Argument& argument : llvm::drop_begin(enter->args())) rest.push_back(&argument);
  b.CreateRet(write_enter(b, enter->getArg(0), type, &ramp, rest));
  return enter;
}

void CoroutineMaker::convert(llvm::Function& plain, llvm::Function& ramp) {
  const bool is_kernel = plain.hasFnAttribute("ptx-kernel");
  ramp.splice(ramp.begin(), &plain);
  plain.getArg(0)->replaceAllUsesWith(ramp.getArg(0));
  ramp.getArg(0)->setName("thread");
  ramp.getArg(1)->setName("memory");
  for (unsigned i = 1; i < plain.arg_size(); ++i)
    plain.getArg(i)->replaceAllUsesWith(ramp.getArg(i + 1));

  std::vector<llvm::ReturnInst*> returns;
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(ramp)) {
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) returns.push_back(ret);
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && suspension_.is_suspending_call(*call)) calls.push_back(call);
  }
  const std::vector<llvm::CallInst*> waits = waits_of(ramp);
  Body body(ramp, is_kernel, next_site_);
  body.make_ends(&ramp.getEntryBlock());
  body.replace_returns(returns);
  for (llvm::CallInst* call : waits) body.replace_pseudo(call);
  for (llvm::CallInst* call : calls) {
    llvm::Function* callee = call->getCalledFunction();
    llvm::Value* target =
        callee ? static_cast<llvm::Value*>(ramps_.lookup(callee)) : call->getCalledOperand();
    body.replace_call(call, ramp_type(call->getFunctionType()), target, enters_.lookup(callee));
  }
  replace_special_values(ramp, {}, nullptr);
}

void CoroutineMaker::run() {
  const std::vector<llvm::Function*> plain_functions = in_order_of_calls(module_, suspension_);
  for (llvm::Function* plain : plain_functions) ramps_[plain] = declare(*plain);
  for (llvm::Function* plain : plain_functions) {
    if (llvm::Function* enter = make_enter(*plain, *ramps_[plain])) enters_[plain] = enter;
  }
  for (llvm::Function* plain : plain_functions) convert(*plain, *ramps_[plain]);
  for (llvm::Function* plain : plain_functions) {
    // What is left are addresses: of functions called through pointers, all of which are coroutines
    // now.
    plain->replaceAllUsesWith(ramps_[plain]);
    plain->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
