// SPDX-License-Identifier: MIT
// What is known of a page of global memory, by line and by word.
#include "cpu/exec/race_page.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace pycuda::cpu;
using namespace pycuda::cpu::exec;

constexpr std::uint16_t generation = 5;
constexpr unsigned line_words = RacePage::line_bytes / history_word;

/// Threads of several blocks, of which only barriers of their block order some.
struct Row {
  std::uint32_t block, interval, first, words_each;  ///< `first`: a thread
  std::size_t line;
  bool writes;
  std::uint16_t launch = generation;

  GridAccess access(unsigned word) const {
    GridAccess now;
    now.interval = interval;
    now.clock = 1;
    now.place = 7;
    now.thread = static_cast<std::uint16_t>(first + word / words_each);
    now.mask = 15;
    now.kind = (writes ? PastAccess::Write : PastAccess::Read) & 3;
    now.log_bytes = words_each == 1 ? 2 : words_each == 2 ? 3 : 4;
    now.block = block;
    return now;
  }
  LineAccess whole() const {
    const GridAccess now = access(0);
    LineAccess all;
    all.tag = RacePage::tag_of(now.thread, interval, block, launch);
    all.interval = interval;
    all.place = now.place;
    all.clock = RacePage::sized_clock(now.clock, now.log_bytes);
    all.is_read = !writes;
    return all;
  }
};

/// Whether the row's access of a word races with what the page knows; then, or else, it is added.
bool races(RacePage& page, const Row& row, unsigned word) {
  const GridAccess now = row.access(word);
  const auto precedes = [&](const GridAccess& past) {
    return past.block == now.block && (past.thread == now.thread || past.interval != now.interval);
  };
  bool found = false;
  const std::size_t at = row.line * line_words + word;
  const RacePage::Held held(page, at);
  page.look(now, at, row.launch, precedes, [&](const GridAccess&) { found = true; });
  page.put(now, at, row.launch, precedes);
  return found;
}

TEST_CASE("words that are added where it is easy race with the same as all words") {
  std::mt19937 random(4);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  unsigned easy = 0, racing = 0;
  const auto quick = std::make_unique<RacePage>();  // which earlier launches have used
  for (std::uint16_t launch = 1; launch <= 400; ++launch) {
    const auto slow = std::make_unique<RacePage>();
    std::uint32_t interval[3] = {1, 1, 1};
    for (unsigned step = 0; step < 8; ++step) {
      const std::uint32_t block = below(3);
      if (below(3) == 0) ++interval[block];
      const Row row{block, interval[block], 16 * below(2), 1, 0, below(3) == 0, launch};
      if (below(4) == 0) {
        const bool is_added = quick->add_line(row.whole(), row.line);
        for (unsigned word = 0; word < line_words; ++word) {
          const bool is_race = races(*slow, row, word);
          if (is_added) {
            CHECK(!is_race);
          } else {
            CHECK(races(*quick, row, word) == is_race);
          }
        }
        continue;
      }
      const unsigned word = below(3);
      const GridAccess now = row.access(word);
      const bool is_race = races(*slow, row, word);
      const bool is_easy = [&] {
        const RacePage::Held held(*quick, word);
        return quick->add_word(now, word,
                               RacePage::tag_of(now.thread, now.interval, block, launch));
      }();
      if (is_easy) {
        ++easy;
        CHECK(!is_race);
      } else {
        CHECK(races(*quick, row, word) == is_race);
      }
      racing += is_race ? 1 : 0;
    }
  }
  CHECK(easy > 500);
  CHECK(racing > 100);
}

TEST_CASE("strong writes of two blocks stand for all others, but for no plain access") {
  RacePage page;
  constexpr std::size_t word = 5;
  const auto precedes = [](const GridAccess&) { return false; };
  const auto access = [&](std::uint32_t block, PastAccess::Kind kind, std::uint8_t mask = 15) {
    Row row{block, 1, 0, 1, 0, false};
    GridAccess now = row.access(word);
    now.kind = kind & 3;
    now.mask = mask;
    return now;
  };
  const auto add = [&](const GridAccess& now) { page.put(now, word, generation, precedes); };
  const RacePage::Held held(page, word);
  const GridAccess third = access(3, PastAccess::StrongWrite);
  CHECK(!page.knows_updates(third, word, generation));
  add(access(1, PastAccess::StrongWrite));
  CHECK(!page.knows_updates(third, word, generation));
  add(access(2, PastAccess::StrongWrite, 3));
  CHECK(!page.knows_updates(third, word, generation));  // parts of the word
  add(access(2, PastAccess::StrongWrite));
  CHECK(page.knows_updates(third, word, generation));
  CHECK(!page.knows_updates(access(3, PastAccess::Write), word, generation));
  CHECK(!page.knows_updates(third, word, generation + 1));
  add(access(4, PastAccess::Read));
  CHECK(!page.knows_updates(third, word, generation));
}

TEST_CASE("accesses that are added by line race with the same as those that are added by word") {
  std::mt19937 random(3);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  unsigned in_order = 0, racing = 0, added = 0;
  const auto by_line = std::make_unique<RacePage>();  // which earlier launches have used
  for (std::uint16_t launch = 1; launch <= 400; ++launch) {
    const auto by_word = std::make_unique<RacePage>();
    std::uint32_t interval[3] = {1, 1, 1};
    for (unsigned step = 0; step < 8; ++step) {
      const std::uint32_t block = below(3);
      if (below(3) == 0) ++interval[block];
      const Row row{block,    interval[block], 16 * below(2), 1u << (below(4) == 0 ? below(3) : 0),
                    below(2), below(3) == 0,   launch};
      if (below(4) == 0) {
        const unsigned word = below(line_words);  // alone
        CHECK(races(*by_line, row, word) == races(*by_word, row, word));
        continue;
      }
      unsigned expected = 0;
      for (unsigned word = 0; word < line_words; ++word)
        expected += static_cast<unsigned>(races(*by_word, row, word));
      if (by_line->add_line(row.whole(), row.line)) {
        ++added;
        CHECK(expected == 0);
        continue;
      }
      unsigned found = 0;
      for (unsigned word = 0; word < line_words; ++word)
        found += static_cast<unsigned>(races(*by_line, row, word));
      CHECK(found == expected);
      (expected == 0 ? in_order : racing)++;
    }
  }
  CHECK(added > 500);
  CHECK(in_order > 50);
  CHECK(racing > 50);
}

TEST_CASE("of two threads that access lines at the same time one is told of each race") {
  constexpr std::size_t lines = RacePage::page_bytes / RacePage::line_bytes;
  constexpr std::uint16_t launches = 500;
  const auto page = std::make_unique<RacePage>();
  using Told = std::array<bool, lines>;
  std::vector<Told> told[2] = {std::vector<Told>(launches), std::vector<Told>(launches)};
  std::atomic<unsigned> arrived{0};
  const auto run = [&](std::uint32_t block) {
    for (std::uint16_t launch = 1; launch <= launches; ++launch) {
      // Both begin each launch as closely together as they can.
      ++arrived;
      while (arrived < 2u * launch) std::this_thread::yield();
      for (std::size_t line = 0; line < lines; ++line) {
        const bool writes = (block + line + launch) % 2 == 0;
        const Row row{block, 1, 0, 1, line, writes, launch};
        if (launch % 4 != 0 && page->add_line(row.whole(), line)) continue;
        for (unsigned word = 0; word < line_words; ++word)
          told[block][launch - 1u][line] |= races(*page, row, word);
      }
    }
  };
  std::thread first(run, 0), second(run, 1);
  first.join();
  second.join();
  for (std::size_t launch = 0; launch < launches; ++launch) {
    for (std::size_t line = 0; line < lines; ++line)
      CHECK((told[0][launch][line] || told[1][launch][line]));
  }
}

}  // namespace
