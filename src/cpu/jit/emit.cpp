// SPDX-License-Identifier: MIT
#include "cpu/jit/emit.h"

#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>

namespace pycuda::cpu::jit {
namespace {

/// LLVM's PeepholeOptimizer looks for the sources of copies through phis, and, where a value goes
/// round a loop from one kind of register to another and back, recurses without end (llvm-project
/// pull request 216271). With a limit of one phi it never looks through any. The option is of this
/// library's own copy of LLVM.
void keep_copies_from_phis() {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("rewrite-phi-limit");
  if (found != options.end()) static_cast<llvm::cl::opt<unsigned>*>(found->second)->setValue(1);
}

}  // namespace

/// TargetMachine::addPassesToEmitFile in its parts: it has no place for a pass of ours.
bool emit_object(llvm::Module& module, llvm::TargetMachine& target,
                 std::unique_ptr<llvm::MachineFunctionPass> after_selection,
                 llvm::SmallVectorImpl<char>& object) {
  static std::once_flag limited;
  std::call_once(limited, keep_copies_from_phis);
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(target);
  llvm::raw_svector_ostream stream(object);
  // The pass manager owns what is added to it.
  llvm::legacy::PassManager passes;
  auto* const functions = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
  if (after_selection) config->insertPass(&llvm::FinalizeISelID, after_selection.release());
  passes.add(config);
  passes.add(functions);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                            functions->getMMI().getContext()))
    return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return true;
}

}  // namespace pycuda::cpu::jit
