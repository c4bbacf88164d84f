// SPDX-License-Identifier: MIT
// Masked accesses that the processor has no instruction for.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Replaces masked loads and stores that `target` lacks, often those of bytes and halves, by a test
/// and a loop over the active lanes. The code generator would make a branch for each lane, which is
/// most of the code of a kernel on bytes. Where all lanes are active, a load or store of the whole
/// vector remains. Gathers and scatters become the loop alone. True if anything changed.
bool loop_over_masked_lanes(llvm::Module& module, llvm::TargetMachine& target);

}  // namespace pycuda::cpu::jit
