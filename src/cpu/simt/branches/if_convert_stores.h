// SPDX-License-Identifier: MIT
// Pass: threads that run alone store what they have looked up a reason for without a branch.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Some loops look up a place in a list, read there, and store or not depending on the value, as
/// searches of graphs do. The branch cannot be predicted, and a misprediction is corrected
/// only when the read has come back from far away. All that began behind it is lost: a thread waits
/// for one read at a time. So the store is always done, to its place or to an unused one, and the
/// reads of many trips are under way at once.
///
/// `kernel` is for one thread, in plain control flow, after expand_alignment_checks. Returns how
/// many branches are gone.
unsigned if_convert_stores(llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
