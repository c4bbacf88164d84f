// SPDX-License-Identifier: MIT
#include "cpu/target/target_machine.h"

namespace pycuda::cpu::target {

std::span<const char* const> options_against_slow_passes() { return {}; }

}  // namespace pycuda::cpu::target
