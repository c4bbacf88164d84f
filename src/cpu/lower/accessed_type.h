// SPDX-License-Identifier: MIT
// Analysis: what a variable without a described type is an array of.
#pragma once

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// The type of all accesses of a function to a variable, through registers that hold addresses in
/// it; None where they differ, or where there are none.
ptx::Type accessed_type(const ptx::Function& function, const ptx::SymbolRef& variable);

}  // namespace pycuda::cpu::lower
