// SPDX-License-Identifier: MIT
#include "bindings/unlocked.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/limited_api.h"

namespace pycuda::bindings {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 2s;
int threads_away = 0;                  // protected by the lock
std::atomic<int> threads_at_rest = 0;  // of these: those that will not leave LockLeft again

void wait_for_threads() {
  const auto end = std::chrono::steady_clock::now() + kLongestWait;
  while (threads_away > threads_at_rest && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
}

}  // namespace

bool may_unlock() noexcept { return nanobind::is_alive() && holds_gil(); }

LockLeft::LockLeft() noexcept {
  ++threads_away;
  thread_ = PyEval_SaveThread();
}

LockLeft::~LockLeft() {
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

void LockLeft::wait_at_exit() { Py_AtExit(wait_for_threads); }

}  // namespace pycuda::bindings
