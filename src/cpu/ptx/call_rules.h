// SPDX-License-Identifier: MIT
// Checks that the arguments and results of calls match the called functions.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why the call in `instruction` is none, or nothing. All functions of the module must be known.
std::optional<std::string> broken_call_rule(const Instruction& instruction, const Function& caller,
                                            const Module& module);

}  // namespace pycuda::cpu::ptx
