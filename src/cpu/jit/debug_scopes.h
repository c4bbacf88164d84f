// SPDX-License-Identifier: MIT
// Finished code whose source lines a debugger is to know.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Gives each function that has debug locations and no subprogram one, named as the PTX function
/// that it was made of, and puts all of its locations there: passes move, copy and inline
/// instructions between functions, and debug information must not name the function they came from.
/// Where PTX had inlined a call the line is the callee's.
void give_debug_scopes(llvm::Module& module);

/// Calls `split`, which makes several functions of each coroutine. LLVM would also describe the
/// frames of C++ coroutines, by their promise, and these have none: meanwhile they are of another
/// language.
void split_with_scopes(llvm::Module& module, llvm::function_ref<void()> split);

/// Functions that were coroutines keep what leads to their variables in memory.
void keep_frame_pointers(llvm::Module& module);

}  // namespace pycuda::cpu::jit
