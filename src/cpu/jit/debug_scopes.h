// SPDX-License-Identifier: MIT
// Finished code whose source lines a debugger is to know.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// Gives each function that has debug locations and no subprogram one, named as the PTX function
/// that it was made of, and puts all of its locations there: passes move, copy and inline
/// instructions between functions, and debug information must not name the function they came from.
/// Where PTX had inlined a call the line is the callee's.
void give_debug_scopes(llvm::Module& module);

}  // namespace pycuda::cpu::jit
