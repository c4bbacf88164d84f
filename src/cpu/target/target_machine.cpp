// SPDX-License-Identifier: MIT
#include "cpu/target/target_machine.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cpu/target/target.h"

namespace pycuda::cpu::target {

namespace {

struct KeptMachines {
  /// As many compilations seldom run at once.
  static constexpr std::size_t most = 8;
  std::mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines;  ///< the last one kept is the last
};

/// Not destroyed: at the end of the process, compilations may still run in the background.
KeptMachines& kept() {
  static auto& all = *new KeptMachines;
  return all;
}

bool is_for(const llvm::TargetMachine& machine, const Processor& processor,
            llvm::CodeGenOptLevel level) {
  return machine.getOptLevel() == level && machine.getTargetTriple().str() == processor.triple &&
         machine.getTargetCPU() == processor.cpu &&
         machine.getTargetFeatureString() == processor.features;
}

std::unique_ptr<llvm::TargetMachine> new_machine(const Processor& processor,
                                                 llvm::CodeGenOptLevel level) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(processor.triple, error);
  assert(target != nullptr && "the native target was initialised");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(processor.triple, processor.cpu, processor.features, options,
                                  llvm::Reloc::PIC_, llvm::CodeModel::Small, level, /*JIT=*/true));
  machine->setO0WantsFastISel(level == llvm::CodeGenOptLevel::None);
  // aarch64's defaults, without which the driver is linked (left_out).
  machine->setGlobalISel(false);
  machine->setMachineOutliner(false);
  return machine;
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> target_machine(const Processor& processor,
                                                    llvm::CodeGenOptLevel level) {
  {
    KeptMachines& all = kept();
    const std::lock_guard lock(all.mutex);
    const auto found =
        std::find_if(all.machines.rbegin(), all.machines.rend(),
                     [&](const auto& machine) { return is_for(*machine, processor, level); });
    if (found != all.machines.rend()) {
      auto machine = std::move(*found);
      all.machines.erase(std::next(found).base());
      return machine;
    }
  }
  return new_machine(processor, level);
}

void keep_target_machine(std::unique_ptr<llvm::TargetMachine> machine) {
  KeptMachines& all = kept();
  const std::lock_guard lock(all.mutex);
  all.machines.push_back(std::move(machine));
  if (all.machines.size() > KeptMachines::most) all.machines.erase(all.machines.begin());
}

void set_target_attributes(llvm::Function& function, const Processor& processor) {
  // LLVM prefers shorter vectors than the widest ones of some processors.
  constexpr std::uint64_t preferred_bytes = 32;
  const bool wide = processor.vector_bytes > preferred_bytes;
  const std::string bits = std::to_string(8 * processor.vector_bytes);
  function.addFnAttr("target-cpu", processor.cpu);
  function.addFnAttr("target-features", processor.features);
  if (wide) {
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
  }
  function.addFnAttr("probe-stack", "inline-asm");
  function.setDoesNotThrow();
}

void set_target_attributes(llvm::Module& module, const Processor& processor) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) set_target_attributes(function, processor);
  }
}

}  // namespace pycuda::cpu::target
