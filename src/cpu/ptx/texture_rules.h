// SPDX-License-Identifier: MIT
// Textures and surfaces: how many coordinates there are, and which words go with them.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why no such form of the instruction exists: a sentence without its subject, or nothing.
std::optional<std::string> broken_texture_rule(const Instruction& instruction,
                                               const Function& function);

}  // namespace pycuda::cpu::ptx
