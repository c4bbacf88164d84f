// SPDX-License-Identifier: MIT
// Pass: gathers and scatters address memory by one base and an index for each lane, of 32 bits
// where these hold it.
#pragma once

namespace llvm {
class Module;
}

namespace pycuda::cpu::jit {

/// Before: the pointers of a gather or scatter are each lane's own sum of 64 bits. After: where all
/// lanes add one number to a base that they share, they are `getelementptr T, ptr base, number`,
/// which the instructions of the processor add and scale by themselves; with numbers of 32 bits
/// they move twice as many lanes at once. Returns whether anything changed. What the sums were made
/// of is left behind, dead where nothing else uses it.
bool index_gathers(llvm::Module& module);

}  // namespace pycuda::cpu::jit
