// SPDX-License-Identifier: MIT
// printf of device code: CUDA's vprintf to the process's standard output.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/exec/program_accesses.h"

namespace pycuda::cpu::exec {

/// Formats as CUDA does: `arguments` holds the promoted arguments one after the other, each at a
/// multiple of its size (ints 4 bytes; 64-bit integers, doubles and pointers 8). Appends to `out`;
/// the number of arguments used, or -1 when `format` is null. Ends at the first read that
/// `accesses` does not allow.
std::int32_t format_printf(std::string& out, const char* format, const void* arguments,
                           ProgramAccesses& accesses);

}  // namespace pycuda::cpu::exec
