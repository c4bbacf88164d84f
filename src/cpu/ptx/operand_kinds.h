// SPDX-License-Identifier: MIT
// Kinds of operands by a table, for instructions whose operands have no types of their own.
#pragma once

#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {

/// What operand.def says of the instruction's operands, how many they are among it.
Broken broken_kind_rule(const Instruction& instruction, const Function& function);

/// The same by these letters, of which there are no more than operands.
Broken broken_kinds(std::string_view letters, const Instruction& instruction,
                    const Function& function);

/// Whether the operand is what a letter of operand.def stands for.
Broken broken_kind(char letter, const Operand& operand, const Function& function);

}  // namespace pycuda::cpu::ptx
