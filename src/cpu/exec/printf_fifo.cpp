// SPDX-License-Identifier: MIT
// A queue of texts with a limit on their bytes.
#include "cpu/exec/printf_fifo.h"

#include <cstdio>
#include <utility>

#include "base/log.h"

namespace pycuda::cpu::exec {

void PrintfFifo::resize(std::size_t bytes) {
  flush();
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

void PrintfFifo::write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (text.size() > capacity_) {
    ++lost_;
  } else {
    while (used_ + text.size() > capacity_) {
      used_ -= texts_.front().size();
      texts_.pop_front();
      ++lost_;
    }
    used_ += text.size();
    texts_.emplace_back(text);
  }
  pending_.store(true, std::memory_order_release);
}

void PrintfFifo::flush() {
  if (empty()) {
    std::fflush(stdout);
    return;
  }
  std::uint64_t lost = 0;
  std::size_t capacity = 0;
  {
    // Written under the lock: two that flush at once must not mix up the order.
    const std::lock_guard lock(mutex_);
    for (const std::string& text : texts_) std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    texts_.clear();
    used_ = 0;
    lost = std::exchange(lost_, 0);
    capacity = capacity_;
    pending_.store(false, std::memory_order_release);
  }
  if (lost == 0) return;
  base::log(base::LogLevel::Warning, "the output of " + std::to_string(lost) +
                                         " printf calls of kernels is lost: it did not fit in " +
                                         std::to_string(capacity) +
                                         " bytes (CU_LIMIT_PRINTF_FIFO_SIZE)");
}

}  // namespace pycuda::cpu::exec
