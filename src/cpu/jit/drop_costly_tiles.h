// SPDX-License-Identifier: MIT
// Pass: a kernel loses its tiles where making code of them would take seconds.
#pragma once

#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/plan.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Erases the tiles of kernels that are made of too many instructions of the processor: a tile has
/// up to 64 lanes, and what the processor has no vector form for (a division in 64 bits, a gather
/// of bytes) is done for each of them, in code of its own. Blocks of whole tiles run in gangs then.
/// After gangs are widened and functions have their target's attributes. `plans`, if any, say so.
void drop_costly_tiles(llvm::Module& module, std::vector<KernelFacts>& kernels,
                       llvm::TargetMachine& target, std::vector<simt::Plan>* plans);

}  // namespace pycuda::cpu::jit
