// SPDX-License-Identifier: MIT
// Says what a program waits for, when that takes long.
#pragma once

#include <memory>
#include <string>

namespace pycuda::cpu::exec {

/// Logs a warning if it still lives after two seconds; the first of them in a process, not the
/// others.
class [[nodiscard]] LongWait {
 public:
  explicit LongWait(std::string warning);
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;
  ~LongWait();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace pycuda::cpu::exec
