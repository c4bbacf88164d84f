// SPDX-License-Identifier: MIT
// Pass: of a kernel's forms only those stay whose code is wanted now.
#pragma once

#include <optional>
#include <vector>

#include "cpu/kernel_abi/facts.h"

namespace llvm {
class Module;
}

namespace pycuda::cpu::simt {

/// The forms that most launches of a kernel need, by what is known of it. They are not of use
/// without each other where gangs are coroutines.
Forms likely_forms(const KernelFacts& facts);

/// The forms that drop_forms leaves of a kernel with gangs: `wanted`, or the likely ones, and what
/// goes with them. `threads_too`: the form for threads beside the likely ones. `facts` are those of
/// all forms.
Forms kept_forms(const KernelFacts& facts, const std::optional<Forms>& wanted,
                 bool threads_too = false);

/// Erases, of every kernel that has gangs, the functions of forms other than `wanted`, or other
/// than the likely ones, and what they alone called. The facts stay those of all forms, but for
/// KernelFacts::forms; `suspends` is set already. Kernels without gangs stay whole, and so do those
/// that kernels launch: they must be ready. After gangs are widened, before
/// the stage "threads".
void drop_forms(llvm::Module& module, std::vector<KernelFacts>& kernels,
                const std::optional<Forms>& wanted, bool threads_too = false);

}  // namespace pycuda::cpu::simt
