// SPDX-License-Identifier: MIT
#include "cpu/jit/emit.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Pass.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>

#include "cpu/jit/list_schedule.h"
#include "cpu/target/target_machine.h"
#include "cpu/variants/checkpoint.h"

namespace pycuda::cpu::jit {
namespace {

/// Sets an option of this library's own copy of LLVM, if that has it.
template <class Value>
void set_option(llvm::StringRef name, Value value) {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  if (found != options.end()) static_cast<llvm::cl::opt<Value>*>(found->second)->setValue(value);
}

void set_options() {
  // LLVM's PeepholeOptimizer looks for the sources of copies through phis, and, where a value goes
  // round a loop from one kind of register to another and back, recurses without end (llvm-project
  // pull request 216271). With a limit of one phi it never looks through any.
  set_option("rewrite-phi-limit", 1u);
  for (const char* const option : target::options_against_slow_passes()) set_option(option, true);
  schedule_long_arithmetic();
}

/// Does nothing to the code.
class CheckpointPass final : public llvm::MachineFunctionPass {
 public:
  /// By which LLVM makes as many of them as it needs.
  static llvm::AnalysisID identity() {
    static std::once_flag known;
    std::call_once(known, [] {
      llvm::PassRegistry::getPassRegistry()->registerPass(
          *new llvm::PassInfo("Checkpoint", "pycuda-checkpoint", &id,
                              llvm::callDefaultCtor<CheckpointPass>, false, false),
          true);
    });
    return &id;
  }

  CheckpointPass() : MachineFunctionPass(id) {}
  bool runOnMachineFunction(llvm::MachineFunction&) override {
    variants::checkpoint();
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 private:
  static char id;
};
char CheckpointPass::id = 0;

}  // namespace

/// TargetMachine::addPassesToEmitFile in its parts: it has no place for a pass of ours.
bool emit_object(llvm::Module& module, llvm::TargetMachine& target,
                 std::unique_ptr<llvm::MachineFunctionPass> after_selection,
                 llvm::SmallVectorImpl<char>& object) {
  static std::once_flag settled;
  std::call_once(settled, set_options);
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(target);
  llvm::raw_svector_ostream stream(object);
  // The pass manager owns what is added to it.
  llvm::legacy::PassManager passes;
  auto* const functions = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
  if (after_selection) config->insertPass(&llvm::FinalizeISelID, after_selection.release());
  // Behind the passes that take longest.
  for (const char* const long_pass :
       {&llvm::FinalizeISelID, &llvm::MachineCSEID, &llvm::MachineSinkingID,
        &llvm::PeepholeOptimizerID, &llvm::RegisterCoalescerID, &llvm::MachineSchedulerID,
        &llvm::RAGreedyID, &llvm::MachineCopyPropagationID})
    config->insertPass(long_pass, CheckpointPass::identity());
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
