// SPDX-License-Identifier: MIT
// Threads of the driver's own beside the workers.
#pragma once

#include <functional>

namespace pycuda::cpu::exec {

/// Starts a thread that nobody joins and that takes no signals: those are for the application.
/// Throws std::system_error where no thread can be had; forks are watched from now on.
void start_quiet_thread(std::function<void()> run);

}  // namespace pycuda::cpu::exec
