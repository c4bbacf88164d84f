// SPDX-License-Identifier: MIT
// Products of matrices: which shapes and words there are for which types.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why no such form of the instruction exists: a sentence without its subject, or nothing.
std::optional<std::string> broken_matrix_rule(const Instruction& instruction,
                                              const Function& function);

}  // namespace pycuda::cpu::ptx
