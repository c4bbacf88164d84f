// SPDX-License-Identifier: MIT
// One thread of low priority for work that nobody waits for.
#pragma once

#include <functional>

namespace pycuda::cpu::exec {

/// Runs `work` some time after what was given before. What has not begun when the process ends
/// never runs; what has begun is waited for until its next `end_with_process`. Nothing in a forked
/// child.
void run_in_background(std::function<void()> work);

/// Called by such work often, holding no lock: does not return once the process ends.
void end_with_process();

}  // namespace pycuda::cpu::exec
