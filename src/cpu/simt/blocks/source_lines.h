// SPDX-License-Identifier: MIT
// Pass: source lines are noted down for fault messages once, not again where they are known.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Code notes its line in its thread's frame in each block that may fault (lower's track_line). In
/// `function`, where a loop notes the same line alone, that happens before the loop; where the line
/// has been noted on every way, not at all. What may fault finds the same line as before.
void reduce_line_notes(llvm::Function& function);

}  // namespace pycuda::cpu::simt
