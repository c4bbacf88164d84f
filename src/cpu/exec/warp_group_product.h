// SPDX-License-Identifier: MIT
// Products of matrices of a warp group.
#pragma once

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// Executes `warp_group_product` for the 32 lanes of a warp; a fault where not all of them take
/// part.
void multiply_matrices(std::uint32_t participants, ThreadFrame* warp);

}  // namespace pycuda::cpu::exec
