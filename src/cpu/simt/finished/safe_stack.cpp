// SPDX-License-Identifier: MIT
// Which variables are safe where they are, and one piece of memory for the others.

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/lower/source_frame.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/finished/finished_passes.h"

namespace pycuda::cpu::simt {
namespace {

std::optional<std::uint64_t> fixed_size(llvm::TypeSize size) {
  if (size.isScalable()) return std::nullopt;
  return size.getFixedValue();
}

/// How many bytes from `pointer` on `access` reads or writes; nothing if that is not known, or the
/// address is used in another way.
std::optional<std::uint64_t> accessed_bytes(const llvm::Instruction& access,
                                            const llvm::Value& pointer,
                                            const llvm::DataLayout& layout) {
  if (llvm::isa<llvm::LoadInst>(access))
    return fixed_size(layout.getTypeStoreSize(access.getType()));
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) {
    if (store->getValueOperand() == &pointer) return std::nullopt;
    return fixed_size(layout.getTypeStoreSize(store->getValueOperand()->getType()));
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&access);
  if (!call) return std::nullopt;
  if (const auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(call)) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(fill->getLength());
    return length ? std::optional(length->getZExtValue()) : std::nullopt;
  }
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
      return fixed_size(layout.getTypeStoreSize(call->getType()));
    case llvm::Intrinsic::masked_store:
      return fixed_size(layout.getTypeStoreSize(call->getArgOperand(0)->getType()));
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
      return 0;
    default:
      return std::nullopt;
  }
}

class Bounds {
 public:
  Bounds(llvm::AllocaInst& variable, std::uint64_t bytes, llvm::ScalarEvolution& evolution)
      : variable_(variable),
        bytes_(bytes),
        evolution_(evolution),
        layout_(variable.getDataLayout()) {}

  /// Whether all that is done with the variable's address stays within the variable.
  bool are_kept() {
    llvm::SmallVector<llvm::Instruction*, 16> pending{&variable_};
    llvm::SmallPtrSet<const llvm::Instruction*, 16> seen{&variable_};
    while (!pending.empty()) {
      llvm::Instruction* pointer = pending.pop_back_val();
      for (llvm::User* user : pointer->users()) {
        auto* instruction = llvm::cast<llvm::Instruction>(user);
        if (llvm::isa<llvm::ICmpInst>(instruction)) continue;
        if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst>(instruction) &&
            instruction->getType()->isPointerTy()) {
          if (seen.insert(instruction).second) pending.push_back(instruction);
          continue;
        }
        const auto bytes = accessed_bytes(*instruction, *pointer, layout_);
        if (!bytes || (*bytes != 0 && !within(*pointer, *bytes))) return false;
      }
    }
    return true;
  }

 private:
  bool within(llvm::Instruction& pointer, std::uint64_t bytes) {
    if (bytes > bytes_) return false;
    if (&pointer == &variable_) return true;
    const llvm::SCEV* offset =
        evolution_.getMinusSCEV(evolution_.getSCEV(&pointer), evolution_.getSCEV(&variable_));
    if (llvm::isa<llvm::SCEVCouldNotCompute>(offset)) return false;
    const llvm::ConstantRange range = evolution_.getSignedRange(offset);
    return !range.getSignedMin().isNegative() && range.getSignedMax().ule(bytes_ - bytes);
  }

  llvm::AllocaInst& variable_;
  const std::uint64_t bytes_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DataLayout& layout_;
};

struct Apart {
  llvm::AllocaInst* variable;
  std::uint64_t offset;
};

/// Memory that nothing else has.
llvm::CallInst* push(llvm::IRBuilder<>& b, llvm::StringRef name,
                     llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* memory = call_by_name(b, name, b.getPtrTy(), arguments);
  memory->setName("local");
  memory->getCalledFunction()->addFnAttr(llvm::Attribute::NoUnwind);
  memory->getCalledFunction()->addRetAttr(llvm::Attribute::NoAlias);
  return memory;
}

/// Memory that lasts until the function returns.
llvm::Value* push_for_call(llvm::Function& function, std::uint64_t bytes) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> b(&entry, entry.begin());
  llvm::CallInst* memory = push(b, "pycuda_cpu_local_push", {b.getInt64(bytes)});
  for (llvm::BasicBlock& block : function) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    b.SetInsertPoint(end);
    call_by_name(b, "pycuda_cpu_local_pop", b.getVoidTy(), {memory, b.getInt64(bytes)})
        ->getCalledFunction()
        ->addFnAttr(llvm::Attribute::NoUnwind);
  }
  return memory;
}

/// Memory that lasts until the function returns, of a thread that may wait meanwhile.
llvm::Value* push_for_waiting_call(llvm::Function& function, std::uint64_t bytes) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> b(&entry, entry.begin());
  llvm::CallInst* memory =
      push(b, "pycuda_cpu_variable_push",
           {function.getArg(0), b.getInt64(bytes), b.getInt32(local_alignment), b.getInt32(0)});
  for (llvm::BasicBlock& block : function) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    b.SetInsertPoint(end);
    call_by_name(b, "pycuda_cpu_frame_pop", b.getVoidTy(), {function.getArg(0), memory})
        ->getCalledFunction()
        ->addFnAttr(llvm::Attribute::NoUnwind);
  }
  return memory;
}

/// Memory that lasts until the coroutine's frame is popped, or its CUDA thread is no more.
llvm::Value* push_for_thread(llvm::Function& coroutine, std::uint64_t bytes) {
  for (llvm::Instruction& instruction : llvm::instructions(coroutine)) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::coro_begin) continue;
    llvm::IRBuilder<> b(instruction.getNextNode());
    return push(
        b, "pycuda_cpu_variable_push",
        {coroutine.getArg(0), b.getInt64(bytes), b.getInt32(local_alignment), b.getInt32(0)});
  }
  return nullptr;
}

}  // namespace

bool use_safe_stack(llvm::Function& function, llvm::ScalarEvolution& evolution) {
  const llvm::DataLayout& layout = function.getDataLayout();
  llvm::SmallVector<Apart, 4> apart;
  std::uint64_t bytes = 0;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !variable->isStaticAlloca()) continue;
    // Debuggers know it by its place in the frame.
    if (variable->hasMetadata(lower::source_variables)) continue;
    const auto size = variable->getAllocationSize(layout);
    if (!size || variable->getAlign().value() > local_alignment) continue;
    if (Bounds(*variable, size->getFixedValue(), evolution).are_kept()) continue;
    const std::uint64_t offset = llvm::alignTo(bytes, variable->getAlign());
    apart.push_back({variable, offset});
    bytes = offset + std::max<std::uint64_t>(size->getFixedValue(), 1);
  }
  if (apart.empty()) return false;
  bytes = llvm::alignTo(bytes, local_alignment);
  llvm::Value* const memory = function.isPresplitCoroutine() ? push_for_thread(function, bytes)
                              : function.hasFnAttribute(waits_on_own_stack)
                                  ? push_for_waiting_call(function, bytes)
                                  : push_for_call(function, bytes);
  if (memory == nullptr) return false;
  llvm::IRBuilder<> b(function.getContext());
  for (const auto& [variable, offset] : apart) {
    // The one behind may have been a variable that is gone.
    b.SetInsertPoint(llvm::cast<llvm::Instruction>(memory)->getNextNode());
    for (llvm::User* user : llvm::make_early_inc_range(variable->users())) {
      auto* note = llvm::cast<llvm::Instruction>(user);
      if (note->isLifetimeStartOrEnd()) note->eraseFromParent();
    }
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, offset);
    place->takeName(variable);
    variable->replaceAllUsesWith(place);
    variable->eraseFromParent();
  }
  return true;
}

}  // namespace pycuda::cpu::simt
