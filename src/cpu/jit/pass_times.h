// SPDX-License-Identifier: MIT
// For PYCUDA_LOG=debug: what LLVM's passes and analyses took, each without those that it runs.
#pragma once

#include <llvm/ADT/StringMap.h>

#include <chrono>
#include <vector>

namespace llvm {
class PassInstrumentationCallbacks;
}

namespace pycuda::cpu::jit {

class PassTimes {
 public:
  /// Counts what runs with `callbacks`, which must not be used after this object.
  explicit PassTimes(llvm::PassInstrumentationCallbacks& callbacks);
  /// Logs a line for each pass that took more than a hundredth of the whole, the longest first.
  ~PassTimes();
  PassTimes(const PassTimes&) = delete;
  PassTimes& operator=(const PassTimes&) = delete;

 private:
  struct Total {
    std::chrono::nanoseconds time{};
    unsigned runs = 0;
  };
  void begin(llvm::StringRef name);
  void end();
  void count_time();

  llvm::StringMap<Total> totals_;
  std::vector<Total*> running_;  ///< the innermost last
  std::chrono::nanoseconds counted_;
};

}  // namespace pycuda::cpu::jit
