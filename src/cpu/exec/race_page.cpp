// SPDX-License-Identifier: MIT
#include "cpu/exec/race_page.h"

namespace pycuda::cpu::exec {

GridAccess RacePage::access_of(Entry entry, std::uint64_t tag, std::uint32_t interval,
                               std::uint32_t place, std::uint32_t clock) {
  GridAccess past;
  past.interval = interval;
  past.clock = clock & ((1u << size_begin) - 1);
  past.place = place;
  past.thread = static_cast<std::uint16_t>(tag & ((1u << interval_begin) - 1));
  past.mask = 15;
  past.kind = (entry == Written ? PastAccess::Write : PastAccess::Read) & 3;
  past.log_bytes = static_cast<std::uint8_t>(clock >> size_begin) & 7;
  past.block = static_cast<std::uint32_t>(tag >> block_begin) & (most_blocks - 1);
  return past;
}

GridAccess RacePage::past_access(Entry entry, std::size_t word) const {
  const Word& own = words_[word];
  return access_of(entry, own.tags[entry], own.intervals[entry], own.places[entry],
                   own.clocks[entry]);
}

void RacePage::put(Entry entry, std::size_t word, const GridAccess& now, std::uint64_t tag) {
  Word& own = words_[word];
  own.tags[entry] = tag;
  own.intervals[entry] = now.interval;
  own.places[entry] = now.place;
  own.clocks[entry] = now.clock | std::uint32_t{now.log_bytes} << size_begin;
}

RacePage::Entry RacePage::entry_for_read(std::uint64_t first, std::uint64_t other,
                                         std::uint64_t tag) {
  const auto is_stale = [&](std::uint64_t before) {
    return (before ^ tag) >> generation_begin != 0;
  };
  constexpr std::uint64_t thread = (std::uint64_t{1} << interval_begin) - 1;
  if (is_stale(first) || (is_of_block(first, tag) && ((first ^ tag) & thread) == 0))
    return FirstRead;
  return is_stale(other) || is_of_block(other, tag) || is_of_block(other, first) ? OtherRead
                                                                                 : entry_count;
}

void RacePage::put_read(std::size_t word, const GridAccess& now, std::uint64_t tag) {
  const Entry entry =
      entry_for_read(words_[word].tags[FirstRead], words_[word].tags[OtherRead], tag);
  if (entry != entry_count) put(entry, word, now, tag);
}

/// Whether the line's entry is no other thread's, or in any case before the access.
inline bool RacePage::Line::is_in_order(Entry entry, const LineAccess& now) const {
  const std::uint64_t before = tags[entry].load(std::memory_order_relaxed);
  if ((before ^ now.tag) >> generation_begin != 0 || is_over(before, now.tag)) return true;
  const std::uint32_t clock = clocks[entry].load(std::memory_order_relaxed);
  return before == now.tag && (clock ^ now.clock) >> size_begin == 0;
}

/// Whether the entry is such an access as this.
inline bool RacePage::Line::has(Entry entry, const LineAccess& now) const {
  return tags[entry].load(std::memory_order_relaxed) == now.tag &&
         clocks[entry].load(std::memory_order_relaxed) == now.clock &&
         places[entry].load(std::memory_order_relaxed) == now.place;
}

/// Whether the access is in order and would add nothing: whatever races with it and comes later
/// finds what is there already. Also without holding the line.
inline bool RacePage::is_known(const Line& line, const LineAccess& now) {
  if (!now.is_read)
    return line.has(Written, now) && line.is_in_order(FirstRead, now) &&
           line.is_in_order(OtherRead, now);
  if (line.has(FirstRead, now)) return line.is_in_order(Written, now);
  // Two other blocks have read all of the line, and none has written there.
  const std::uint64_t first = line.tags[FirstRead].load(std::memory_order_relaxed);
  const std::uint64_t other = line.tags[OtherRead].load(std::memory_order_relaxed);
  const std::uint64_t written = line.tags[Written].load(std::memory_order_relaxed);
  return (written ^ now.tag) >> generation_begin != 0 && !is_of_block(first, now.tag) &&
         entry_for_read(first, other, now.tag) == entry_count;
}

bool RacePage::add_to_line(const LineAccess& now, std::size_t number) {
  Line& line = lines_[number];
  const auto generation = static_cast<std::uint16_t>(now.tag >> generation_begin);
  if (line.is_spread(generation)) return false;
  if (is_known(line, now)) return true;
  const Held held(line);
  if (line.is_spread(generation) || !line.is_in_order(Written, now)) return false;
  Entry entry = Written;
  if (now.is_read) {
    const std::uint64_t first = line.tags[FirstRead].load(std::memory_order_relaxed);
    const std::uint64_t other = line.tags[OtherRead].load(std::memory_order_relaxed);
    entry = entry_for_read(first, other, now.tag);
    if (entry == entry_count) return true;
    // The same thread has read other words of the line.
    const std::uint32_t clock = line.clocks[entry].load(std::memory_order_relaxed);
    if (is_of_block(entry == FirstRead ? first : other, now.tag) &&
        (clock ^ now.clock) >> size_begin != 0)
      return false;
  } else if (!line.is_in_order(FirstRead, now) || !line.is_in_order(OtherRead, now)) {
    return false;
  }
  line.put(entry, now);
  line.state.store(generation | busy, std::memory_order_relaxed);
  return true;
}

/// From now on the words of the line tell what is known of it.
void RacePage::spread(std::size_t number, std::uint16_t generation) {
  std::call_once(words_made_, [&] { words_ = std::make_unique<Word[]>(word_count); });
  Line& line = lines_[number];
  line.state.store(generation | by_words | busy, std::memory_order_relaxed);
  for (const Entry entry : entries) {
    const std::uint64_t tag = line.tags[entry].load(std::memory_order_relaxed);
    if (!is_of(tag, generation)) continue;
    GridAccess past = access_of(entry, tag, line.intervals[entry],
                                line.places[entry].load(std::memory_order_relaxed),
                                line.clocks[entry].load(std::memory_order_relaxed));
    const unsigned first = past.thread, shift = past.log_bytes - 2u;
    for (std::size_t word = 0; word < line_words; ++word) {
      past.thread = static_cast<std::uint16_t>(first + (word >> shift));
      put(entry, number * line_words + word, past, tag_of(past, generation));
    }
  }
}

RacePage::WordOfMany& RacePage::history_of(std::size_t word, std::uint16_t generation) {
  std::call_once(histories_made_,
                 [&] { histories_ = std::make_unique<std::array<WordOfMany, word_count>>(); });
  WordOfMany& found = (*histories_)[word];
  if (found.generation != generation) found = {generation, {}};
  return found;
}

bool RacePage::knows_updates(const GridAccess& now, std::size_t word,
                             std::uint16_t generation) const {
  if (now.kind != PastAccess::StrongWrite || now.scope != PastAccess::OfDevice ||
      !lines_[word / line_words].is_spread(generation) || !is_elsewhere(word, generation))
    return false;
  const WordOfMany& own = (*histories_)[word];
  if (own.generation != generation) return false;
  const GridAccess* first = nullptr;
  bool are_two = false;
  for (const GridAccess& past : own.history.past()) {
    if (past.interval == 0) continue;
    if (past.kind != PastAccess::StrongWrite || past.scope != PastAccess::OfDevice) return false;
    if ((now.mask & ~past.mask) != 0) continue;
    if (first == nullptr) {
      first = &past;
    } else {
      are_two |= past.block != first->block;
    }
  }
  return are_two;
}

/// From now on a history has what is known of the word.
void RacePage::move(std::size_t word, std::uint16_t generation) {
  WordOfMany& own = history_of(word, generation);
  for (const Entry entry : {FirstRead, OtherRead, Written}) {
    if (!is_of(words_[word].tags[entry], generation)) continue;
    own.history.add(
        past_access(entry, word), [](const GridAccess&) { return true; },
        [](const GridAccess&) { return false; }, [](const GridAccess&) {});
  }
  words_[word].tags[Written] = elsewhere | std::uint64_t{generation} << generation_begin;
}

}  // namespace pycuda::cpu::exec
