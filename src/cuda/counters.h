// SPDX-License-Identifier: MIT
// Counters of kernels for a part of a program; only the CPU driver has them.
#pragma once

#include <string>

namespace pycuda::cuda {

/// Launches from now on count what their warps do, or no longer. Throws DriverError where the
/// driver does not count.
void set_counters(bool count);
/// What was counted since, as JSON; the kernels have ended.
std::string take_counters();

}  // namespace pycuda::cuda
