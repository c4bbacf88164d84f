// SPDX-License-Identifier: MIT
// Analysis: how much of the compiler a module is worth, so that compiling it ends soon.
#pragma once

#include <cstdint>

namespace llvm {
class Module;
}

namespace pycuda::cpu::jit {

/// What is spent on a module's code. LLVM's optimisations look at pairs of things in one shape or
/// another: at blocks that dominate a value, at loops around it, at the uses of a constant. Least
/// has none of those: its time grows with the module's length, and its code takes one to four times
/// as long.
enum class Effort : std::uint8_t { Least, Quick, Thorough };

/// Above this many instructions of all its functions together a module is compiled with the quick
/// settings.
inline constexpr unsigned thorough_limit = 40000;

/// In functions that are longer once they are expanded, the code of equal PTX instructions is
/// shared (lower/shared_expansions.h): shorter ones compile as a whole in a second. A form that is
/// made in the background may be as long as LLVM can take.
inline constexpr std::uint64_t longest_unshared = 12000, longest_unshared_later = 80000;

/// The most that is right for a module that has been lowered: Least where one of its functions is
/// of a shape that would take long, Quick where there are many. `patient`: a form that is made in
/// the background may take some ten seconds.
Effort most_effort(llvm::Module& module, bool patient);

/// The same for code that runs until better code is there, after a wait for that already: whatever
/// it is made of, it must be there in a fraction of a second.
Effort effort_of_makeshift(llvm::Module& module);

}  // namespace pycuda::cpu::jit
