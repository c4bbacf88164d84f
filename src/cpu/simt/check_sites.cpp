// SPDX-License-Identifier: MIT
#include "cpu/simt/check_sites.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "cpu/kernel_abi/checks.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

std::uint32_t number_check_sites(llvm::Function& kernel) {
  std::uint32_t accesses = 0, barriers = 0;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::StringRef name = lower::callee_name(instruction);
    const bool is_access = name == pseudo::check_access;
    if (!is_access && name != pseudo::note_barrier) continue;
    auto& call = llvm::cast<llvm::CallBase>(instruction);
    llvm::Use& site = call.getArgOperandUse(call.arg_size() - 1);
    site.set(llvm::ConstantInt::get(site->getType(), is_access ? accesses++ : barriers++));
  }
  return accesses;
}

namespace {

bool checks_memory(const llvm::Module& module) {
  const llvm::Function* check = module.getFunction(pseudo::check_access);
  return check && !check->use_empty();
}

}  // namespace

std::string obstacle_of_check(const llvm::CallBase& call) {
  const llvm::StringRef name = lower::callee_name(call);
  if (name == "pycuda_cpu_variable_push") {
    const auto* counts = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    return counts && counts->isZero() ? "local variables, whose bounds are checked" : "";
  }
  // What a gang knows of memory that may be touched would be out of date.
  if (name == "pycuda_cpu_free" && checks_memory(*call.getModule()))
    return "checked memory that threads free";
  // What threads learn of one another by these is kept for each thread, as it comes to them.
  if (name == pseudo::note_fence) return "a fence, where races are looked for";
  if (name == pseudo::note_access) {
    const auto* flags = llvm::cast<llvm::ConstantInt>(call.getArgOperand(3));
    constexpr std::uint64_t order = AccessFlags::acquire | AccessFlags::release;
    if ((flags->getZExtValue() & order) != 0)
      return "an access that orders others, where races are looked for";
  }
  return {};
}

}  // namespace pycuda::cpu::simt
