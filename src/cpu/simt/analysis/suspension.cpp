// SPDX-License-Identifier: MIT
// A fixed point over the calls of the module.
#include "cpu/simt/analysis/suspension.h"

#include <llvm/IR/InstIterator.h>

#include "cpu/lower/cluster.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

bool is_suspending_pseudo(const llvm::Function& callee) {
  if (!callee.isDeclaration()) return false;
  const llvm::StringRef name = callee.getName();
  return name == pseudo::barrier_sync || name == pseudo::barrier_arrive ||
         name == pseudo::barrier_reduce || name == pseudo::warp_op || name == pseudo::yield ||
         name == pseudo::exit;
}

Suspension::Suspension(const llvm::Module& module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function& function : module) {
      if (function.isDeclaration() || functions_.contains(&function)) continue;
      const bool address_taken = function.hasFnAttribute("ptx-address-taken");
      if (!body_suspends(function) && !(indirect_ && address_taken)) continue;
      functions_.insert(&function);
      indirect_ |= address_taken;
      changed = true;
    }
  }
}

bool Suspension::is_suspending_call(const llvm::CallBase& call) const {
  if (const llvm::Function* callee = call.getCalledFunction()) return functions_.contains(callee);
  return call.isIndirectCall() && indirect_;
}

bool Suspension::body_suspends(const llvm::Function& function) const {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (callee && is_suspending_pseudo(*callee)) return true;
    // The blocks of a cluster take turns, in which their threads are scheduled one by one.
    if (callee && callee->getName().starts_with(lower::cluster_call_prefix)) return true;
    if (is_suspending_call(*call)) return true;
  }
  return false;
}

}  // namespace pycuda::cpu::simt
