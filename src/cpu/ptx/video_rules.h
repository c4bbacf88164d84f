// SPDX-License-Identifier: MIT
// Video instructions: which words and parts of registers exclude each other.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why no such form of the instruction exists: a sentence without its subject, or nothing.
std::optional<std::string> broken_video_rule(const Instruction& instruction);

}  // namespace pycuda::cpu::ptx
