// SPDX-License-Identifier: MIT
// What the checked mode lets a thread access.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// How many bytes from `address` on the thread may access: to the end of the allocation or variable
/// that holds it, 0 where nothing does. On the OS thread that runs it.
std::uint64_t legal_bytes_at(const ThreadFrame& thread, std::uint64_t address);

}  // namespace pycuda::cpu::exec
