// SPDX-License-Identifier: MIT
// Threads for host callbacks, which may block: as many as run at once, kept for the next ones.
#pragma once

#include <functional>

namespace pycuda::cpu::exec {

/// Runs `work` soon on a thread other than a worker.
void run_on_callback_thread(std::function<void()> work);

}  // namespace pycuda::cpu::exec
