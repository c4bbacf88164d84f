// SPDX-License-Identifier: MIT
// Which operands an instruction may have at which position.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What is wrong with the kinds of the operands (register, constant, symbol, special register,
/// address, vector, `_`): a sentence without its subject, the instruction.
std::optional<std::string> broken_operand_rule(const Instruction& instruction,
                                               const Function& function, const Module& module);

}  // namespace pycuda::cpu::ptx
