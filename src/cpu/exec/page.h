// SPDX-License-Identifier: MIT
// The unit in which the system hands out memory.
#pragma once

#include <cstdint>

namespace pycuda::cpu::exec {

inline constexpr std::uint64_t page_size = 4096;

}  // namespace pycuda::cpu::exec
