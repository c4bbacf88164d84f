// SPDX-License-Identifier: MIT
// Which kernels leave it to the processor to flush subnormal numbers: those whose f32 arithmetic
// all carries .ftz, as nvcc's --use_fast_math writes it.
//
// While such a kernel runs, x86's MXCSR has FTZ and DAZ set: subnormal operands count as zeros, and
// results that are too small become zeros of their sign. What a program can tell from that flushing
// is nothing but what PTX says of .ftz; where the two differ (a sum or product that rounds up to
// the least normal number is not too small for x86, but for a GPU), code makes up for it.
//
// In LLVM's IR nothing of this is implicit: operations are IEEE's, and llvm.canonicalize marks
// where a number is flushed, until simt's leave_flushes_to_processor takes out what the processor
// does by itself. So no pass can lose a flush that matters by folding the operation that would have
// done it. (But for what is compared: simt's flush_compared_constants.)
#pragma once

#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pycuda::cpu::lower {

class ModuleLowering;

/// Whether the functions of `wanted` (by index) compute the same bits with the processor's flushing
/// as they should, and have any need of it.
bool processor_can_flush(const ModuleLowering& lowering, const std::vector<bool>& wanted);

/// Marks a function, or all that the module defines, as running with the processor's flushing.
void let_processor_flush(llvm::Function& function);
void let_processor_flush(llvm::Module& module);
bool processor_flushes(const llvm::Function& function);
/// Marks `made`, which `other` is about to be copied into, as `other` is: LLVM folds constants
/// while it copies, by the mark of where they go.
void flush_like(llvm::Function& made, const llvm::Function& other);

}  // namespace pycuda::cpu::lower
