// SPDX-License-Identifier: MIT
// Threads wait at it until the test opens it.
#pragma once

#include <condition_variable>
#include <mutex>

namespace pycuda::cpu::exec::tests {

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  void open() {
    const std::unique_lock lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_open; });
  }
};

}  // namespace pycuda::cpu::exec::tests
