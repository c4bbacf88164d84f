// SPDX-License-Identifier: MIT
// Analysis: loads that copy a structure. Its padding may be read although it was never
// written.
#pragma once

#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// By the number of the instruction: whether it is one of several loads from the same register's
/// address, or of a vector of bytes, whose values go nowhere but to stores.
std::vector<bool> find_copied_loads(const ptx::Function& function);

}  // namespace pycuda::cpu::lower
