// SPDX-License-Identifier: MIT
// Rules of multimem.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What is wrong with the modifiers of multimem; nothing for other instructions.
std::optional<std::string> broken_multimem_rule(const Instruction& instruction);

}  // namespace pycuda::cpu::ptx
