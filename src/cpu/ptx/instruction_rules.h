// SPDX-License-Identifier: MIT
// What PTX forbids although each part of the instruction is one that its opcode takes.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/accepted_forms.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why the instruction is none, or nothing. `function` is the one it stands in, `accepted` what the
/// module's instructions before it have shown. Counts of operands and types are taken as checked.
std::optional<std::string> broken_rule(const Instruction& instruction, const Function& function,
                                       const Module& module, AcceptedForms& accepted);

}  // namespace pycuda::cpu::ptx
