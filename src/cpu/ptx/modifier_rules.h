// SPDX-License-Identifier: MIT
// Which modifiers and types an opcode takes together.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why the modifiers and types make no instruction, or nothing.
std::optional<std::string> broken_modifier_rule(const Instruction& instruction,
                                                const Module& module);

}  // namespace pycuda::cpu::ptx
