// SPDX-License-Identifier: MIT
#include "cpu/target/target_machine.h"

namespace pycuda::cpu::target {

std::span<const char* const> options_against_slow_passes() { return {}; }

// A sum or maximum of a vector's bytes or words gives an i8 or i16, which have none: LLVM reads
// through a null pointer.
bool takes_list_scheduler() { return false; }

}  // namespace pycuda::cpu::target
