// SPDX-License-Identifier: MIT
// Threads for host callbacks, which may block: as many as run at once, kept for the next ones.
#pragma once

#include <cstdint>
#include <functional>

namespace pycuda::cpu::exec {

/// Runs `work` soon on a thread other than a worker.
void run_on_callback_thread(std::function<void()> work);

/// What was given to these threads so far, and what of it is not done.
struct CallbackCounts {
  std::uint64_t begun = 0;
  std::uint64_t unfinished = 0;
};
CallbackCounts callback_counts();

}  // namespace pycuda::cpu::exec
