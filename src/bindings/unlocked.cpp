// SPDX-License-Identifier: MIT
#include "bindings/unlocked.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace pycuda::bindings {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 2s;
std::atomic<int> threads_away = 0;

void wait_for_threads() {
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (threads_away != 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
}

}  // namespace

bool may_unlock() noexcept { return nanobind::is_alive() && PyGILState_Check() != 0; }

LockLeft::LockLeft() noexcept {
  threads_away.fetch_add(1, std::memory_order_relaxed);
  thread_ = PyEval_SaveThread();
}

LockLeft::~LockLeft() {
  threads_away.fetch_sub(1, std::memory_order_release);
  try {
    PyEval_RestoreThread(thread_);
  } catch (abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

void LockLeft::wait_at_exit() { Py_AtExit(wait_for_threads); }

}  // namespace pycuda::bindings
