// SPDX-License-Identifier: MIT
// The frame begins like one of LLVM's, with the address of the function that goes on, or null when
// the coroutine has ended: callers cannot tell the two kinds apart.
#include "cpu/simt/blocks/plain_coroutines.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::simt {
namespace {

constexpr const char* split_plainly_mark = "split-plainly";
constexpr std::uint64_t state_offset = 16;  // behind the two functions of LLVM's frames
constexpr std::uint64_t first_offset = 24;
constexpr std::uint32_t callee_state = 1;  // 0 is the beginning
constexpr std::uint64_t frame_alignment = 64;

class Splitter {
 public:
  explicit Splitter(llvm::Function& ramp)
      : ramp_(ramp), layout_(ramp.getDataLayout()), b_(ramp.getContext()) {}
  void run();

 private:
  std::uint64_t place(llvm::Type* type, llvm::Align alignment);
  /// LLVM's intrinsics of coroutines, by number.
  std::vector<llvm::IntrinsicInst*>& calls_of(llvm::Intrinsic::ID id) { return calls_[id]; }
  void find_calls(llvm::Function& function);
  void move_body();
  void keep_arguments();
  void demote_values();
  void share_waits();
  void end_at_suspensions();
  void move_variables();
  void write_ramp();
  llvm::Value* field(llvm::Value* frame, std::uint64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), frame, offset);
  }

  llvm::Function& ramp_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> b_;
  llvm::Function* resume_ = nullptr;
  llvm::Value* frame_ = nullptr;  ///< of `resume_`
  llvm::BasicBlock* entry_ = nullptr;
  llvm::BasicBlock* callee_waits_ = nullptr;  ///< where a thread goes on whose callee has suspended
  std::map<llvm::Intrinsic::ID, std::vector<llvm::IntrinsicInst*>> calls_;
  std::vector<std::uint64_t> argument_offsets_;
  std::uint64_t bytes_ = first_offset;
};

std::uint64_t Splitter::place(llvm::Type* type, llvm::Align alignment) {
  const std::uint64_t offset = llvm::alignTo(bytes_, alignment);
  bytes_ = offset + layout_.getTypeAllocSize(type).getFixedValue();
  return offset;
}

void Splitter::find_calls(llvm::Function& function) {
  calls_.clear();
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      calls_[call->getIntrinsicID()].push_back(call);
  }
}

/// The body to the function that goes on; its entry chooses where.
void Splitter::move_body() {
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false);
  resume_ = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                   ramp_.getName() + ".resume", ramp_.getParent());
  resume_->setCallingConv(llvm::CallingConv::Fast);
  resume_->setAttributes(llvm::AttributeList::get(
      ramp_.getContext(), llvm::AttributeList::FunctionIndex,
      llvm::AttrBuilder(ramp_.getContext(), ramp_.getAttributes().getFnAttrs())));
  resume_->removeFnAttr(llvm::Attribute::PresplitCoroutine);
  resume_->addFnAttr(split_plainly_mark);
  resume_->splice(resume_->begin(), &ramp_);
  frame_ = resume_->getArg(0);
  frame_->setName("frame");
  entry_ = &resume_->getEntryBlock();
  // memory == null ? measure : begin
  auto* choice = llvm::cast<llvm::BranchInst>(entry_->getTerminator());
  llvm::BasicBlock *measure = choice->getSuccessor(0), *begin = choice->getSuccessor(1);
  auto* test = llvm::cast<llvm::Instruction>(choice->getCondition());
  choice->eraseFromParent();
  test->eraseFromParent();
  for (llvm::IntrinsicInst* call : calls_of(llvm::Intrinsic::coro_size)) {
    call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
    call->eraseFromParent();
  }
  llvm::DeleteDeadBlock(measure);
  b_.SetInsertPoint(entry_);
  b_.CreateBr(begin);
  for (llvm::IntrinsicInst* handle : calls_of(llvm::Intrinsic::coro_begin)) {
    handle->replaceAllUsesWith(frame_);
    handle->eraseFromParent();
  }
}

/// Arguments are in the frame, too. Each time, all are read at first.
void Splitter::keep_arguments() {
  b_.SetInsertPoint(entry_, entry_->getFirstNonPHIOrDbgOrAlloca());
  for (llvm::Argument& argument : ramp_.args()) {
    const llvm::Align alignment = layout_.getABITypeAlign(argument.getType());
    argument_offsets_.push_back(place(argument.getType(), alignment));
    if (argument.use_empty()) continue;
    argument.replaceAllUsesWith(b_.CreateAlignedLoad(
        argument.getType(), field(frame_, argument_offsets_.back()), alignment));
  }
}

bool leaves_block(const llvm::Instruction& instruction) {
  return llvm::any_of(instruction.users(), [&](const llvm::User* user) {
    const auto* reader = llvm::cast<llvm::Instruction>(user);
    return reader->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(reader);
  });
}

/// What the entry computes is there each time; whatever else another block reads becomes a
/// variable.
void Splitter::demote_values() {
  std::vector<llvm::Instruction*> values;
  std::vector<llvm::PHINode*> phis;
  for (llvm::Instruction& instruction : llvm::instructions(*resume_)) {
    if (instruction.getParent() == entry_) continue;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) phis.push_back(phi);
    if (leaves_block(instruction)) values.push_back(&instruction);
  }
  const auto at = entry_->begin();
  for (llvm::Instruction* value : values) llvm::DemoteRegToStack(*value, false, at);
  for (llvm::PHINode* phi : phis) llvm::DemotePHIToStack(phi, at);
}

/// The call in `done` that gives back the memory of the coroutine `handle`.
llvm::CallInst* find_pop(llvm::BasicBlock& done, const llvm::Value* handle) {
  for (llvm::Instruction& instruction : done) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && lower::callee_name(*call) == "pycuda_cpu_frame_pop" &&
        call->getArgOperand(1) == handle)
      return call;
  }
  return nullptr;
}

/// All calls of coroutines wait for their callee in one loop, which then gives back its memory and
/// goes on by the call's number. So a call's block no longer dominates what comes behind the call:
/// demote_values() has to follow.
void Splitter::share_waits() {
  const std::vector<llvm::IntrinsicInst*> questions = calls_of(llvm::Intrinsic::coro_done);
  if (questions.empty()) return;
  llvm::LLVMContext& context = resume_->getContext();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(context, name, resume_);
  };
  llvm::BasicBlock *test = block("callee"), *wait = block("callee.waits"),
                   *done = block("callee.done"), *never = block("never");
  callee_waits_ = block("callee.goes.on");
  b_.SetInsertPoint(entry_, entry_->begin());
  llvm::AllocaInst* callee = b_.CreateAlloca(b_.getPtrTy());
  llvm::AllocaInst* number = b_.CreateAlloca(b_.getInt32Ty());
  b_.SetInsertPoint(test);
  llvm::Value* handle = b_.CreateLoad(b_.getPtrTy(), callee);
  b_.CreateCondBr(b_.CreateIsNull(b_.CreateAlignedLoad(b_.getPtrTy(), handle, llvm::Align(8))),
                  done, wait);
  b_.SetInsertPoint(wait);
  b_.CreateAlignedStore(b_.getInt32(callee_state), field(frame_, state_offset), llvm::Align(4));
  b_.CreateRetVoid();
  b_.SetInsertPoint(callee_waits_);
  handle = b_.CreateLoad(b_.getPtrTy(), callee);
  b_.CreateCall(resume_->getFunctionType(),
                b_.CreateAlignedLoad(b_.getPtrTy(), handle, llvm::Align(8)), {handle})
      ->setCallingConv(llvm::CallingConv::Fast);
  b_.CreateBr(test);
  b_.SetInsertPoint(done);
  llvm::Value* ended = b_.CreateLoad(b_.getPtrTy(), callee);
  llvm::SwitchInst* calls = b_.CreateSwitch(b_.CreateLoad(b_.getInt32Ty(), number), never);
  b_.SetInsertPoint(never);
  b_.CreateUnreachable();
  llvm::CallInst* shared_pop = nullptr;
  for (llvm::IntrinsicInst* question : questions) {
    llvm::BasicBlock* own_test = question->getParent();
    auto* choice = llvm::cast<llvm::BranchInst>(own_test->getTerminator());
    llvm::BasicBlock *own_done = choice->getSuccessor(0), *own_wait = choice->getSuccessor(1);
    auto* own_choice = llvm::cast<llvm::SwitchInst>(own_wait->getTerminator());
    llvm::BasicBlock* resumed = own_choice->findCaseValue(b_.getInt8(0))->getCaseSuccessor();
    llvm::ConstantInt* own_number = b_.getInt32(calls->getNumCases());
    calls->addCase(own_number, own_done);
    llvm::Value* own_handle = question->getArgOperand(0);
    llvm::CallInst* pop = find_pop(*own_done, own_handle);
    // compile_module makes it a diagnostic: an internal error of this compiler.
    if (pop == nullptr)
      llvm::report_fatal_error("a call whose memory is not given back where its callee has ended");
    pop->removeFromParent();
    if (shared_pop) {
      pop->deleteValue();
    } else {
      shared_pop = pop;
      shared_pop->setArgOperand(1, ended);
      shared_pop->insertBefore(calls->getIterator());
    }
    for (llvm::BasicBlock* before : llvm::to_vector(llvm::predecessors(own_test))) {
      if (before == resumed) continue;
      llvm::Instruction* end = before->getTerminator();
      b_.SetInsertPoint(end);
      b_.CreateStore(own_handle, callee);
      b_.CreateStore(own_number, number);
      end->replaceSuccessorWith(own_test, test);
    }
    llvm::DeleteDeadBlocks({own_test, own_wait, resumed});
  }
}

void Splitter::end_at_suspensions() {
  llvm::Instruction* to_begin = entry_->getTerminator();
  b_.SetInsertPoint(to_begin);
  llvm::SwitchInst* states = b_.CreateSwitch(
      b_.CreateAlignedLoad(b_.getInt32Ty(), field(frame_, state_offset), llvm::Align(4)),
      to_begin->getSuccessor(0));
  to_begin->eraseFromParent();
  std::uint32_t last_state = 0;
  if (callee_waits_) states->addCase(b_.getInt32(last_state = callee_state), callee_waits_);
  for (llvm::IntrinsicInst* suspend : calls_of(llvm::Intrinsic::coro_suspend)) {
    auto* choice = llvm::cast<llvm::SwitchInst>(suspend->getParent()->getTerminator());
    llvm::BasicBlock* resumed = choice->findCaseValue(b_.getInt8(0))->getCaseSuccessor();
    const bool is_final = llvm::cast<llvm::ConstantInt>(suspend->getArgOperand(1))->isOne();
    b_.SetInsertPoint(choice);
    if (is_final) {
      b_.CreateAlignedStore(llvm::ConstantPointerNull::get(b_.getPtrTy()), frame_, llvm::Align(8));
    } else {
      llvm::ConstantInt* state = b_.getInt32(++last_state);
      b_.CreateAlignedStore(state, field(frame_, state_offset), llvm::Align(4));
      states->addCase(state, resumed);
    }
    b_.CreateRetVoid();
    choice->eraseFromParent();
    suspend->eraseFromParent();
  }
  llvm::removeUnreachableBlocks(*resume_);
}

/// To the frame. Each access has the sum of its own: instruction selection makes a displacement of
/// it, and would keep one that all share in a register.
void Splitter::move_variables() {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : *entry_) {
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      variables.push_back(variable);
  }
  for (llvm::AllocaInst* variable : variables) {
    for (llvm::User* user : llvm::make_early_inc_range(variable->users())) {
      auto* reader = llvm::cast<llvm::Instruction>(user);
      if (reader->isLifetimeStartOrEnd()) reader->eraseFromParent();
    }
    const std::uint64_t offset = place(variable->getAllocatedType(), variable->getAlign());
    for (llvm::Use& use : llvm::make_early_inc_range(variable->uses())) {
      b_.SetInsertPoint(llvm::cast<llvm::Instruction>(use.getUser()));
      use.set(field(frame_, offset));
    }
    variable->eraseFromParent();
  }
}

void Splitter::write_ramp() {
  llvm::LLVMContext& context = ramp_.getContext();
  ramp_.removeFnAttr(llvm::Attribute::PresplitCoroutine);
  llvm::Value *thread = ramp_.getArg(0), *memory = ramp_.getArg(1);
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "ramp", &ramp_);
  llvm::BasicBlock* measure = llvm::BasicBlock::Create(context, "measure", &ramp_);
  llvm::BasicBlock* begin = llvm::BasicBlock::Create(context, "begin", &ramp_);
  b_.SetInsertPoint(entry);
  b_.CreateCondBr(b_.CreateIsNull(memory), measure, begin);
  b_.SetInsertPoint(measure);
  b_.CreateAlignedStore(b_.getInt64(llvm::alignTo(bytes_, frame_alignment)),
                        field(thread, offsetof(ThreadFrame, scratch)), llvm::Align(8));
  b_.CreateRet(llvm::ConstantPointerNull::get(b_.getPtrTy()));
  b_.SetInsertPoint(begin);
  b_.CreateAlignedStore(resume_, memory, llvm::Align(8));
  b_.CreateAlignedStore(b_.getInt32(0), field(memory, state_offset), llvm::Align(4));
  for (llvm::Argument& argument : ramp_.args())
    b_.CreateAlignedStore(&argument, field(memory, argument_offsets_[argument.getArgNo()]),
                          layout_.getABITypeAlign(argument.getType()));
  b_.CreateCall(resume_->getFunctionType(), resume_, {memory})
      ->setCallingConv(llvm::CallingConv::Fast);
  b_.CreateRet(memory);
}

void Splitter::run() {
  find_calls(ramp_);
  move_body();
  keep_arguments();
  share_waits();
  demote_values();
  find_calls(*resume_);
  end_at_suspensions();
  for (llvm::IntrinsicInst* call : calls_of(llvm::Intrinsic::coro_id)) call->eraseFromParent();
  move_variables();
  write_ramp();
}

bool has_known_size(const llvm::AllocaInst& variable) {
  return llvm::isa<llvm::Constant>(variable.getArraySize()) && variable.isStaticAlloca() &&
         !variable.isArrayAllocation() && variable.getAlign().value() <= frame_alignment;
}

}  // namespace

std::size_t suspensions_of(const llvm::Function& function) {
  std::size_t count = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    count += call && call->getIntrinsicID() == llvm::Intrinsic::coro_suspend ? 1 : 0;
  }
  return count;
}

bool is_split_plainly(const llvm::Function& function) {
  return function.hasFnAttribute(split_plainly_mark);
}

bool split_plainly(llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable && !has_known_size(*variable)) return false;
  }
  Splitter(function).run();
  return true;
}

}  // namespace pycuda::cpu::simt
