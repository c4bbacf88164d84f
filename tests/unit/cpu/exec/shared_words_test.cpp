// SPDX-License-Identifier: MIT
// What is known of words of shared memory, and which accesses race with it.
#include "cpu/exec/shared_words.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

using namespace pycuda::cpu;
using namespace pycuda::cpu::exec;

constexpr std::uint32_t all_lanes = ~0u;

/// A block of 64 threads with 16 words.
struct Block {
  ThreadOrder order;
  SharedWords words;

  Block() { start(); }
  void start(std::uint32_t threads = 64) {
    order.start(threads);
    words.start(0x1000, 64, threads, order);
  }
  void sync_block() {
    order.sync_block();
    words.sync_block();
  }
  PastAccess access(std::uint32_t thread, PastAccess::Kind kind, std::uint8_t mask = 15,
                    std::uint32_t line = 1) const {
    PastAccess now;
    now.interval = order.interval();
    now.clock = words.clock(thread);
    now.place = line;
    now.thread = static_cast<std::uint16_t>(thread);
    now.mask = mask;
    now.kind = kind & 3;
    now.log_bytes = 2;
    return now;
  }
  /// The threads with which such an access races.
  std::vector<unsigned> look(const PastAccess& now, std::size_t word = 3) const {
    std::vector<unsigned> found;
    words.look(word, now, [&](const PastAccess& past) { found.push_back(past.thread); });
    return found;
  }
  bool races(std::uint32_t thread, PastAccess::Kind kind, std::uint8_t mask = 15) const {
    return !look(access(thread, kind, mask)).empty();
  }
  /// As accesses are added where it is easy, or else one by one.
  void add(std::uint32_t thread, PastAccess::Kind kind, std::uint8_t mask = 15) {
    if (mask == 15 && kind == PastAccess::Read && words.read(3, thread, {1, 2})) return;
    if (mask == 15 && kind == PastAccess::Write && words.may_write(3, thread, {1, 2})) {
      words.write(3, thread, {1, 2});
      return;
    }
    if (mask == 15 && kind == PastAccess::StrongWrite && words.update(3, access(thread, kind)))
      return;
    words.put(3, access(thread, kind, mask));
  }
};

TEST_CASE("a read and a write of two threads race until a barrier") {
  Block block;
  block.add(5, PastAccess::Write);
  CHECK(!block.races(5, PastAccess::Read));
  CHECK(block.races(6, PastAccess::Read));
  CHECK(block.races(40, PastAccess::Write));
  block.sync_block();
  CHECK(!block.races(6, PastAccess::Read));
  block.add(6, PastAccess::Read);
  block.add(40, PastAccess::Read);
  CHECK(!block.races(50, PastAccess::Read));
  CHECK(block.look(block.access(6, PastAccess::Write)) == std::vector<unsigned>{40});
  CHECK(block.look(block.access(40, PastAccess::Write)) == std::vector<unsigned>{6});
}

TEST_CASE("the next block has nothing to do with the one before") {
  Block block;
  for (const std::uint32_t threads : {64u, 64u, 32u, 64u}) {
    block.start(threads);
    CHECK(!block.races(7, PastAccess::Read));
    block.add(5, PastAccess::Write);
    CHECK(block.races(7, PastAccess::Read));
  }
}

TEST_CASE("all lanes of a warp read: a writer races with another of them") {
  Block block;
  REQUIRE(block.words.read(3, 1, 0xffff0000, {1, 2}));
  REQUIRE(block.words.read(3, 1, 0x0000ffff, {1, 2}));
  CHECK(block.words.read(3, 63, {9, 2}));       // one of them, in another line
  CHECK(!block.words.read(3, 1, 0x1, {9, 4}));  // of another size
  CHECK(block.races(32, PastAccess::Write));
  CHECK(block.races(0, PastAccess::Write));
  block.words.sync_lanes(1, all_lanes, block.order);
  CHECK(!block.races(32, PastAccess::Write));
  CHECK(block.races(0, PastAccess::Write));
}

TEST_CASE("lanes that part of a warp's synchronisation leaves out still race") {
  for (const PastAccess::Kind kind : {PastAccess::Read, PastAccess::StrongWrite}) {
    Block block;
    for (std::uint32_t thread = 0; thread < 32; ++thread) block.add(thread, kind);
    block.words.sync_lanes(0, 0xff, block.order);
    CHECK(block.races(3, PastAccess::Write));
    CHECK(block.races(20, PastAccess::Write));
    block.words.sync_lanes(0, all_lanes, block.order);
    CHECK(!block.races(3, PastAccess::Write));
    CHECK(block.races(40, PastAccess::Write));
  }
  Block block;
  for (std::uint32_t thread = 0; thread < 8; ++thread) block.add(thread, PastAccess::Read);
  block.words.sync_lanes(0, 0xff, block.order);
  CHECK(!block.races(3, PastAccess::Write));
  CHECK(block.races(9, PastAccess::Write));
}

TEST_CASE("what a warp does after it has synchronised comes on top of what others know") {
  Block block;
  block.add(1, PastAccess::Write);
  block.words.sync_lanes(0, all_lanes, block.order);
  CHECK(!block.races(2, PastAccess::Read));
  block.add(2, PastAccess::Read);
  CHECK(block.races(33, PastAccess::Read));  // with the write
  CHECK(block.races(1, PastAccess::Write));  // with the read
  CHECK(!block.races(2, PastAccess::Write));
}

TEST_CASE("parts of words race where they have bytes in common") {
  Block block;
  block.add(1, PastAccess::Write, 0b0011);
  CHECK(!block.races(2, PastAccess::Write, 0b1100));
  CHECK(block.races(2, PastAccess::Write, 0b0110));
  CHECK(block.races(2, PastAccess::Read));
  block.sync_block();
  block.add(1, PastAccess::Read);
  block.add(33, PastAccess::Read);
  CHECK(block.races(2, PastAccess::Write, 0b0001));
  block.add(2, PastAccess::Read, 0b0001);
  CHECK(block.look(block.access(2, PastAccess::Write, 0b0100)).size() == 2);
  block.sync_block();
  CHECK(!block.races(5, PastAccess::Write));
}

TEST_CASE("strong writes race with plain accesses alone") {
  Block block;
  for (std::uint32_t thread = 0; thread < 64; ++thread) {
    CHECK(!block.races(thread, PastAccess::StrongWrite));
    CHECK(!block.races(thread, PastAccess::StrongRead));
    block.add(thread, PastAccess::StrongWrite);
    CHECK(block.words.update(3, block.access(thread, PastAccess::StrongWrite)));
  }
  CHECK(block.races(0, PastAccess::Read));
  CHECK(block.races(63, PastAccess::Write));
  block.add(7, PastAccess::StrongRead);
  CHECK(!block.races(8, PastAccess::StrongWrite));
  CHECK(block.races(8, PastAccess::Write));
}

TEST_CASE("rows that are added at once race with the same as accesses that are added one by one") {
  std::mt19937 random(5);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  Block fast, exact;
  unsigned rows = 0, racing = 0;
  for (unsigned turn = 0; turn < 6000; ++turn) {
    for (Block* block : {&fast, &exact}) block->sync_block();
    // Behind a race, different accesses may be known.
    bool is_over = false;
    for (unsigned step = 0; step < 5 && !is_over; ++step) {
      const std::uint32_t warp = below(2), line = below(4) == 0 ? 2 : 1;
      const std::uint32_t synchronised = below(2) == 0 ? all_lanes : 0xff00ff;
      if (below(8) == 0) {
        for (Block* block : {&fast, &exact})
          block->words.sync_lanes(warp, synchronised, block->order);
      }
      const unsigned what = below(5);
      const PastAccess::Kind kind = what == 0   ? PastAccess::Write
                                    : what == 1 ? PastAccess::StrongWrite
                                                : PastAccess::Read;
      const SharedWords::Row row{below(5), 1 + below(2), warp * 32 + below(3) * 4, 4};
      const SharedWords::Lanes lanes{line, 2};
      const bool at_once = kind == PastAccess::Read && fast.words.read_row(row, lanes);
      rows += at_once ? 1 : 0;
      for (std::uint32_t lane = 0; lane < row.count; ++lane) {
        const std::uint32_t thread = row.thread + lane;
        const std::size_t word = row.word + lane * row.step;
        const bool expected = !exact.look(exact.access(thread, kind, 15, line), word).empty();
        exact.words.put(word, exact.access(thread, kind, 15, line));
        racing += expected ? 1 : 0;
        is_over = is_over || expected;
        const PastAccess now = fast.access(thread, kind, 15, line);
        const bool is_easy = at_once ||
                             (kind == PastAccess::Read && fast.words.read(word, thread, lanes)) ||
                             (kind == PastAccess::StrongWrite && fast.words.update(word, now));
        CHECK((is_easy ? false : !fast.look(now, word).empty()) == expected);
        if (!is_easy) fast.words.put(word, now);
      }
    }
  }
  CHECK(rows > 1000);
  CHECK(racing > 1000);
}

TEST_CASE("stamps begin again: what was known stays, and what was over does not come back") {
  Block block;
  constexpr unsigned more_than_all = 70000;
  for (unsigned turn = 0; turn < 3; ++turn) {
    block.add(9, PastAccess::Write);
    for (unsigned i = 0; i < more_than_all; ++i) {
      block.sync_block();
      if (i % 1000 == 0) CHECK(!block.races(10, PastAccess::Read));
    }
  }
  for (const PastAccess::Kind kind :
       {PastAccess::Read, PastAccess::Write, PastAccess::StrongWrite}) {
    block.sync_block();
    block.add(9, kind);
    if (kind != PastAccess::Write) block.add(11, kind);
    for (unsigned i = 0; i < more_than_all; ++i) {
      block.words.sync_lanes(1, all_lanes, block.order);
      if (i % 1000 == 0) CHECK(block.races(10, PastAccess::Write));
    }
    CHECK(block.races(40, PastAccess::Write));
    block.words.sync_lanes(0, all_lanes, block.order);
    CHECK(!block.races(10, PastAccess::Write));
    CHECK(block.races(40, PastAccess::Write));
  }
}

}  // namespace
