// SPDX-License-Identifier: MIT
// Transformation: a loop along rows of memory, in the form that LLVM's loop vectoriser
// knows.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace pycuda::cpu::simt {

struct RolledLoop {
  llvm::StringRef obstacle;  ///< why there is none; empty if there is one
  llvm::BasicBlock* main = nullptr;
};

/// `function` is an entry block, a straight loop (row_loop.h) and a return. Gives it loops that
/// make one element a trip: a compiler that unrolled the first one has written each operation down
/// several times, for neighbouring elements. `main` makes whole vectors of `vector_bytes`, others
/// what is left. Addresses in them are sums of 64 bits with equal steps. They run if no sum of the
/// first loop wraps and what is stored does not overlap what is accessed elsewhere; that is asked
/// before, and noted as scopes of aliases, which hold for one run of these loops.
RolledLoop roll_loop(llvm::Function& function, std::uint64_t vector_bytes);

}  // namespace pycuda::cpu::simt
