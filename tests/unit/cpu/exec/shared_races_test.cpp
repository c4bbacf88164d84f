// SPDX-License-Identifier: MIT
#include "cpu/exec/shared_races.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace pycuda::cpu;
using namespace pycuda::cpu::exec;

namespace {

/// The accesses of a block of 64 threads and what they conflict with, by threads.
struct Accesses {
  ThreadOrder order;
  SharedRaces races;
  std::vector<int> conflicts;

  Accesses() { start(); }
  void start() {
    order.start(64);
    races.start(16, 64, order);
  }
  PastAccess access(int number, std::uint8_t kind) const {
    const auto thread = static_cast<std::uint16_t>(number);
    PastAccess now;
    now.interval = order.interval();
    now.clock = order.now(thread).clock;
    now.thread = thread;
    now.mask = 15;
    now.log_bytes = 2;
    now.kind = kind & 3;
    return now;
  }
  void add(const PastAccess& now, std::size_t word = 3) {
    races.add(
        now, word,
        [&](const PastAccess& past) { return order.precedes(past.moment(), now.thread); },
        [&](const PastAccess& past) { conflicts.push_back(past.thread); });
  }
  void read(int thread) { add(access(thread, PastAccess::Read)); }
  void write(int thread) { add(access(thread, PastAccess::Write)); }
};

}  // namespace

TEST_CASE("a write conflicts with a read of another thread until a barrier lies between them") {
  Accesses block;
  block.read(1);
  block.write(1);
  CHECK(block.conflicts.empty());
  block.write(2);
  CHECK(block.conflicts == std::vector{1, 1});
  block.conflicts.clear();
  block.order.sync_block();
  block.write(3);
  CHECK(block.conflicts.empty());
  block.start();
  block.write(4);
  CHECK(block.conflicts.empty());
}

TEST_CASE("of many reads those of two warps are kept") {
  Accesses block;
  for (const int thread : {5, 6, 7, 40, 8}) block.read(thread);
  block.write(5);
  CHECK(block.conflicts == std::vector{40});
  block.conflicts.clear();
  block.order.sync_block();
  block.read(5);
  block.read(6);
  block.write(5);
  CHECK(block.conflicts == std::vector{6});
}

TEST_CASE("lanes that synchronise are in order") {
  Accesses block;
  block.write(0);
  block.order.sync_lanes(0, 3);
  block.read(1);
  CHECK(block.conflicts.empty());
  block.read(2);
  CHECK(block.conflicts == std::vector{0});
}

TEST_CASE("accesses of other kinds meet those of whole words") {
  Accesses block;
  block.write(1);
  PastAccess byte = block.access(2, PastAccess::Read);
  byte.mask = 2;
  byte.log_bytes = 0;
  block.add(byte);
  CHECK(block.conflicts == std::vector{1});
  block.conflicts.clear();
  PastAccess other = block.access(3, PastAccess::Write);
  other.mask = 4;
  other.log_bytes = 0;
  block.add(other, 5);
  other.thread = 4;
  other.mask = 8;
  block.add(other, 5);
  CHECK(block.conflicts.empty());
  block.add(block.access(5, PastAccess::Read), 5);
  CHECK(block.conflicts == std::vector{3, 4});
  // Two that are volatile do not mind each other, but a plain one minds them.
  block.conflicts.clear();
  block.add(block.access(6, PastAccess::StrongWrite), 6);
  block.add(block.access(7, PastAccess::StrongWrite), 6);
  CHECK(block.conflicts.empty());
  block.add(block.access(8, PastAccess::Read), 6);
  CHECK(block.conflicts.size() == 2);
}

TEST_CASE("a word that nobody has accessed is no access, whatever the interval's number is") {
  Accesses block;
  constexpr std::uint32_t intervals = std::uint32_t{1} << (32 - SharedShadow::interval_shift);
  while (block.order.interval() % intervals != 0) block.order.sync_block();
  block.start();
  block.write(0);
  block.write(1);
  CHECK(block.conflicts == std::vector{0});
  // A tag of a cycle that is over.
  block.conflicts.clear();
  for (std::uint32_t i = 0; i < intervals; ++i) block.order.sync_block();
  block.start();
  block.order.be_in(0);
  block.write(2);
  CHECK(block.conflicts.empty());
}
