// SPDX-License-Identifier: MIT
// Transformation: a loop along rows of memory, in the form that LLVM's loop vectoriser
// knows.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace llvm {
class Function;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// `function` is an entry block, a straight loop (row_loop.h) and a return. Gives it a second loop,
/// which makes one element a trip: a compiler that unrolled the first one has written each
/// operation down several times, for neighbouring elements. Its addresses are sums of 64 bits with
/// equal steps. It runs if no sum of the first one wraps; that is asked before. What addresses and
/// counters are is known by scalar evolution, whatever their types. Else nothing is changed, and
/// the answer is why: what is stored is not computed alike for each element, for example.
llvm::StringRef roll_loop(llvm::Function& function);

}  // namespace pycuda::cpu::simt
