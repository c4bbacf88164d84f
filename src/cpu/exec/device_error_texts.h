// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace pycuda::cpu::exec {

/// Name and text of a cudaError_t, in memory that device code may read in checked mode too.
const char* device_error_name(std::uint32_t error);
const char* device_error_text(std::uint32_t error);

}  // namespace pycuda::cpu::exec
