// SPDX-License-Identifier: MIT
// Two accesses of one kind are enough, since threads of different warps are ordered by barriers of
// the whole block alone: a third thread comes after none of the two, or is one of their warp.
#include "cpu/exec/shared_words.h"

#include <algorithm>
#include <bit>

namespace pycuda::cpu::exec {

void SharedWords::start(std::size_t words, std::uint32_t threads, const ThreadOrder& order) {
  order_ = &order;
  threads_ = threads;
  if (states_.size() < words) {
    states_.resize(words, 0);
    lanes_.resize(words, 0);
    for (auto& past : past_) past.resize(words);
  }
  sync_block();
}

void SharedWords::sync_block() {
  base_ = next_stamp();
  stamps_.fill(base_);
  warps_in_one_ = 0;
}

void SharedWords::sync_lanes(std::uint32_t warp, std::uint32_t lanes) {
  const std::uint32_t count = std::min(threads_ - warp * 32, 32u);
  const std::uint32_t whole = count == 32 ? ~0u : (1u << count) - 1;
  if ((warps_in_one_ >> warp & 1) != 0 && (lanes & whole) != whole) part_warp(warp, lanes);
  warps_in_one_ &= ~(1u << warp);
  const std::uint32_t stamp = next_stamp();
  stamps_[warp] = stamp;
}

/// From now on some lanes of the warp come after others of it: words that several have accessed
/// keep one access of each side.
void SharedWords::part_warp(std::uint32_t warp, std::uint32_t lanes) {
  for (std::size_t word = 0; word < states_.size(); ++word) {
    std::uint32_t& state = states_[word];
    const bool reads = state == (stamps_[warp] | mark(ReadInWarp) | warp);
    if (!reads && state != (stamps_[warp] | mark(UpdatedInWarp) | warp)) continue;
    const Group group = reads ? Reads : Updates;
    const auto stand_for = [&](PastAccess& access, std::uint32_t those) {
      if (those == 0) return;
      access.thread = static_cast<std::uint16_t>(warp * 32 + std::countr_zero(those));
      access.clock = order_->now(access.thread).clock;
    };
    stand_for(past_[2 * group][word], lanes_[word] & lanes);
    stand_for(past_[2 * group + 1][word], lanes_[word] & ~lanes);
    state = latest_ | mark(Mixed);
  }
}

std::uint32_t SharedWords::next_stamp() {
  if (latest_ >= ~std::uint32_t{0} - 2 * one_stamp) renumber();
  latest_ += one_stamp;
  latest_ &= ~(one_stamp - 1);
  return latest_;
}

/// Stamps begin again. What is known of this interval is told by the accesses themselves.
void SharedWords::renumber() {
  for (std::uint32_t& state : states_) {
    const bool in_parts = (state & all_kinds) == mark(InParts);
    state = state < base_ ? 0 : one_stamp | mark(in_parts ? InParts : Mixed);
  }
  base_ = one_stamp;
  latest_ = 2 * one_stamp;
  stamps_.fill(latest_);
}

void SharedWords::put_in_parts(std::size_t word, const PastAccess& now) {
  if (histories_.size() < states_.size()) histories_.resize(states_.size());
  WordHistory& history = histories_[word];
  const auto add = [&](const PastAccess& access) {
    history.add(
        access, [&](const PastAccess& past) { return past.interval == now.interval; },
        [&](const PastAccess& past) { return order_->precedes(past.moment(), access.thread); },
        [](const PastAccess&) {});
  };
  std::uint32_t& state = states_[word];
  if (state >= base_ && (state & all_kinds) != mark(InParts)) {
    for (const auto& past : past_) {
      if (past[word].interval == now.interval) add(past[word]);
    }
  }
  state = latest_ | mark(InParts);
  add(now);
}

void SharedWords::put(std::size_t word, const PastAccess& now) {
  std::uint32_t& state = states_[word];
  const bool is_fresh = state < base_;
  const bool in_parts = !is_fresh && (state & all_kinds) == mark(InParts);
  if (in_parts || now.mask != 15 || now.kind == PastAccess::StrongRead) {
    put_in_parts(word, now);
    return;
  }
  const Group group = group_of(now.kind);
  PastAccess& first = past_[2 * group][word];
  PastAccess& other = past_[2 * group + 1][word];
  const std::uint32_t warp = now.thread / 32u, stamp = stamps_[warp];
  if (is_fresh) {
    first = now;
    state = stamp | mark(group == Reads ? Read : group == Writes ? Written : Mixed) | now.thread;
    return;
  }
  const auto is_over = [&](const PastAccess& past) {
    return past.interval != now.interval || order_->precedes(past.moment(), now.thread);
  };
  // What comes after one of them races with whatever that races with.
  if (is_over(first)) {
    first = now;
  } else if (is_over(other) || is_same_warp(first, other)) {
    other = now;
  }
  const Kind kind = kind_after(word, now);
  if (kind != ReadInWarp && kind != UpdatedInWarp) {
    state = stamp | mark(kind) | now.thread;
    return;
  }
  const std::uint32_t before = state;
  state = stamp | mark(kind) | warp;
  if (state != before) lanes_[word] = 1u << first.thread % 32 | 1u << other.thread % 32;
  lanes_[word] |= 1u << now.thread % 32;
  warps_in_one_ |= 1u << warp;
}

SharedWords::Kind SharedWords::kind_after(std::size_t word, const PastAccess& now) const {
  const Group group = group_of(now.kind);
  bool has_others = false;    // of other groups
  bool has_unordered = false;  // of other threads, at the same time
  for (unsigned i = 0; i < past_.size(); ++i) {
    const PastAccess& past = past_[i][word];
    if (past.interval != now.interval) continue;
    has_others |= i / 2 != group;
    has_unordered |= !order_->precedes(past.moment(), now.thread);
  }
  if (group == Writes) return has_unordered ? Mixed : Written;
  const PastAccess& first = past_[2 * group][word];
  const PastAccess& other = past_[2 * group + 1][word];
  const bool are_two = first.interval == now.interval && other.interval == now.interval &&
                       first.thread != other.thread;
  const Kind single = group == Reads ? Read : Mixed;
  if (!are_two || has_others) return single;
  if (!is_same_warp(first, other)) return group == Reads ? ReadByMany : UpdatedByMany;
  const auto is_of_now = [&](const PastAccess& past) {
    return past.clock == order_->now(past.thread).clock && past.place == now.place;
  };
  if (!is_of_now(first) || !is_of_now(other)) return single;
  return group == Reads ? ReadInWarp : UpdatedInWarp;
}

}  // namespace pycuda::cpu::exec
