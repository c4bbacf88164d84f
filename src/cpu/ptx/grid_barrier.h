// SPDX-License-Identifier: MIT
// The device run-time library's barrier of a whole grid, from before cooperative groups had it
// inline. Compilers other than NVIDIA's still call it.
#pragma once

#include <string_view>

namespace pycuda::cpu::ptx {

/// Whether PTX calls cudaCGGetIntrinsicHandle or cudaCGSynchronize.
bool calls_grid_barrier(std::string_view ptx);

/// PTX that defines them.
std::string_view grid_barrier_functions();

}  // namespace pycuda::cpu::ptx
