// SPDX-License-Identifier: MIT
// Pass: where threads run one by one, those of a warp take turns at volatile shared memory.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Lets the threads of a warp execute accesses to shared memory together, in the kernels and device
/// functions that exchange values through it without barriers (functions_in_step): a
/// synchronisation of the lanes that stand at the same place, a *turn*, comes before each store to
/// volatile shared memory and before each load that may follow a store. From a volatile access to
/// the next barrier or warp operation, this applies to all accesses to shared memory. Calls of such
/// functions count as accesses. Lanes that a loop with such accesses lets take different ways meet
/// at the end of each trip. Kernels without volatile shared memory do not change. Functions that
/// gangs call for one lane after the other cannot wait and do not change either. In functions that
/// count what warps execute (kernel_abi/counters.h), lanes meet at the end of each trip of every
/// loop. Before the kernels become coroutines.
void take_turns(llvm::Module& module);

}  // namespace pycuda::cpu::simt
