// SPDX-License-Identifier: MIT
// Passes: the tests that accesses to memory are aligned. Two steps, so that what comes between them
// (the vector path) sees few tests, and none in the control flow.
#pragma once

namespace llvm {
class Function;
}

namespace pycuda::cpu::simt {

/// Before and after: `check.alignment` calls (pseudo.h). Each tests the least that its address
/// depends on: most addresses are a multiple of the access's size beyond a kernel parameter. Tests
/// that cannot fail, or that a test which comes before on every path makes sure of, are gone.
void reduce_alignment_checks(llvm::Function& function);

/// After: branches to one block, out of the way, that raises the fault. Comes after the passes that
/// look at loops' exits: these are none that a thread takes on its way.
void expand_alignment_checks(llvm::Function& function);

}  // namespace pycuda::cpu::simt
