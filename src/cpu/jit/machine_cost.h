// SPDX-License-Identifier: MIT
// Analysis: how long the code generator will take for finished code, by counting what it makes.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// About how many instructions of the processor `function` becomes. Vectors count once for each
/// register that they fill, and what the processor has no vector instructions for once for each
/// lane. Grows with the length of `function`, as does the time it takes. Of functions that have
/// their target's attributes.
std::uint64_t machine_cost(llvm::Function& function, llvm::TargetMachine& target);

/// The sum over all functions.
std::uint64_t machine_cost(llvm::Module& module, llvm::TargetMachine& target);

}  // namespace pycuda::cpu::jit
