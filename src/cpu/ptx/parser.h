// SPDX-License-Identifier: MIT
// PTX text to Module.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Parses a whole module. Checks syntax, names, and that each instruction's modifiers and operand
/// count are ones its line of opcode.def allows; not what they mean together. Never throws on any
/// input; gives up after 20 errors. Text after a NUL is ignored.
base::Result<Module, Diagnostics> parse(std::string_view text);

}  // namespace pycuda::cpu::ptx
