// SPDX-License-Identifier: MIT
// Two accesses of one kind are enough, since threads of different warps are ordered by barriers of
// the whole block alone: a third thread comes after none of the two, or is one of their warp.
#include "cpu/exec/shared_words.h"

#include <algorithm>
#include <bit>

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint32_t lane_of(std::uint32_t thread) { return 1u << thread % 32; }

}  // namespace

void SharedWords::start(std::uint64_t window, std::uint64_t bytes, std::uint32_t threads,
                        const ThreadOrder& order) {
  order_ = &order;
  threads_ = threads;
  const std::size_t words = (bytes + history_word - 1) / history_word;
  if (words_ < words) {
    words_ = words;
    arrays_.assign(3 * words_, 0);
    states_ = arrays_.data();
    places_ = states_ + words_;
    lanes_ = places_ + words_;
    for (auto& past : past_) past.resize(words);
  }
  code_.window = window;
  code_.bytes = bytes;
  code_.states = reinterpret_cast<std::uint64_t>(states_) - window;
  code_.array = words_ * sizeof *states_;
  sync_block();
}

void SharedWords::sync_block() {
  code_.base = next_stamp();
  std::fill(std::begin(code_.stamps), std::end(code_.stamps), code_.base);
}

void SharedWords::sync_lanes(std::uint32_t warp, std::uint32_t lanes, ThreadOrder& order) {
  if (sync_warp(warp, lanes, order)) return;
  const std::uint32_t count = std::min(threads_ - warp * 32, 32u);
  const std::uint32_t whole = count == 32 ? ~0u : (1u << count) - 1;
  if ((lanes & whole) == whole) {
    const std::uint32_t before = clock_of(code_.stamps[warp]);
    const std::uint32_t stamp = next_stamp();
    code_.stamps[warp] = stamp;
    order.sync_warp(warp, before, clock_of(stamp));
    return;
  }
  part_warp(warp, lanes);
  const std::uint32_t before = clock_of(code_.stamps[warp]);
  order.set_clocks(warp, before);
  order.sync_lanes(warp, lanes);
  const std::uint32_t stamp = next_stamp();
  code_.stamps[warp] = stamp;
  order.set_clocks(warp, clock_of(stamp));
}

/// From now on some lanes of the warp come after others of it: words that several have accessed
/// keep one access of each side.
void SharedWords::part_warp(std::uint32_t warp, std::uint32_t lanes) {
  const std::uint32_t stamp = code_.stamps[warp];
  const std::size_t words = (code_.bytes + history_word - 1) / history_word;
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint32_t state = states_[word];
    if ((state ^ stamp) >> State::stamp_begin != 0 || name_in(state) != warp) continue;
    const State::Kind kind = kind_of(state);
    if (kind != State::ReadInWarp && kind != State::UpdatedInWarp) continue;
    spread(word);
    const Group group = kind == State::ReadInWarp ? Reads : Updates;
    const auto stand_for = [&](PastAccess& access, std::uint32_t those) {
      if (those != 0)
        access.thread = static_cast<std::uint16_t>(warp * 32 + std::countr_zero(those));
    };
    stand_for(past_[std::size_t{2} * group][word], lanes_[word] & lanes);
    stand_for(past_[2 * group + 1][word], lanes_[word] & ~lanes);
    states_[word] = latest_ | mark(State::Mixed);
  }
}

std::uint32_t SharedWords::next_stamp() {
  if (is_last_stamp()) renumber();
  return latest_ += one_stamp;
}

/// Stamps begin again. What is known of this interval is told by the accesses themselves.
void SharedWords::renumber() {
  for (std::size_t word = 0; word < words_; ++word) {
    if (states_[word] < code_.base) {
      states_[word] = 0;
      continue;
    }
    spread(word);
    const bool in_parts = kind_of(states_[word]) == State::InParts;
    states_[word] = one_stamp | mark(in_parts ? State::InParts : State::Mixed);
  }
  code_.clock_offset += ~std::uint32_t{0} >> State::stamp_begin;
  latest_ = 2 * one_stamp;
  code_.base = one_stamp;
  std::fill(std::begin(code_.stamps), std::end(code_.stamps), latest_);
}

PastAccess SharedWords::single(std::size_t word, std::uint32_t thread) const {
  const std::uint32_t state = states_[word];
  PastAccess past;
  past.interval = order_->interval();
  past.clock = clock_of(state);
  past.place = places_[word];
  past.thread = static_cast<std::uint16_t>(thread);
  past.mask = 15;
  past.kind = (kind_of(state) == State::Written ? PastAccess::Write : PastAccess::Read) & 3;
  past.log_bytes = static_cast<std::uint8_t>((state >> State::size_begin & 3) + 2) & 7;
  return past;
}

std::array<PastAccess, 2> SharedWords::singles(std::size_t word) const {
  const std::uint32_t state = states_[word];
  if (kind_of(state) != State::ReadInWarp) return {single(word, name_in(state)), PastAccess{}};
  const std::uint32_t first = name_in(state) * 32, lanes = lanes_[word];
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const std::uint32_t others = lanes & (lanes - 1);
  return {single(word, first + lane),
          others == 0 ? PastAccess{}
                      : single(word, first + static_cast<std::uint32_t>(std::countr_zero(others)))};
}

/// The accesses that the state tells of become some like all others.
void SharedWords::spread(std::size_t word) {
  if (!is_single(states_[word]) && !has_two(word)) return;
  const auto accesses = has_two(word) ? two(word) : singles(word);
  const Group group = group_of(accesses[0].kind);
  past_[std::size_t{2} * group][word] = accesses[0];
  past_[2 * group + 1][word] = accesses[1];
}

/// One of the warp that has read it is kept, and this one: as numbers, if both did the same.
void SharedWords::read_by_many(std::size_t word, std::uint32_t thread, const Lanes& lanes) {
  const std::uint32_t state = states_[word];
  const std::uint32_t first =
      kind_of(state) == State::ReadInWarp
          ? name_in(state) * 32 + static_cast<std::uint32_t>(std::countr_zero(lanes_[word]))
          : name_in(state);
  if (places_[word] == lanes.place && (state >> State::size_begin & 3) == lanes.log_bytes - 2) {
    lanes_[word] = first | thread << two_begin | lanes.log_bytes << two_size_begin;
  } else {
    past_[0][word] = single(word, first);
    set(word, own_state(thread, lanes), lanes.place);
    past_[1][word] = single(word, thread);
    lanes_[word] = 0;
  }
  states_[word] = code_.base | mark(State::ReadByMany);
}

/// Of two warps that have read it, in the same line.
std::array<PastAccess, 2> SharedWords::two(std::size_t word) const {
  const std::uint32_t both = lanes_[word];
  const auto read_of = [&](std::uint32_t thread) {
    PastAccess past;
    past.interval = order_->interval();
    past.clock = clock(thread);
    past.place = places_[word];
    past.thread = static_cast<std::uint16_t>(thread);
    past.mask = 15;
    past.log_bytes = static_cast<std::uint8_t>(both >> two_size_begin) & 7;
    return past;
  };
  return {read_of(both & 1023), read_of(both >> two_begin & 1023)};
}

bool SharedWords::read(std::size_t word, std::uint32_t thread, const Lanes& lanes) {
  const std::uint32_t state = states_[word], own = own_state(thread, lanes);
  if ((state & ~State::own_kinds) == own || state == (code_.base | mark(State::ReadByMany)))
    return true;
  if (state < code_.base) {
    set(word, own, lanes.place);
    return true;
  }
  if (!is_single(state) || kind_of(state) == State::Written) return false;
  const bool of_warp = kind_of(state) == State::ReadInWarp;
  const std::uint32_t warp = thread / 32, name = name_in(state);
  if ((of_warp ? name : name / 32) != warp) {
    read_by_many(word, thread, lanes);
    return true;
  }
  if ((state ^ own) >> State::size_begin != 0) return false;
  const std::uint32_t known = of_warp ? lanes_[word] : lane_of(name);
  if ((known & lane_of(thread)) != 0) return true;
  if (places_[word] != lanes.place) return false;
  lanes_[word] = known | lane_of(thread);
  states_[word] = (own ^ thread) | mark(State::ReadInWarp) | warp;
  return true;
}

bool SharedWords::read(std::size_t word, std::uint32_t warp, std::uint32_t mask,
                       const Lanes& lanes) {
  const std::uint32_t state = states_[word];
  const std::uint32_t own =
      code_.stamps[warp] | State::size(lanes.log_bytes) | mark(State::ReadInWarp) | warp;
  if (state == (code_.base | mark(State::ReadByMany))) return true;
  if (state < code_.base) {
    set(word, own, lanes.place);
    lanes_[word] = mask;
    return true;
  }
  if (state != own) return false;
  if ((lanes_[word] & mask) == mask) return true;
  if (places_[word] != lanes.place) return false;
  lanes_[word] |= mask;
  return true;
}

bool SharedWords::read_row(const Row& row, const Lanes& lanes) {
  const std::uint32_t warp = row.thread / 32, own = own_state(row.thread, lanes);
  if (warp != (row.thread + row.count - 1) / 32) return false;
  const std::uint32_t first = states_[row.word];
  const std::size_t end = row.word + row.count * row.step;
  // Of all words, in what the bits of `those` say.
  const auto are_like_first = [&](std::uint32_t those) {
    std::uint32_t differ = 0;
    for (std::size_t word = row.word; word < end; word += row.step)
      differ |= ((states_[word] ^ first) & those) | (places_[word] ^ lanes.place);
    return differ == 0;
  };
  if (first < code_.base) {
    bool are_fresh = true;
    for (std::size_t word = row.word; word < end; word += row.step)
      are_fresh &= states_[word] < code_.base;
    if (!are_fresh) return false;
    for (std::uint32_t lane = 0; lane < row.count; ++lane)
      set(row.word + lane * row.step, own + lane, lanes.place);
    return true;
  }
  constexpr std::uint32_t lane_bits = 31, sizes = 3u << State::size_begin;
  if (((first ^ own) & sizes) != 0) return false;
  const bool of_warp = kind_of(first) == State::ReadInWarp;
  if (!of_warp && kind_of(first) != State::Read) return false;
  const std::uint32_t other = of_warp ? name_in(first) : name_in(first) / 32;
  if (!are_like_first(of_warp ? ~0u : ~lane_bits)) return false;
  if (other != warp) {
    const std::uint32_t many = code_.base | mark(State::ReadByMany);
    std::uint32_t now = row.thread << two_begin | lanes.log_bytes << two_size_begin;
    for (std::size_t word = row.word; word < end; word += row.step, now += 1u << two_begin) {
      const std::uint32_t lane = of_warp
                                     ? static_cast<std::uint32_t>(std::countr_zero(lanes_[word]))
                                     : states_[word] & lane_bits;
      lanes_[word] = now | other * 32 | lane;
      states_[word] = many;
    }
    return true;
  }
  if ((first ^ own) >> State::size_begin != 0) return false;
  std::uint32_t bit = lane_of(row.thread);
  for (std::size_t word = row.word; word < end; word += row.step, bit <<= 1) {
    lanes_[word] = bit | (of_warp ? lanes_[word] : lane_of(states_[word]));
    states_[word] =
        code_.stamps[warp] | State::size(lanes.log_bytes) | mark(State::ReadInWarp) | warp;
  }
  return true;
}

bool SharedWords::update(std::size_t word, const PastAccess& now) {
  const std::uint32_t state = states_[word];
  if (state == (code_.base | mark(State::UpdatedByMany))) return true;
  const std::uint32_t warp = now.thread / 32u;
  const std::uint32_t own = code_.stamps[warp] | mark(State::UpdatedInWarp) | warp;
  PastAccess* const first = &past_[std::size_t{2} * Updates][word];
  PastAccess* const other = &past_[2 * Updates + 1][word];
  if (state < code_.base) {
    states_[word] = own;
    lanes_[word] = lane_of(now.thread);
    *first = now;
  } else if (state == own) {
    if ((lanes_[word] & lane_of(now.thread)) != 0) return true;
    if (first->place != now.place) return false;
    lanes_[word] |= lane_of(now.thread);
    *other = now;
  } else {
    if (kind_of(state) != State::UpdatedInWarp || name_in(state) == warp) return false;
    states_[word] = code_.base | mark(State::UpdatedByMany);
    lanes_[word] = 0;
    *other = now;
  }
  return true;
}

void SharedWords::put_in_parts(std::size_t word, const PastAccess& now) {
  if (histories_.size() < words_) histories_.resize(words_);
  WordHistory& history = histories_[word];
  const auto add = [&](const PastAccess& access) {
    history.add(
        access, [&](const PastAccess& past) { return past.interval == now.interval; },
        [&](const PastAccess& past) { return order_->precedes(past.moment(), access.thread); },
        [](const PastAccess&) {});
  };
  std::uint32_t& state = states_[word];
  if (state >= code_.base && kind_of(state) != State::InParts) {
    spread(word);
    for (const auto& past : past_) {
      if (past[word].interval == now.interval) add(past[word]);
    }
  }
  state = latest_ | mark(State::InParts);
  add(now);
}

void SharedWords::put(std::size_t word, const PastAccess& now) {
  std::uint32_t& state = states_[word];
  const bool is_fresh = state < code_.base;
  const bool in_parts = !is_fresh && kind_of(state) == State::InParts;
  if (in_parts || now.mask != 15 || now.kind == PastAccess::StrongRead) {
    put_in_parts(word, now);
    return;
  }
  const Group group = group_of(now.kind);
  const std::uint32_t warp = now.thread / 32u, stamp = code_.stamps[warp];
  const std::uint32_t own = own_state(now.thread, {now.place, now.log_bytes});
  if (is_fresh && group != Updates) {
    set(word, own | mark(group == Reads ? State::Read : State::Written), now.place);
    return;
  }
  if (!is_fresh) spread(word);
  PastAccess& first = past_[std::size_t{2} * group][word];
  PastAccess& other = past_[2 * group + 1][word];
  const auto is_over = [&](const PastAccess& past) {
    return past.interval != now.interval || order_->precedes(past.moment(), now.thread);
  };
  // What comes after one of them races with whatever that races with.
  if (is_over(first)) {
    first = now;
  } else if (is_over(other) || is_same_warp(first, other)) {
    other = now;
  }
  const State::Kind kind = kind_after(word, now);
  if (kind == State::UpdatedInWarp) {
    const std::uint32_t before = state;
    state = stamp | mark(kind) | warp;
    if (state != before) lanes_[word] = lane_of(first.thread) | lane_of(other.thread);
    lanes_[word] |= lane_of(now.thread);
  } else if (kind == State::ReadByMany || kind == State::UpdatedByMany) {
    lanes_[word] = 0;
    state = code_.base | mark(kind);
  } else {
    state = own | mark(kind);
  }
}

WordState::Kind SharedWords::kind_after(std::size_t word, const PastAccess& now) const {
  const Group group = group_of(now.kind);
  bool has_others = false;     // of other groups
  bool has_unordered = false;  // of other threads, at the same time
  for (unsigned i = 0; i < past_.size(); ++i) {
    const PastAccess& past = past_[i][word];
    if (past.interval != now.interval) continue;
    has_others |= i / 2 != group;
    has_unordered |= !order_->precedes(past.moment(), now.thread);
  }
  if (group == Writes) return has_unordered ? State::Mixed : State::AlsoWritten;
  const PastAccess& first = past_[std::size_t{2} * group][word];
  const PastAccess& other = past_[2 * group + 1][word];
  const bool are_two = first.interval == now.interval && other.interval == now.interval &&
                       first.thread != other.thread;
  const State::Kind single = group == Reads ? State::AlsoRead : State::Mixed;
  if (!are_two || has_others) return single;
  if (!is_same_warp(first, other)) return group == Reads ? State::ReadByMany : State::UpdatedByMany;
  const auto is_of_now = [&](const PastAccess& past) {
    return past.clock == now.clock && past.place == now.place;
  };
  return group == Reads || !is_of_now(first) || !is_of_now(other) ? single : State::UpdatedInWarp;
}

}  // namespace pycuda::cpu::exec
