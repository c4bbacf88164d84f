// SPDX-License-Identifier: MIT
// The latest accesses of the words of shared memory, where blocks run in gangs: most of them
// compiled code writes down itself (SharedShadow).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/exec/access_history.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

class SharedRaces {
 public:
  /// A new block, with so many words of shared memory and threads.
  void start(std::size_t words, std::uint32_t threads, const ThreadOrder& order);
  /// Accesses of the gang whose first thread is this are in `interval` from now on.
  void set_interval(std::uint32_t first_thread, std::uint32_t interval);
  SharedShadow* shadow() { return &shadow_; }

  /// As History::add.
  template <class Precedes, class Conflict>
  void add(const PastAccess& now, std::size_t word, Precedes&& precedes, Conflict&& conflict) {
    if (word >= shadow_.words) return;
    const bool is_write = now.kind == PastAccess::Write;
    const bool is_simple =
        now.mask == 15 && now.log_bytes == 2 && (is_write || now.kind == PastAccess::Read);
    const bool is_elsewhere =
        is_current(SharedShadow::Written, word, now.interval) &&
        (at(SharedShadow::Tag, SharedShadow::Written, word) & SharedShadow::elsewhere) != 0;
    if (!is_simple || is_elsewhere) {
      if (!is_elsewhere) move(word, now.interval);
      histories_[word].add(
          now, [&](const PastAccess& past) { return past.interval == now.interval; }, precedes,
          conflict);
      return;
    }
    const auto check = [&](SharedShadow::Entry entry) {
      if (!is_current(entry, word, now.interval)) return;
      const PastAccess past = past_access(entry, word, now.interval);
      if (past.thread != now.thread && !precedes(past)) conflict(past);
    };
    check(SharedShadow::Written);
    if (is_write) {
      check(SharedShadow::FirstRead);
      check(SharedShadow::OtherRead);
      put(SharedShadow::Written, word, now);
    } else {
      put_read(word, now);
    }
  }

 private:
  std::uint32_t& at(SharedShadow::Part part, SharedShadow::Entry entry, std::size_t word) {
    return parts_[SharedShadow::array(part, entry) * shadow_.words + word];
  }
  bool is_current(SharedShadow::Entry entry, std::size_t word, std::uint32_t interval) {
    const std::uint32_t differs =
        at(SharedShadow::Tag, entry, word) ^ SharedShadow::tag_of(interval);
    return differs >> SharedShadow::interval_begin == 0;
  }
  PastAccess past_access(SharedShadow::Entry entry, std::size_t word, std::uint32_t interval);
  void put(SharedShadow::Entry entry, std::size_t word, const PastAccess& now);
  void put_read(std::size_t word, const PastAccess& now);
  /// What is known of the word is kept in its history, for the rest of the interval.
  void move(std::size_t word, std::uint32_t interval);

  SharedShadow shadow_;
  std::vector<std::uint32_t> parts_;
  std::vector<WordHistory> histories_;
  std::uint32_t cycle_ = 0;  ///< tags tell the intervals of one apart
};

}  // namespace pycuda::cpu::exec
