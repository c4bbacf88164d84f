// SPDX-License-Identifier: MIT
// Stops launches that run longer than PYCUDA_CPU_TIMEOUT.
#pragma once

#include <chrono>

namespace pycuda::cpu::exec {

struct LaunchContext;

/// True when PYCUDA_CPU_TIMEOUT (seconds, fractions allowed) or `set_time_limit` set one.
bool time_limit_set();
/// 0: none. For launches that start later.
void set_time_limit(std::chrono::milliseconds limit);
/// From now on `launch` has its time; sets `launch.watched`.
void watch(LaunchContext& launch);
void unwatch(LaunchContext& launch);

}  // namespace pycuda::cpu::exec
