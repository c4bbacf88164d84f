// SPDX-License-Identifier: MIT
#include "cpu/target/target.h"

namespace pycuda::cpu::target {

const char* host_instruction_set() { return "NEON"; }

}  // namespace pycuda::cpu::target
