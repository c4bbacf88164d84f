// SPDX-License-Identifier: MIT
#include "cpu/api/interruptible_compile.h"

#include "base/log.h"
#include "cpu/api/background.h"
#include "cpu/exec/interrupts.h"
#include "cpu/variants/compile_job.h"

namespace pycuda::cpu::api {

bool done_before_interrupt(const std::function<void()>& work) {
  const exec::AbandonableWait wait;
  const auto job = wait.watched() ? variants::CompileJob::begin(compile_soon, work) : nullptr;
  if (job == nullptr) {
    work();
    return true;
  }
  if (job->wait(std::chrono::nanoseconds(-1), [&] { return wait.interrupted(); })) return true;
  base::log(base::LogLevel::Info, "a compilation was interrupted: it goes on in the background");
  return false;
}

}  // namespace pycuda::cpu::api
