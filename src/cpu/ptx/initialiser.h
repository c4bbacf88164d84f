// SPDX-License-Identifier: MIT
// Initial values of variables.
#pragma once

#include "cpu/ptx/parse_state.h"

namespace pycuda::cpu::ptx {

/// Reads what follows the `=` into the variable's bytes and addresses; an open first dimension gets
/// its size from the values.
void initialise(ParseState& state, Variable& variable);

/// The `{ addr_mode_0 = wrap, ... }` of a texref, samplerref or surfref.
void reference_properties(ParseState& state, Variable& variable);

}  // namespace pycuda::cpu::ptx
