// SPDX-License-Identifier: MIT
// Pass: each loop has one back edge.
#pragma once

namespace llvm {
class Function;
}

namespace pycuda::cpu::simt {

/// Joins the back edges of each loop of `function` in a new block. Where lanes execute in step,
/// those that skip the rest of a trip (`continue`) wait there for the others. LLVM's loop-simplify
/// would make two loops of one with two back edges where a value changes along one of them alone:
/// lanes that skip trips would go through the inner one without the others. Returns whether
/// anything changed.
bool join_latches(llvm::Function& function);

}  // namespace pycuda::cpu::simt
