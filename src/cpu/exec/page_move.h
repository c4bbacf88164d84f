// SPDX-License-Identifier: MIT
// Replacing pages under the feet of running kernels: whoever writes to them meanwhile waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace pycuda::cpu::exec {

/// While it lives, [begin, begin + bytes) can only be read; threads that write there wait in the
/// fault handler until it ends. By then the pages must be writable again, or others be in their
/// place. A second move waits for the first one's end.
class [[nodiscard]] PageMove {
 public:
  PageMove(std::byte* begin, std::uint64_t bytes);
  ~PageMove();
  PageMove(const PageMove&) = delete;
  PageMove& operator=(const PageMove&) = delete;
  /// False when the pages cannot be protected; nothing waits then.
  bool holds() const { return holds_; }

 private:
  std::unique_lock<std::mutex> one_at_a_time_;
  bool holds_;
};

/// For fault handlers: true, after waiting if need be, when a write that faulted at `address` did
/// so because of a move, and is to be tried again.
bool waited_for_move(std::uintptr_t address) noexcept;
/// The pages at `begin` are to fault again: what was moved there is gone.
void forget_move(const std::byte* begin) noexcept;

}  // namespace pycuda::cpu::exec
