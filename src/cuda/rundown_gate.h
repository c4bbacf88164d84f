// SPDX-License-Identifier: MIT
// Rundown protection: many threads may be inside at once; closing waits until the last has left.
#pragma once

#include <atomic>

namespace pycuda::cuda {

/// Shut until `open`. Passing costs two atomic operations, a third of a shared mutex; every release
/// of a resource passes here.
class RundownGate {
 public:
  bool is_open() const noexcept { return (state_.load(std::memory_order_acquire) & kShut) == 0; }
  /// At most once, and before `shut`.
  void open() noexcept { state_.fetch_and(~kShut, std::memory_order_release); }
  /// Shuts the gate and waits for those inside. False when it was shut before; then it does not
  /// wait. Not for those who are inside themselves.
  bool shut() noexcept {
    if ((state_.fetch_or(kShut, std::memory_order_acq_rel) & kShut) != 0) return false;
    for (int state = kShut; (state = state_.load(std::memory_order_acquire)) != kShut;) {
      state_.wait(state, std::memory_order_acquire);
    }
    return true;
  }

  /// Keeps an open gate from being shut while it lives.
  class [[nodiscard]] Inside {
   public:
    explicit Inside(RundownGate& gate) noexcept
        : gate_(gate), open_((gate.state_.fetch_add(1, std::memory_order_acquire) & kShut) == 0) {}
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      const int before = gate_.state_.fetch_sub(1, std::memory_order_release);
      if (before == (kShut | 1)) [[unlikely]]
        gate_.state_.notify_all();
    }
    /// Whether the gate was open.
    explicit operator bool() const noexcept { return open_; }

   private:
    RundownGate& gate_;
    const bool open_;
  };

 private:
  /// Beside it the number of those inside.
  static constexpr int kShut = 1 << 30;
  std::atomic<int> state_{kShut};
};

}  // namespace pycuda::cuda
