// SPDX-License-Identifier: MIT
// What the table of conversions in the PTX ISA says: which modifiers go with which pair of types.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What a cvt lacks or has too much, behind its name in a message; none if all is well.
std::optional<std::string> broken_conversion_rule(const Instruction& instruction);

}  // namespace pycuda::cpu::ptx
