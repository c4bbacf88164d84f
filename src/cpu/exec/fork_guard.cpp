// SPDX-License-Identifier: MIT
// A flag that pthread_atfork sets in the child.
#include "cpu/exec/fork_guard.h"

#include <pthread.h>

#include <atomic>

namespace pycuda::cpu::exec {
namespace {
std::atomic<bool> in_child{false};
}

bool forked() { return in_child.load(std::memory_order_relaxed); }

void watch_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { in_child.store(true, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

}  // namespace pycuda::cpu::exec
