// SPDX-License-Identifier: MIT
// Arrivals of cp.async at mbarriers.
#pragma once

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

/// cp.async.mbarrier.arrive{.noinc} [address]: an arrival when the thread's copies are complete,
/// which they are at once. False if the form does not exist.
bool emit_copy_arrival(FunctionLowering& lowering, const ptx::Instruction& instruction);

}  // namespace pycuda::cpu::lower
