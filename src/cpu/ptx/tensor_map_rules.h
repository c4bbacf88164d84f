// SPDX-License-Identifier: MIT
// Rules of tensormap.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What is wrong with tensormap.replace or tensormap.cp_fenceproxy; nothing for other instructions.
std::optional<std::string> broken_tensor_map_rule(const Instruction& instruction,
                                                  const Function& function);

}  // namespace pycuda::cpu::ptx
