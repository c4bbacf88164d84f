// SPDX-License-Identifier: MIT
#include "cpu/simt/blocks/waits.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <cassert>
#include <cstddef>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/special_values.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

/// Whether `call` is a warp operation of the lanes that stand at the same place.
bool is_unmasked(const llvm::CallInst& call) {
  if (lower::callee_name(call) != pseudo::warp_op) return false;
  const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  return mask && mask->isZero();
}

}  // namespace

llvm::Value* write_wait(llvm::IRBuilder<>& b, const llvm::CallInst& call, llvm::Value* thread,
                        unsigned site, llvm::function_ref<void()> suspend) {
  const llvm::StringRef name = lower::callee_name(call);
  const auto put = [&](std::size_t offset, llvm::Value* value) {
    store_field(b, thread, offset, value);
  };
  const auto argument = [&](unsigned i) { return call.getArgOperand(i); };
  const auto wide = [&](unsigned i) { return b.CreateZExt(argument(i), b.getInt64Ty()); };
  const auto operand = [&](unsigned i, llvm::Value* value) {
    put(offsetof(ThreadFrame, operand) + std::size_t{i} * 8, value);
  };
  const auto wait = [&](ThreadState state) {
    put(offsetof(ThreadFrame, state), b.getInt32(static_cast<std::uint32_t>(state)));
    suspend();
  };
  const auto result = [&](unsigned number) {
    return load_field(b, thread, offsetof(ThreadFrame, result) + std::size_t{number} * 8,
                      b.getInt64Ty(), false);
  };
  put(offsetof(ThreadFrame, site), b.getInt32(site));
  if (name == pseudo::warp_op) {
    put(offsetof(ThreadFrame, detail), argument(1));
    put(offsetof(ThreadFrame, mask), argument(2));
    for (unsigned i = 0; i < 3; ++i) operand(i, argument(3 + i));
    wait(ThreadState::AtWarpOp);
    llvm::Value* both = b.CreateInsertValue(llvm::PoisonValue::get(call.getType()), result(0), 0);
    return b.CreateInsertValue(both, result(1), 1);
  }
  if (name == pseudo::barrier_sync || name == pseudo::barrier_arrive) {
    for (unsigned i = 0; i < 2; ++i) operand(i, wide(1 + i));
    wait(name == pseudo::barrier_sync ? ThreadState::AtBarrier : ThreadState::AtBarrierArrive);
    return nullptr;
  }
  if (name == pseudo::barrier_reduce) {
    for (unsigned i = 0; i < 3; ++i) operand(i, wide(1 + i));
    put(offsetof(ThreadFrame, detail), argument(4));
    wait(ThreadState::AtBarrierReduce);
    return b.CreateTrunc(result(0), b.getInt32Ty());
  }
  assert(name == pseudo::yield || name == pseudo::exit);
  wait(name == pseudo::exit ? ThreadState::Exited : ThreadState::Yielded);
  return nullptr;
}

std::vector<llvm::CallInst*> waits_of(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && is_suspending_pseudo(*callee)) calls.push_back(call);
  }
  if (llvm::none_of(calls, [](const llvm::CallInst* call) { return is_unmasked(*call); }))
    return calls;
  const ControlFlow flow(function);
  llvm::stable_sort(calls, [&](const llvm::CallInst* left, const llvm::CallInst* right) {
    return flow.position(left->getParent()) < flow.position(right->getParent());
  });
  return calls;
}

std::vector<llvm::Function*> in_order_of_calls(llvm::Module& module, const Suspension& suspension) {
  std::vector<llvm::Function*> order;
  llvm::DenseSet<llvm::Function*> seen;
  const auto visit = [&](const auto& self, llvm::Function& function) -> void {
    if (function.isDeclaration() || !suspension.suspends(function) ||
        !seen.insert(&function).second)
      return;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      if (llvm::Function* callee = call->getCalledFunction()) {
        self(self, *callee);
      } else if (call->isIndirectCall()) {
        for (llvm::Function& other : module)
          if (other.hasFnAttribute("ptx-address-taken")) self(self, other);
      }
    }
    order.push_back(&function);
  };
  for (llvm::Function& function : module) visit(visit, function);
  return order;
}

}  // namespace pycuda::cpu::simt
