// SPDX-License-Identifier: MIT
// Words about caches: which accesses have them, and which exclude each other.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why no such form of the instruction exists: a sentence without its subject, or nothing.
std::optional<std::string> broken_cache_rule(const Instruction& instruction,
                                             const Function& function);

}  // namespace pycuda::cpu::ptx
