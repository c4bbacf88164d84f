// SPDX-License-Identifier: MIT
#include "bindings/gil/released.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/base/limited_api.h"
#include "driver/process_driver.h"

namespace pycuda::bindings {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 2s;
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
