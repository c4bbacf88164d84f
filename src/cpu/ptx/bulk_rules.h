// SPDX-License-Identifier: MIT
// Rules of bulk copies.
#pragma once

#include <optional>
#include <string>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// What is wrong with cp.async.bulk, cp.reduce.async.bulk, st.async or red.async; nothing for other
/// instructions.
std::optional<std::string> broken_bulk_rule(const Instruction& instruction,
                                            const Function& function);

}  // namespace pycuda::cpu::ptx
