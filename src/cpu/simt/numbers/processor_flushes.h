// SPDX-License-Identifier: MIT
// Takes out of kernels that run with the processor's flushing what the processor does by itself.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// In functions that lower::let_processor_flush marks: flushes in code what is compared and may
/// turn out to be a constant. LLVM drops marks from what is compared, and some of its passes
/// compare constants as if nothing were flushed. To be run before the passes that find such
/// constants.
void flush_compared_constants(llvm::Module& module);

/// In a function that lower::let_processor_flush marks: removes each llvm.canonicalize of what an
/// operation has flushed already, or that only operations read which flush their operands, and
/// makes code of the others. To be run last: nothing may fold arithmetic after it.
void leave_flushes_to_processor(llvm::Function& function);

}  // namespace pycuda::cpu::simt
