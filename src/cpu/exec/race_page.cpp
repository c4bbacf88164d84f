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
  const std::size_t place = at(entry, word);
  return access_of(entry, words_->tags[place], words_->intervals[place], words_->places[place],
                   words_->clocks[place]);
}

void RacePage::put(Entry entry, std::size_t word, const GridAccess& now, std::uint64_t tag) {
  const std::size_t place = at(entry, word);
  words_->tags[place] = tag;
  words_->intervals[place] = now.interval;
  words_->places[place] = now.place;
  words_->clocks[place] = now.clock | std::uint32_t{now.log_bytes} << size_begin;
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
      entry_for_read(words_->tags[at(FirstRead, word)], words_->tags[at(OtherRead, word)], tag);
  if (entry != entry_count) put(entry, word, now, tag);
}

bool RacePage::is_read_by_others(const GridAccess& now, std::size_t number,
                                 std::uint16_t generation) const {
  const Line& line = lines_[number];
  const auto tag_in = [&](Entry entry) {
    return line.records[entry].tag.load(std::memory_order_relaxed);
  };
  if (line.spread.load(std::memory_order_relaxed) == generation || now.block >= most_blocks)
    return false;
  const std::uint64_t tag = tag_of(now, generation);
  return !is_of(tag_in(Written), generation) && !is_of_block(tag_in(FirstRead), tag) &&
         entry_for_read(tag_in(FirstRead), tag_in(OtherRead), tag) == entry_count;
}

bool RacePage::add_line(const GridAccess& now, std::size_t number, std::uint16_t generation) {
  Line& line = lines_[number];
  if (line.spread.load(std::memory_order_relaxed) == generation || now.block >= most_blocks)
    return false;
  const std::uint64_t tag = tag_of(now, generation);
  const std::uint32_t clock = now.clock | std::uint32_t{now.log_bytes} << size_begin;
  const auto tag_in = [&](Entry entry) {
    return line.records[entry].tag.load(std::memory_order_relaxed);
  };
  const auto is_of_size = [&](Entry entry) {
    return (line.records[entry].clock ^ clock) >> size_begin == 0;
  };
  const auto is_in_order = [&](Entry entry) {
    const std::uint64_t before = tag_in(entry);
    return !is_of(before, generation) || is_over(before, tag) ||
           (before == tag && is_of_size(entry));
  };
  if (!is_in_order(Written)) return false;
  Entry entry = Written;
  if (now.kind == PastAccess::Read) {
    entry = entry_for_read(tag_in(FirstRead), tag_in(OtherRead), tag);
    if (entry == entry_count) return true;
    // The same thread has read other words of the line.
    if (is_of_block(tag_in(entry), tag) && !is_of_size(entry)) return false;
  } else if (!is_in_order(FirstRead) || !is_in_order(OtherRead)) {
    return false;
  }
  Record& record = line.records[entry];
  record.interval = now.interval;
  record.place = now.place;
  record.clock = clock;
  record.tag.store(tag, std::memory_order_relaxed);
  return true;
}

/// From now on the words of the line tell what is known of it.
void RacePage::spread(std::size_t number, std::uint16_t generation) {
  if (words_ == nullptr) words_ = std::make_unique<Words>();
  Line& line = lines_[number];
  line.spread.store(generation, std::memory_order_relaxed);
  for (const Entry entry : entries) {
    const Record& record = line.records[entry];
    const std::uint64_t tag = record.tag.load(std::memory_order_relaxed);
    if (!is_of(tag, generation)) continue;
    GridAccess past = access_of(entry, tag, record.interval, record.place, record.clock);
    const unsigned first = past.thread, shift = past.log_bytes - 2u;
    for (std::size_t word = 0; word < line_words; ++word) {
      past.thread = static_cast<std::uint16_t>(first + (word >> shift));
      put(entry, number * line_words + word, past, tag_of(past, generation));
    }
  }
}

RacePage::Word& RacePage::history_of(std::size_t word, std::uint16_t generation) {
  if (histories_ == nullptr) histories_ = std::make_unique<std::array<Word, word_count>>();
  Word& found = (*histories_)[word];
  if (found.generation != generation) found = {generation, {}};
  return found;
}

/// From now on a history has what is known of the word.
void RacePage::move(std::size_t word, std::uint16_t generation) {
  Word& own = history_of(word, generation);
  for (const Entry entry : {FirstRead, OtherRead, Written}) {
    if (!is_of(words_->tags[at(entry, word)], generation)) continue;
    own.history.add(
        past_access(entry, word), [](const GridAccess&) { return true; },
        [](const GridAccess&) { return false; }, [](const GridAccess&) {});
  }
  words_->tags[at(Written, word)] = elsewhere | std::uint64_t{generation} << generation_begin;
}

}  // namespace pycuda::cpu::exec
