// SPDX-License-Identifier: MIT
// Pass: which stores may go past the caches, and letting them.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// Of a gang's finished function, before it gets its loop: finds the arrays that are written in
/// whole lines of memory and not read (KernelFacts::streamed), adds them to `streamed`, and with
/// `stream` lets all stores to them go past the caches. Launches must then meet the conditions; and
/// who has run the gangs orders these stores before others see that they are done. `notes`, if
/// any, get a word about it.
///
/// None where a thread may see what another one on another core has written: kernels with atomic
/// and volatile accesses, fences and calls. Through barriers it is seen in any case: a block has
/// one core.
void mark_nontemporal_stores(llvm::Function& gang, GangSize size, bool stream,
                             StreamedStores& streamed, std::vector<PlanNote>* notes);

}  // namespace pycuda::cpu::simt
