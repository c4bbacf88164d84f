// SPDX-License-Identifier: MIT
// Analysis: what a variable without a described type is an array of.
#pragma once

#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// The type of all accesses of a function to a variable, through registers that hold addresses in
/// it; None where they differ, or where there are none. Of a float and an integer of as many bytes
/// the float.
ptx::Type accessed_type(const ptx::Function& function, const ptx::SymbolRef& variable);

/// By instruction, whether it uses a variable, by its name or through such registers.
std::vector<bool> uses_of(const ptx::Function& function, const ptx::SymbolRef& variable);

}  // namespace pycuda::cpu::lower
