// SPDX-License-Identifier: MIT
// Stores past the caches: for which launches, and where they end.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::exec {

struct LaunchRequest;

/// Whether stores of `request`, of a kernel that may have code for that (Kernel::streaming), should
/// go past the caches: it meets the form's conditions and walks through as much as can be counted
/// on of the last-level caches, of which it writes a quarter or more, to arrays that none of its
/// other parameters points into. Of launches that overlap otherwise the result is right, too.
bool should_stream(const Kernel& kernel, const LaunchRequest& request);

/// Launches of this process that ran such a form so far.
std::uint64_t streamed_launches();
void count_streamed_launch();

}  // namespace pycuda::cpu::exec
