// SPDX-License-Identifier: MIT
#include "bindings/gil/released.h"

#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/base/limited_api.h"
#include "driver/process_driver.h"

namespace pycuda::bindings {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 2s;
/// How long a signal waits for its handler.
constexpr auto kSignalsEvery = 50ms;
constexpr auto kBusyWait = 1ms;
constexpr std::chrono::steady_clock::duration kLongestNap = 1ms;
int threads_away = 0;                  // protected by the GIL
std::atomic<int> threads_at_rest = 0;  // of these: those that stay in ~GilReleased

void wait_for_threads() {
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (threads_away > threads_at_rest && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
}

}  // namespace

bool may_release_gil() noexcept { return nanobind::is_alive() && holds_gil(); }

GilReleased::GilReleased() noexcept {
  ++threads_away;
  thread_ = PyEval_SaveThread();
}

GilReleased::~GilReleased() {
  const bool at_rest = interpreter_ends();  // unless it is this thread that ends it
  if (at_rest) ++threads_at_rest;
  try {
    PyEval_RestoreThread(thread_);
  } catch (abi::__forced_unwind&) {
    if (!at_rest) ++threads_at_rest;
    for (;;) ::pause();
  }
  if (at_rest) --threads_at_rest;
  --threads_away;
}

void run_without_gil(void (*action)(void* context), void* context) {
  const GilReleaseCount counted;
  const Interruptible wait;
  wait.raise_if_interrupted_before();
  for (;;) {
    try {
      {
        const GilReleased released;
        action(context);
      }
      return wait.raise_kept();
    } catch (const driver::DriverError& error) {
      if (!wait.is_to_be_repeated_after(error)) throw;
    }
  }
}

void poll_without_gil(const std::function<bool()>& is_done) {
  using Clock = std::chrono::steady_clock;
  const GilReleaseCount counted;
  const auto start = Clock::now();
  for (auto handled = start;; handled = Clock::now()) {
    {
      const GilReleased released;
      while (Clock::now() - handled < kSignalsEvery) {
        if (is_done()) return;
        const Clock::duration waited = Clock::now() - start;
        // What a nap adds to a wait is little beside it.
        if (waited > kBusyWait) std::this_thread::sleep_for(std::min(waited / 64, kLongestNap));
      }
    }
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
}

LastThread::LastThread() noexcept {
  if (!interpreter_ends() || !driver::process_driver_loaded()) return;
  set_ = driver::process_driver().set_last_thread;
  if (set_) static_cast<void>(set_(1));
}

LastThread::~LastThread() {
  if (set_) static_cast<void>(set_(0));
}

void GilReleased::wait_at_exit() { Py_AtExit(wait_for_threads); }

}  // namespace pycuda::bindings
