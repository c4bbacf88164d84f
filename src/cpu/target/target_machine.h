// SPDX-License-Identifier: MIT
// LLVM's view of the processor.
#pragma once

#include <memory>
#include <span>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::target {

struct Processor;

/// A new target machine: position-independent code, no contraction of floating-point operations.
/// One is needed per compiling thread. `optimise` false: the quick code generator settings for huge
/// modules.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const Processor& processor, bool optimise);

/// Gives every function of `module` the processor and its features, and probes of large stack
/// frames, so that a stack overflow meets the guard page. Without the same features on all
/// functions none would be inlined.
void set_target_attributes(llvm::Module& module, const Processor& processor);

/// LLVM's options, to be set to true, that switch off passes of this processor which take more time
/// than their results are worth.
std::span<const char* const> options_against_slow_passes();

}  // namespace pycuda::cpu::target
