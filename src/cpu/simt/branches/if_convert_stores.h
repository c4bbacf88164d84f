// SPDX-License-Identifier: MIT
// Pass: threads that run alone store what they have looked up a reason for without a branch.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Where a loop looks up a place in a list, reads there and stores or not by what it has found, as
/// searches of graphs do, nobody can guess which way the branch goes, and the guess is corrected
/// only when the read has come back from far away. All that began behind it is lost: a thread waits
/// for one read at a time. So the store is always done, to its place or to one of nobody's, and the
/// reads of many trips are under way at once.
///
/// `kernel` is for one thread, in plain control flow, after expand_alignment_checks. Returns how
/// many branches are gone.
unsigned if_convert_stores(llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
