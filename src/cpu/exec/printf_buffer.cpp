// SPDX-License-Identifier: MIT
// Walks a printf format and the packed arguments of device code.
#include "cpu/exec/printf_buffer.h"

#include <cstdio>

namespace pycuda::cpu::exec {
void flush_printf() { std::fflush(stdout); }
}  // namespace pycuda::cpu::exec
