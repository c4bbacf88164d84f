// SPDX-License-Identifier: MIT
// A thread in the background whose work a test does when it wants to.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "cpu/variants/compile_job.h"

namespace pycuda::cpu::variants::testing {

class LateThread {
 public:
  Spawn spawn() {
    return [this](std::function<void()> work) {
      waiting.push_back(std::move(work));
      return true;
    };
  }
  void run_all() {
    while (!waiting.empty()) {
      const std::function<void()> work = std::move(waiting.front());
      waiting.pop_front();
      work();
    }
  }
  std::deque<std::function<void()>> waiting;
};

}  // namespace pycuda::cpu::variants::testing
