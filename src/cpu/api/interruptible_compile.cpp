// SPDX-License-Identifier: MIT
#include "cpu/api/interruptible_compile.h"

#include "base/log.h"
#include "cpu/api/better_forms.h"
#include "cpu/exec/interrupts.h"
#include "cpu/jit/timed_work.h"

namespace pycuda::cpu::api {

bool done_before_interrupt(const std::function<void()>& work) {
  const exec::AbandonableWait wait;
  const auto timed = wait.watched() ? jit::TimedWork::begin(compile_aside, work) : nullptr;
  if (timed == nullptr) {
    work();
    return true;
  }
  if (timed->wait([&] { return wait.interrupted(); })) return true;
  base::log(base::LogLevel::Info, "a compilation was interrupted: it goes on in the background");
  return false;
}

}  // namespace pycuda::cpu::api
