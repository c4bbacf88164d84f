// SPDX-License-Identifier: MIT
// Modifiers that exclude or need each other: choice.def.
#pragma once

#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {

/// Which modifiers of the instruction exclude each other, or lack one that they need; or nothing.
Broken broken_choice_rule(const Instruction& instruction);

}  // namespace pycuda::cpu::ptx
