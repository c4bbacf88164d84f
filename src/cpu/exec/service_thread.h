// SPDX-License-Identifier: MIT
// Service threads: detached threads of the driver, beside its workers.
#pragma once

#include <functional>

namespace pycuda::cpu::exec {

/// Starts a detached thread with all signals blocked, so that the application's threads handle
/// them. Throws std::system_error if no thread can be started. Forks are watched from now on.
void start_service_thread(std::function<void()> run);

}  // namespace pycuda::cpu::exec
