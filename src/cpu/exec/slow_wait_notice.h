// SPDX-License-Identifier: MIT
// Warns when a program waits for something for a long time.
#pragma once

#include <memory>
#include <string>

namespace pycuda::cpu::exec {

/// Logs a warning if it still lives after two seconds. Only the first one in a process does.
class [[nodiscard]] SlowWaitNotice {
 public:
  explicit SlowWaitNotice(std::string warning);
  SlowWaitNotice(const SlowWaitNotice&) = delete;
  SlowWaitNotice& operator=(const SlowWaitNotice&) = delete;
  ~SlowWaitNotice();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pycuda::cpu::exec
