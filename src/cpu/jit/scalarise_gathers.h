// SPDX-License-Identifier: MIT
// Gathers of all lanes, where a processor reads the lanes one by one faster.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Makes each gather that no lane is masked out of one load for each lane. Masked ones stay: they
/// would need a branch for each lane, and so do those marked simt::indirect_access, and those of a
/// long function behind thousands of such loads. Comes after index_gathers. For the end of the
/// pipeline. True if anything changed.
bool scalarise_gathers(llvm::Module& module);

}  // namespace pycuda::cpu::jit
