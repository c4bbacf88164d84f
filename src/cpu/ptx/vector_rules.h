// SPDX-License-Identifier: MIT
// The number of elements of vector operands, and which ones match.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What is wrong with the vectors of a move, load, store or atomic: a sentence without its subject.
std::optional<std::string> broken_vector_rule(const Instruction& instruction,
                                              const Function& function);

}  // namespace pycuda::cpu::ptx
