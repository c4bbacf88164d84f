// SPDX-License-Identifier: MIT
// LLVM's view of the processor.
#pragma once

#include <memory>
#include <span>

namespace llvm {
class Function;
class Module;
class TargetMachine;
enum class CodeGenOptLevel;
}  // namespace llvm

namespace pycuda::cpu::target {

struct Processor;

/// A target machine for one compilation at a time: position-independent code, no contraction of
/// floating-point operations. It is new, or one that was kept. Any thread.
std::unique_ptr<llvm::TargetMachine> target_machine(const Processor& processor,
                                                    llvm::CodeGenOptLevel level);

/// Keeps the machine of a compilation that has succeeded for a later one of the same processor and
/// level: its tables of what the processor can do take longer to make than small kernels to widen.
/// Any thread.
void keep_target_machine(std::unique_ptr<llvm::TargetMachine> machine);

/// Gives every function of `module` the processor and its features, and probes of large stack
/// frames, so that a stack overflow meets the guard page. Without the same features on all
/// functions none would be inlined.
void set_target_attributes(llvm::Module& module, const Processor& processor);
void set_target_attributes(llvm::Function& function, const Processor& processor);

/// LLVM's options, to be set to true, that switch off passes of this processor which take more time
/// than their results are worth.
std::span<const char* const> options_against_slow_passes();

/// Whether LLVM's list scheduler, which counts registers, has a class of them for every type of
/// this processor's code.
bool takes_list_scheduler();

}  // namespace pycuda::cpu::target
