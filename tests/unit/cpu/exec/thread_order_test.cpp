// SPDX-License-Identifier: MIT
// What came before what, by the program's own synchronisation.
#include "cpu/exec/thread_order.h"

#include <doctest/doctest.h>

#include "cpu/exec/access_history.h"

namespace {

using namespace pycuda::cpu::exec;

TEST_CASE("a barrier of the block orders everything") {
  ThreadOrder order;
  order.start(64);
  const Moment before = order.now(3);
  CHECK(order.precedes(before, 3));
  CHECK(!order.precedes(before, 40));
  order.sync_block();
  CHECK(order.precedes(before, 40));
}

TEST_CASE("lanes of a warp order what came before, among themselves") {
  ThreadOrder order;
  order.start(64);
  const Moment before = order.now(3);
  order.sync_lanes(0, 0xff);
  const Moment after = order.now(3);
  CHECK(order.precedes(before, 7));
  CHECK(!order.precedes(before, 8));
  CHECK(!order.precedes(before, 40));
  CHECK(!order.precedes(after, 7));
  // Lane 7 passes on what it knows.
  order.sync_lanes(0, 0x180);
  CHECK(order.precedes(before, 8));
  CHECK(!order.precedes(after, 8));
}

TEST_CASE("what is published is known to those that learn it, in other warps too") {
  ThreadOrder order;
  order.start(96);
  order.sync_lanes(0, 3);
  const Moment before = order.now(1);
  Knowledge knowledge;
  order.publish(1, knowledge);
  const Moment after = order.now(1);
  order.learn(70, knowledge);
  CHECK(order.precedes(before, 70));
  CHECK(!order.precedes(after, 70));
  CHECK(!order.precedes(before, 40));
  order.sync_lanes(2, ~0u);
  CHECK(order.precedes(before, 95));
}

TEST_CASE("a new block comes after the one before") {
  ThreadOrder order;
  order.start(32);
  const Moment before = order.now(0);
  order.start(128);
  CHECK(order.precedes(before, 100));
  CHECK(!order.precedes(order.now(0), 100));
}

PastAccess access(const ThreadOrder& order, std::uint32_t thread, PastAccess::Kind kind,
                  std::uint8_t mask = 15) {
  PastAccess made;
  const Moment now = order.now(thread);
  made.interval = now.interval;
  made.clock = now.clock;
  made.thread = now.thread;
  made.kind = kind & 3;
  made.mask = mask;
  return made;
}

int conflicts(WordHistory& word, const ThreadOrder& order, const PastAccess& now) {
  int count = 0;
  word.add(
      now, [&](const PastAccess& past) { return past.interval == order.interval(); },
      [&](const PastAccess& past) { return order.precedes(past.moment(), now.thread); },
      [&](const PastAccess&) { ++count; });
  return count;
}

TEST_CASE("accesses of the same byte conflict, unless both read or both are strong") {
  ThreadOrder order;
  order.start(64);
  const auto pair = [&](PastAccess::Kind first, PastAccess::Kind second) {
    WordHistory word;
    CHECK(conflicts(word, order, access(order, 0, first)) == 0);
    return conflicts(word, order, access(order, 40, second));
  };
  using enum PastAccess::Kind;
  CHECK(pair(Read, Read) == 0);
  CHECK(pair(Read, Write) == 1);
  CHECK(pair(Write, Read) == 1);
  CHECK(pair(Write, Write) == 1);
  CHECK(pair(StrongWrite, StrongWrite) == 0);
  CHECK(pair(StrongWrite, StrongRead) == 0);
  CHECK(pair(StrongWrite, Read) == 1);
  CHECK(pair(StrongRead, Write) == 1);
  CHECK(pair(StrongRead, Read) == 0);
}

TEST_CASE("other bytes of a word do not conflict") {
  ThreadOrder order;
  order.start(64);
  WordHistory word;
  CHECK(conflicts(word, order, access(order, 0, PastAccess::Write, 1)) == 0);
  CHECK(conflicts(word, order, access(order, 40, PastAccess::Write, 2)) == 0);
  CHECK(conflicts(word, order, access(order, 41, PastAccess::Read, 12)) == 0);
  CHECK(conflicts(word, order, access(order, 42, PastAccess::Read, 3)) == 2);
}

TEST_CASE("a thread's own read does not hide another thread's") {
  ThreadOrder order;
  order.start(64);
  WordHistory word;
  for (const std::uint32_t thread : {5u, 40u})
    conflicts(word, order, access(order, thread, PastAccess::Read));
  CHECK(conflicts(word, order, access(order, 40, PastAccess::Write)) == 1);
}

TEST_CASE("many readers leave readers of several warps") {
  ThreadOrder order;
  order.start(256);
  WordHistory word;
  for (std::uint32_t thread = 0; thread < 256; ++thread)
    conflicts(word, order, access(order, thread, PastAccess::Read));
  CHECK(conflicts(word, order, access(order, 255, PastAccess::Write)) >= 2);
}

}  // namespace
