// SPDX-License-Identifier: MIT

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <vector>

#include "cpu/simt/blocks/block_passes.h"

namespace pycuda::cpu::simt {

llvm::Function* make_region_chooser(const Regions& regions, const llvm::Twine& name) {
  llvm::Function& first = *regions.functions.front();
  llvm::IRBuilder<> b(first.getContext());
  std::vector<llvm::Type*> types(first.getFunctionType()->params());
  types.push_back(b.getInt32Ty());
  llvm::Function* chooser =
      llvm::Function::Create(llvm::FunctionType::get(b.getInt32Ty(), types, false),
                             llvm::Function::InternalLinkage, name, first.getParent());
  chooser->addFnAttr(llvm::Attribute::NoUnwind);
  chooser->addFnAttr(llvm::Attribute::NullPointerIsValid);
  chooser->addFnAttr(llvm::Attribute::NoInline);
  const auto new_block = [&](const char* label) {
    return llvm::BasicBlock::Create(first.getContext(), label, chooser);
  };
  b.SetInsertPoint(new_block("entry"));
  const unsigned last = static_cast<unsigned>(chooser->arg_size()) - 1;
  llvm::BasicBlock* never = new_block("never");
  llvm::SwitchInst* choice = b.CreateSwitch(chooser->getArg(last), never);
  std::vector<llvm::Value*> arguments;
  arguments.reserve(last);
  for (unsigned i = 0; i < last; ++i) arguments.push_back(chooser->getArg(i));
  for (std::size_t number = 0; number < regions.functions.size(); ++number) {
    llvm::BasicBlock* run = new_block("region");
    choice->addCase(b.getInt32(regions.state_before(number)), run);
    b.SetInsertPoint(run);
    b.CreateRet(b.CreateCall(regions.functions[number], arguments));
  }
  // The states lie near arrays that the kernel may overrun.
  b.SetInsertPoint(never);
  b.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  b.CreateUnreachable();
  return chooser;
}

}  // namespace pycuda::cpu::simt
