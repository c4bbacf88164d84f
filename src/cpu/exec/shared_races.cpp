// SPDX-License-Identifier: MIT
#include "cpu/exec/shared_races.h"

namespace pycuda::cpu::exec {

using Entry = SharedShadow::Entry;

void SharedRaces::start(std::size_t words, std::uint32_t threads, const ThreadOrder& order) {
  const std::uint32_t cycle = order.interval() >> (32 - SharedShadow::interval_shift);
  if (words > shadow_.words || cycle != cycle_) {
    const std::size_t count = std::max<std::size_t>(words, shadow_.words);
    parts_.assign(count * SharedShadow::part_count * SharedShadow::entry_count, 0);
    histories_.assign(count, {});
    shadow_.words = count;
    shadow_.parts = parts_.data();
    cycle_ = cycle;
  }
  shadow_.clocks = order.clocks();
  std::fill_n(shadow_.intervals, threads, SharedShadow::tag_of(order.interval()));
}

void SharedRaces::set_interval(std::uint32_t first_thread, std::uint32_t interval) {
  shadow_.intervals[first_thread] = SharedShadow::tag_of(interval);
}

PastAccess SharedRaces::past_access(Entry entry, std::size_t word, std::uint32_t interval) {
  PastAccess past;
  past.interval = interval;
  past.clock = at(SharedShadow::Clock, entry, word);
  past.place = at(SharedShadow::Place, entry, word);
  past.thread =
      static_cast<std::uint16_t>(at(SharedShadow::Tag, entry, word) & SharedShadow::thread_mask);
  past.mask = 15;
  past.kind = entry == SharedShadow::Written ? PastAccess::Write & 3 : PastAccess::Read & 3;
  past.log_bytes = 2;
  return past;
}

void SharedRaces::put(Entry entry, std::size_t word, const PastAccess& now) {
  at(SharedShadow::Tag, entry, word) = SharedShadow::tag_of(now.interval) | now.thread;
  at(SharedShadow::Place, entry, word) = now.place;
  at(SharedShadow::Clock, entry, word) = now.clock;
}

/// Reads of two warps are more likely to conflict with something than two of one.
void SharedRaces::put_read(std::size_t word, const PastAccess& now) {
  const auto thread = [&](Entry entry) {
    return at(SharedShadow::Tag, entry, word) & SharedShadow::thread_mask;
  };
  if (!is_current(SharedShadow::FirstRead, word, now.interval) ||
      thread(SharedShadow::FirstRead) == now.thread) {
    put(SharedShadow::FirstRead, word, now);
    return;
  }
  const std::uint32_t other = thread(SharedShadow::OtherRead) / 32;
  if (!is_current(SharedShadow::OtherRead, word, now.interval) || other == now.thread / 32 ||
      other == thread(SharedShadow::FirstRead) / 32)
    put(SharedShadow::OtherRead, word, now);
}

void SharedRaces::move(std::size_t word, std::uint32_t interval) {
  for (const Entry entry :
       {SharedShadow::FirstRead, SharedShadow::OtherRead, SharedShadow::Written}) {
    if (!is_current(entry, word, interval)) continue;
    histories_[word].add(
        past_access(entry, word, interval),
        [&](const PastAccess& past) { return past.interval == interval; },
        [](const PastAccess&) { return false; }, [](const PastAccess&) {});
  }
  at(SharedShadow::Tag, SharedShadow::Written, word) =
      SharedShadow::tag_of(interval) | SharedShadow::elsewhere;
}

}  // namespace pycuda::cpu::exec
