// SPDX-License-Identifier: MIT
// Fences, barriers in memory, prefetches and cache policies: which modifiers each form needs and
// excludes.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What is wrong with the modifiers and operands of the instruction, or nothing.
std::optional<std::string> broken_order_rule(const Instruction& instruction,
                                             const Function& function);

}  // namespace pycuda::cpu::ptx
