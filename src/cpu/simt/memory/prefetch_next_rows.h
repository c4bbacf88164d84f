// SPDX-License-Identifier: MIT
// Pass: threads that walk rows of a list one after the other fetch what the next ones will walk.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Where a thread's row begins and ends is often two neighbours of a list, as in sparse matrices
/// and graphs: the next thread's row begins where this one's ends. Rows of some ten elements are
/// too short, and the wrong guesses at their ends too many, for a processor to fetch far enough
/// ahead. So each thread fetches a little of what lies some rows further.
///
/// `kernel` is for one thread. Returns how many arrays are fetched from.
unsigned prefetch_next_rows(llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
