// SPDX-License-Identifier: MIT
// Pass: volatile accesses that do not name their space, where there is no shared memory.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Removes the mark (lower::generic_access) from volatile accesses that cannot be to shared memory:
/// from those in kernels that neither use it themselves nor in a function that they may call, and
/// in functions that such kernels alone may call. Functions that are called through pointers keep
/// theirs, since kernels of other modules may call them.
void unmark_unshared_accesses(llvm::Module& module);

/// The same for one kernel, with its calls inlined. Calls that are left count as if they used
/// shared memory.
void unmark_inlined_accesses(llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
