// SPDX-License-Identifier: MIT
// Pass: threads that walk rows of a list one after the other fetch what the next ones will walk.
#pragma once

#include <llvm/IR/Function.h>

namespace pycuda::cpu::simt {

/// Where a thread's row begins and ends is often two neighbours of a list, as in sparse matrices
/// and graphs: the next thread's row begins where this one's ends. Rows of some ten elements are
/// too short, and the wrong guesses at their ends too many, for a processor to fetch far enough
/// ahead. So each thread fetches a little of what lies some rows further. One core of a Zen 5, a
/// sparse matrix of 524288 rows of 0 to 32 floats times a vector: 12.4 ms, and 7.9 so; rows of 0 to
/// 8, which wait for other things: 17.8 and 18.4; in the caches 6.6 and 6.8.
///
/// `kernel` is for one thread. Returns how many arrays are fetched from.
unsigned prefetch_next_rows(llvm::Function& kernel);

}  // namespace pycuda::cpu::simt
