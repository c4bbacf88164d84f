// SPDX-License-Identifier: MIT
// One PTX instruction may become dozens of LLVM's. In long functions, instructions that become the
// same code share it: how long a function takes to compile depends on its length in PTX then, not
// on which instructions it is made of.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <cstdint>

namespace llvm {
class Function;
class FunctionType;
class Instruction;
class Value;
}  // namespace llvm

namespace pycuda::cpu::lower {

/// What one PTX instruction has become, if that is all in one block.
struct Expansion {
  llvm::Instruction* first;
  llvm::Instruction* last;
};

/// The instructions of a function, where each call of an approximate function counts for what it
/// becomes (libdevice/approximate.h).
std::uint64_t expanded_length(const llvm::Function& function);

/// The same, where each warp operation counts for what it becomes in a coroutine.
std::uint64_t length_as_coroutine(const llvm::Function& function);

/// Replaces long expansions that are equal but for the registers that they read and write by calls
/// of one function, which `make_function` declares. `function` is complete; its registers are still
/// variables.
void share_expansions(llvm::ArrayRef<Expansion> expansions,
                      llvm::function_ref<llvm::Function*(llvm::FunctionType*)> make_function);

}  // namespace pycuda::cpu::lower
