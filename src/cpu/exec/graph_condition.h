// SPDX-License-Identifier: MIT
// The value that decides what a conditional node of a graph runs: kernels set it
// (cudaGraphSetConditional), the stream that runs the graph reads it between them.
#pragma once

#include <atomic>
#include <cstdint>

namespace pycuda::cpu::exec {

class GraphCondition {
 public:
  /// `start`: what it is when a launch of the graph begins, if each of them resets it, and 0
  /// before the first otherwise.
  GraphCondition(std::uint32_t start, bool set_by_launches);
  ~GraphCondition();
  GraphCondition(const GraphCondition&) = delete;
  GraphCondition& operator=(const GraphCondition&) = delete;

  /// What kernels call it by. No two have had the same.
  std::uint64_t handle() const { return handle_; }
  std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
  /// A launch begins.
  void begin() {
    if (set_by_launches_) value_.store(start_, std::memory_order_release);
  }
  /// False if no condition has this handle. Any thread.
  static bool set(std::uint64_t handle, std::uint32_t value);

 private:
  const std::uint64_t handle_;
  const std::uint32_t start_;
  const bool set_by_launches_;
  std::atomic<std::uint32_t> value_{0};
};

}  // namespace pycuda::cpu::exec
