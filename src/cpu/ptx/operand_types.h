// SPDX-License-Identifier: MIT
// Which registers an instruction takes for its types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why a register of the instruction cannot be one of its operands, or nothing. The rules are those
/// of the PTX ISA's section "Type Information for Instructions and Operands": a register has the
/// size that the instruction's type has and is of its kind, .bX is of every kind; registers that
/// are loaded, stored or converted may be wider. Counts of operands and types are taken as checked;
/// matrices, textures, video instructions and calls are not looked at.
std::optional<std::string> mismatched_register(const Instruction& instruction,
                                               const Function& function);

/// What each operand is, a letter each; empty where forms differ too much. `-` is an address, a
/// predicate, or what differs from form to form; any other letter a value.
std::string_view operand_signature(const Instruction& instruction);

}  // namespace pycuda::cpu::ptx
