// SPDX-License-Identifier: MIT
// Threads of the driver's own for work that a program does not ask for.
#pragma once

#include <functional>

namespace pycuda::cpu::exec {

/// Low: for work that gains little, in the time that kernels leave. Usual: for work that gains more
/// than the share of one processor that it takes from kernels. AtOnce: for work with waiters,
/// beside what else runs in the background.
enum class Priority { Low, Usual, AtOnce };

/// Runs `work` some time after what was given before with the same priority, on one thread for
/// each, or at once on a thread that has nothing else to do. What has not begun when the process
/// ends never runs; what has begun is waited for until its next `end_with_process`. False when it
/// will never run: in a forked child, at the process's end, and where no thread can be had.
bool run_in_background(std::function<void()> work, Priority priority = Priority::Low);

/// Called by such work often, holding no lock: does not return once the process ends.
void end_with_process();

}  // namespace pycuda::cpu::exec
