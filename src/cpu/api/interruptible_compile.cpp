// SPDX-License-Identifier: MIT
#include "cpu/api/interruptible_compile.h"

#include <chrono>

#include "base/log.h"
#include "cpu/api/background.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/signal_handlers.h"
#include "cpu/variants/compile_job.h"

namespace pycuda::cpu::api {

bool done_before_interrupt(const std::function<void()>& work) {
  const exec::AbandonableWait wait;
  const auto job = wait.watched() ? variants::CompileJob::begin(compile_soon, work) : nullptr;
  if (job == nullptr) {
    work();
    return true;
  }
  auto handled = std::chrono::steady_clock::now();
  const auto is_interrupted = [&] {
    if (std::chrono::steady_clock::now() - handled >= exec::wait_slice()) {
      exec::end_wait_slice();
      handled = std::chrono::steady_clock::now();
    }
    return wait.interrupted();
  };
  if (job->wait(std::chrono::nanoseconds(-1), is_interrupted)) return true;
  base::log(base::LogLevel::Info, "a compilation was interrupted: it goes on in the background");
  return false;
}

}  // namespace pycuda::cpu::api
