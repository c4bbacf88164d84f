// SPDX-License-Identifier: MIT
#include "cpu/target/target_machine.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>

#include <cassert>
#include <string>

#include "cpu/target/target.h"

namespace pycuda::cpu::target {

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Processor& processor,
                                                         bool optimise) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(processor.triple, error);
  assert(target != nullptr && "the native target was initialised");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      processor.triple, processor.cpu, processor.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small,
      optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less, /*JIT=*/true));
}

void set_target_attributes(llvm::Module& module, const Processor& processor) {
  // LLVM prefers shorter vectors than the widest ones of some processors.
  constexpr std::uint64_t preferred_bytes = 32;
  const bool wide = processor.vector_bytes > preferred_bytes;
  const std::string bits = std::to_string(8 * processor.vector_bytes);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", processor.cpu);
    function.addFnAttr("target-features", processor.features);
    if (wide) {
      function.addFnAttr("prefer-vector-width", bits);
      function.addFnAttr("min-legal-vector-width", bits);
    }
    function.addFnAttr("probe-stack", "inline-asm");
    function.setDoesNotThrow();
  }
}

}  // namespace pycuda::cpu::target
