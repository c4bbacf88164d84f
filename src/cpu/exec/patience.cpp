// SPDX-License-Identifier: MIT
#include "cpu/exec/patience.h"

#include "base/cxx_names.h"
#include "base/log.h"

namespace pycuda::cpu::exec {
namespace {

void tell(const std::string& what, const std::string& kernel, std::chrono::seconds time,
          const std::string& waiting) {
  base::log(base::LogLevel::Warning,
            what + kernel + " has run for " + std::to_string(time.count()) + " seconds" + waiting +
                ". Kernels that rely on the threads of a warp in lockstep may not end; "
                "PYCUDA_CPU_TIMEOUT=SECONDS ends such launches");
}

}  // namespace

bool Patience::runs_out(Clock::time_point now) {
  const Clock::rep time = now.time_since_epoch().count();
  Clock::rep since = 0;
  if (since_.compare_exchange_strong(since, time, std::memory_order_relaxed)) return false;
  return Clock::duration(time - since) >= limit_ && !is_over_.exchange(true);
}

void tell_of_waiting(const std::string& kernel, std::chrono::seconds time,
                     const std::string& waiting) {
  tell("kernel ", base::readable_name(kernel), time,
       " in which its threads only waited for memory to change: " + waiting);
}

void tell_of_long_block(const std::string& kernel, std::chrono::seconds time,
                        const std::string& waiting) {
  static std::atomic<bool> is_logged{false};
  if (!is_logged.exchange(true))
    tell("a block of kernel ", base::readable_name(kernel), time, ": " + waiting);
}

}  // namespace pycuda::cpu::exec
