// SPDX-License-Identifier: MIT
// The IR after each stage as text files, when PYCUDA_CPU_DUMP names a folder.
#pragma once

namespace llvm {
class Module;
}

namespace pycuda::cpu::jit {

/// Writes `<folder>/<number>-<stage>.ll`; numbers count the dumps of the process. Does nothing
/// without the variable.
void dump(const char* stage, const llvm::Module& module);

}  // namespace pycuda::cpu::jit
