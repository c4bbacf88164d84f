// SPDX-License-Identifier: MIT
#include "cpu/simt/analysis/call_targets.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

#include "cpu/simt/analysis/dialect.h"

namespace pycuda::cpu::simt {

namespace {

/// Each target becomes code of its own at each call.
constexpr std::size_t most_targets = 8;
/// In a function, before what they become is slower than calls.
constexpr std::size_t most_named = 64;

bool is_call_through_pointer(const llvm::CallBase& call) { return call.isIndirectCall(); }

void name_targets_of(llvm::CallInst& call, llvm::ArrayRef<llvm::Function*> targets) {
  llvm::IRBuilder<> b(&call);
  llvm::BasicBlock* before = call.getParent();
  llvm::Function* function = before->getParent();
  llvm::BasicBlock* other = llvm::SplitBlock(before, &call);
  llvm::BasicBlock* after = llvm::SplitBlock(other, call.getNextNode());
  llvm::Value* pointer = call.getCalledOperand();
  llvm::PHINode* result = nullptr;
  if (!call.getType()->isVoidTy()) {
    result = llvm::PHINode::Create(call.getType(), static_cast<unsigned>(targets.size() + 1), "",
                                   after->begin());
    call.replaceAllUsesWith(result);
    result->addIncoming(&call, other);
  }
  llvm::BasicBlock* asks = before;
  for (llvm::Function* target : targets) {
    llvm::BasicBlock* calls =
        llvm::BasicBlock::Create(b.getContext(), target->getName(), function, other);
    llvm::BasicBlock* next =
        target == targets.back()
            ? other
            : llvm::BasicBlock::Create(b.getContext(), "other", function, other);
    if (llvm::Instruction* end = asks->getTerminator()) end->eraseFromParent();
    b.SetInsertPoint(asks);
    b.SetCurrentDebugLocation(call.getDebugLoc());
    b.CreateCondBr(b.CreateICmpEQ(pointer, target), calls, next);
    b.SetInsertPoint(calls);
    auto* by_name = llvm::cast<llvm::CallInst>(call.clone());
    by_name->setCalledFunction(target);
    b.Insert(by_name);
    b.CreateBr(after);
    if (result) result->addIncoming(by_name, calls);
    asks = next;
  }
}

}  // namespace

llvm::SetVector<const llvm::Function*> reached_from(llvm::ArrayRef<const llvm::Function*> from) {
  llvm::SetVector<const llvm::Function*> reached(from.begin(), from.end());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const llvm::Instruction& instruction : llvm::instructions(*reached[i])) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      if (const llvm::Function* callee = call->getCalledFunction()) {
        reached.insert(callee);
      } else if (call->isIndirectCall()) {
        for (const llvm::Function& other : *call->getModule()) {
          if (other.hasFnAttribute("ptx-address-taken")) reached.insert(&other);
        }
      }
    }
  }
  return reached;
}

CallTargets::CallTargets(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && function.hasFnAttribute("ptx-address-taken"))
      by_type_[function.getFunctionType()].push_back(&function);
  }
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && reaches_itself(function)) recursive_.insert(&function);
  }
}

llvm::ArrayRef<llvm::Function*> CallTargets::of(const llvm::CallBase& call) const {
  const auto found = by_type_.find(call.getFunctionType());
  return found == by_type_.end() ? llvm::ArrayRef<llvm::Function*>() : found->second;
}

bool CallTargets::reaches_itself(const llvm::Function& function) const {
  llvm::DenseSet<const llvm::Function*> seen;
  std::vector<const llvm::Function*> pending{&function};
  while (!pending.empty()) {
    const llvm::Function* next = pending.back();
    pending.pop_back();
    for (const llvm::Instruction& instruction : llvm::instructions(*next)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      llvm::SmallVector<const llvm::Function*, 4> callees;
      if (const llvm::Function* callee = call->getCalledFunction()) {
        callees.push_back(callee);
      } else if (is_call_through_pointer(*call)) {
        callees.append(of(*call).begin(), of(*call).end());
      }
      for (const llvm::Function* callee : callees) {
        if (callee == &function) return true;
        if (!callee->isDeclaration() && seen.insert(callee).second) pending.push_back(callee);
      }
    }
  }
  return false;
}

bool name_call_targets(llvm::Function& function, const CallTargets& targets) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && is_call_through_pointer(*call) && !call->hasMetadata(targets_named))
      calls.push_back(call);
  }
  const auto few = [&](const llvm::CallInst* call) {
    const std::size_t count = targets.of(*call).size();
    return count > 0 && count <= most_targets;
  };
  std::size_t count = 0;
  for (const llvm::CallInst* call : calls) count += few(call) ? targets.of(*call).size() : 0;
  for (llvm::CallInst* call : calls) {
    call->setMetadata(targets_named, llvm::MDNode::get(call->getContext(), {}));
    if (count <= most_named && few(call)) name_targets_of(*call, targets.of(*call));
  }
  return count > 0 && count <= most_named;
}

}  // namespace pycuda::cpu::simt
