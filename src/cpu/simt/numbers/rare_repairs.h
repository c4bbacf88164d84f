// SPDX-License-Identifier: MIT
// Pass: errors of the processor's flushing are corrected in separate code, which hardly ever
// runs.
#pragma once

namespace llvm {
class Function;
}

namespace pycuda::cpu::simt {

/// Products and sums of kernels that run with the processor's flushing (lower/processor_flushes.h)
/// are wrong only where one comes out as the least normal number. Where several of `gang`'s vectors
/// follow each other without effects that anyone could see, they are computed as if that did not
/// happen; then one test of all of them decides whether they are computed again with their repairs.
/// Before native operations are selected: repairs are known by
/// target::NativeOperation::SumTowardZero.
void put_repairs_aside(llvm::Function& gang);

}  // namespace pycuda::cpu::simt
