// SPDX-License-Identifier: MIT
// LLVM's passes narrow a comparison of widened 16-bit floats to one of the floats themselves, which
// a processor without arithmetic on them compares one element at a time.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Compares f16 and bf16 as f32, which is exact; f16 only if the host cannot compare it. For the
/// end of the pipeline: earlier, the comparisons would be narrowed again. True if anything changed;
/// then values may be widened twice.
bool widen_half_comparisons(llvm::Module& module, bool host_compares_halves);

}  // namespace pycuda::cpu::jit
