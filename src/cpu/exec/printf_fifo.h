// SPDX-License-Identifier: MIT
// What kernels of one context printed and that is not shown yet.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace pycuda::cpu::exec {

/// A buffer of CU_LIMIT_PRINTF_FIFO_SIZE bytes, circular as on a GPU: when it is full, the oldest
/// output makes room for the newest and is lost, which `flush` reports in the log. Any thread.
class PrintfFifo {
 public:
  static constexpr std::size_t default_bytes = std::size_t{1} << 20;

  /// What is in the buffer is shown first.
  void resize(std::size_t bytes);
  /// Adds the output of one call, which stays in one piece.
  void write(std::string_view text);
  /// Shows everything on the process's standard output.
  void flush();
  bool empty() const { return !pending_.load(std::memory_order_acquire); }

 private:
  std::mutex mutex_;  ///< protects what follows
  std::deque<std::string> texts_;
  std::size_t used_ = 0;
  std::size_t capacity_ = default_bytes;
  std::uint64_t lost_ = 0;
  std::atomic<bool> pending_{false};
};

}  // namespace pycuda::cpu::exec
