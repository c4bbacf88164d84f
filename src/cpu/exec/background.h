// SPDX-License-Identifier: MIT
// Threads of the driver's own for work that a program does not ask for.
#pragma once

#include <functional>

namespace pycuda::cpu::exec {

/// Low: for what nobody waits for. Usual: for what somebody waits for, also beside programs that
/// take all processors.
enum class Priority { Low, Usual };

/// Runs `work` some time after what was given before with the same priority, on one thread for
/// each. What has not begun when the process ends never runs; what has begun is waited for until
/// its next `end_with_process`. Nothing in a forked child.
void run_in_background(std::function<void()> work, Priority priority = Priority::Low);

/// Called by such work often, holding no lock: does not return once the process ends.
void end_with_process();

}  // namespace pycuda::cpu::exec
