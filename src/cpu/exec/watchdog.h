// SPDX-License-Identifier: MIT
// Stops launches that run longer than PYCUDA_CPU_TIMEOUT.
#pragma once

#include <chrono>
#include <optional>

namespace pycuda::cpu::exec {

struct LaunchContext;

/// True when PYCUDA_CPU_TIMEOUT (seconds, fractions allowed) or `set_time_limit` set one.
bool time_limit_set();
/// The limit, if one is set.
std::optional<std::chrono::milliseconds> time_limit();
/// 0: none. For launches that start later.
void set_time_limit(std::chrono::milliseconds limit);
/// The time of `launch` counts from `since`; sets `launch.watched` and `launch.limited_since`.
void watch(LaunchContext& launch, std::chrono::steady_clock::time_point since);
void unwatch(LaunchContext& launch);

}  // namespace pycuda::cpu::exec
