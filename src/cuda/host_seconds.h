// SPDX-License-Identifier: MIT
// The host's clock of profiles.
#pragma once

#include <chrono>

namespace pycuda::cuda {

/// Seconds on the clock that Python's time.perf_counter reads too.
inline double host_seconds() {
  using std::chrono::duration, std::chrono::steady_clock;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace pycuda::cuda
