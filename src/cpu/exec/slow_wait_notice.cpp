// SPDX-License-Identifier: MIT
#include "cpu/exec/slow_wait_notice.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "cpu/exec/service_thread.h"

namespace pycuda::cpu::exec {

/// Shared with the thread that warns: nobody waits for its end.
struct SlowWaitNotice::State {
  std::mutex mutex;  // protects `over`
  std::condition_variable ended;
  bool over = false;
};

SlowWaitNotice::SlowWaitNotice(std::string warning) : state_(std::make_shared<State>()) {
  try {
    start_service_thread([state = state_, warning = std::move(warning)] {
      std::unique_lock lock(state->mutex);
      if (!state->ended.wait_for(lock, std::chrono::seconds(2), [&] { return state->over; })) {
        static std::atomic<bool> warned{false};
        if (!warned.exchange(true)) base::log(base::LogLevel::Warning, warning);
      }
    });
  } catch (const std::system_error&) {
    // Without a thread there is no warning; the wait itself needs none.
  }
}

SlowWaitNotice::~SlowWaitNotice() {
  const std::lock_guard lock(state_->mutex);
  state_->over = true;
  state_->ended.notify_all();
}

}  // namespace pycuda::cpu::exec
