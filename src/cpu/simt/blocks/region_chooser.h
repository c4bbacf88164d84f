// SPDX-License-Identifier: MIT
// Pass: a function that runs the region which comes next for a gang.
#pragma once

#include <llvm/IR/Function.h>

#include "cpu/simt/blocks/regions.h"

namespace pycuda::cpu::simt {

/// `name`, i32 (thread, frame, x, y, z, lanes, index, gangs, state): calls the region that comes
/// next in `state` with the other arguments, and returns what it does. Never inlined.
llvm::Function* make_region_chooser(const Regions& regions, const llvm::Twine& name);

}  // namespace pycuda::cpu::simt
