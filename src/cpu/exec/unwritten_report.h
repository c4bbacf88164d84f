// SPDX-License-Identifier: MIT
// Reads of uninitialised memory, in words; and numbers that only look like that.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>

#include "cpu/exec/launch_context.h"

namespace pycuda::cpu::exec {

/// Where kernels have stored the number that unwritten memory is filled with. Any thread.
class WrittenWords {
 public:
  static WrittenWords& instance();
  void add(std::uint64_t address, std::uint32_t bytes);
  bool has(std::uint64_t address);

 private:
  std::mutex mutex_;  ///< protects `words_`
  std::set<std::uint64_t> words_;
};

/// `thread` reads bytes that were never written.
void report_unwritten(const LaunchContext& launch, const BlockFrame& block,
                      const ThreadFrame& thread, std::uint64_t address, std::uint32_t bytes);

}  // namespace pycuda::cpu::exec
