// SPDX-License-Identifier: MIT
// Threads that wait for others by spinning: of their warp, of other blocks, of other streams and of
// the host.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>

#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {

using namespace tests;
using T = HandThread;

TEST_CASE("a lane may spin until another lane of its warp lets it go on") {
  constexpr auto body = [](T& t) {
    // A lock: lane 31 takes part last.
    auto* const turn = t.parameter<std::atomic<int>*>();
    if (turn->load() != 31 - static_cast<int>(t.lane())) return t.yield();
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("lock");
  std::atomic<int> turn{0};
  CHECK(run(kernel, {1, 1, 1}, {32, 1, 1}, &turn).empty());
  CHECK(turn == 32);
}

TEST_CASE("a loop that takes turns while it spins gives its worker away") {
  constexpr auto body = [](T& t) {
    auto* const turn = t.parameter<std::atomic<int>*>();
    // The turn is in the loop, as it is before an access to volatile shared memory.
    if (t.step++ % 2 == 0) return t.warp(WarpOp::Sync, 0);
    if (turn->load() / 32 != 299 - static_cast<int>(t.block_x())) {
      t.thread->site = 1;
      return t.yield();
    }
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("in turns");
  std::atomic<int> turn{0};
  CHECK(run(kernel, {300, 1, 1}, {32, 1, 1}, &turn).empty());
  CHECK(turn == 300 * 32);
}

TEST_CASE("lanes at a turn wait for those that spin before it") {
  constexpr auto body = [](T& t) {
    auto* const words = t.parameter<std::atomic<int>*>();
    std::atomic<int>&flag = words[0], &passed = words[1], &early = words[2];
    const bool spins = t.linear() == 5;
    if (t.linear() == 32) {
      // The other warp sets the flag late.
      if (t.step++ < 3) return t.barrier(1, 1);
      flag = 1;
      return t.exit();
    }
    if (t.linear() > 32) return t.exit();
    if (spins && flag == 0) {
      t.thread->site = 1;
      return t.yield();
    }
    if (t.step++ == 0) return t.warp(WarpOp::Sync, 0, 0, 0, 0, 2);
    if (flag == 0) early.fetch_add(1);
    passed.fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("held");
  std::atomic<int> words[3] = {};
  CHECK(run(kernel, {1, 1, 1}, {64, 1, 1}, words).empty());
  CHECK(words[1] == 32);
  CHECK(words[2] == 0);
}

TEST_CASE("a lane may spin until lanes of its warp at later turns let it go on") {
  constexpr auto body = [](T& t) {
    auto* const turns = t.parameter<std::atomic<int>*>();
    constexpr int all = 1000;
    if (t.lane() == 0) {
      if (*turns == 31 * all) return t.exit();
      t.thread->site = 1;
      return t.yield();
    }
    if (t.step != 0) turns->fetch_add(1);
    if (t.step++ == all) return t.exit();
    t.warp(WarpOp::Sync, 0, 0, 0, 0, 2);
  };
  const Kernel kernel = suspending_kernel<body>("released");
  std::atomic<int> turns{0};
  CHECK(run(kernel, {1, 1, 1}, {32, 1, 1}, &turns).empty());
  CHECK(turns == 31 * 1000);
}

TEST_CASE("blocks may wait for later blocks that a GPU would hold at the same time") {
  constexpr auto body = [](T& t) {
    auto* const turn = t.parameter<std::atomic<int>*>();
    if (turn->load() != 15 - static_cast<int>(t.block_x())) return t.yield();
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("backwards");
  std::atomic<int> turn{0};
  CHECK(run(kernel, {16, 1, 1}, {1, 1, 1}, &turn).empty());
  CHECK(turn == 16);
}

TEST_CASE("blocks may wait for earlier blocks in a grid of any size") {
  constexpr auto body = [](T& t) {
    auto* const turn = t.parameter<std::atomic<int>*>();
    if (turn->load() != static_cast<int>(t.block_x())) return t.yield();
    if (t.step++ == 0) return t.barrier();
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("forwards");
  std::atomic<int> turn{0};
  const std::vector<Fault> faults = run(kernel, {5000, 1, 1}, {1, 1, 1}, &turn);
  for (const Fault& fault : faults) MESSAGE(fault.message);
  CHECK(faults.empty());
  CHECK(turn == 5000);
}

TEST_CASE("blocks may wait for later ones, as many as a large GPU holds") {
  constexpr auto body = [](T& t) {
    auto* const arrived = t.parameter<std::atomic<int>*>();
    if (t.step == 0) {
      arrived->fetch_add(1);
      t.step = 1;
    }
    const auto grid = static_cast<int>(t.thread->block->launch->grid.x);
    if (arrived->load() < grid * 1024) return t.yield();
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("backwards");
  std::atomic<int> arrived{0};
  // Two to a processor.
  CHECK(run(kernel, {100, 1, 1}, {1024, 1, 1}, &arrived).empty());
  CHECK(arrived == 100 * 1024);
}

TEST_CASE("all blocks of a cooperative launch are resident at once") {
  constexpr auto body = [](T& t) {
    auto* const arrived = t.parameter<std::atomic<int>*>();
    // Ten rounds of a barrier over the grid.
    if (t.r[0] == 0) {
      arrived->fetch_add(1);
      t.r[0] = 1;
    }
    const int target = static_cast<int>(t.thread->block->launch->grid.x) * (t.step + 1) * 4;
    if (arrived->load() < target) return t.yield();
    t.r[0] = 0;
    if (++t.step < 10) return t.yield();
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("cooperative");
  Faults faults;
  Stream stream(0, faults);
  std::atomic<int> arrived{0};
  LaunchRequest launch = request(kernel, {300, 1, 1}, {4, 1, 1}, pack(&arrived));
  launch.cooperative = true;
  stream.launch(launch);
  stream.synchronize();
  CHECK(faults.all().empty());
  CHECK(arrived == 300 * 4 * 10);
}

TEST_CASE("a cooperative launch finds a zeroed barrier through its environment registers") {
  constexpr auto body = [](T& t) {
    const auto& regs = t.thread->block->launch->env_regs;
    const auto* const workspace = reinterpret_cast<const std::uint32_t*>(regs[1] << 32 | regs[2]);
    t.parameter<std::uint32_t*>()[0] = workspace[0];
    t.parameter<std::uint32_t*>()[1] = workspace[1];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("workspace");
  Faults faults;
  Stream stream(0, faults);
  std::uint32_t words[2] = {0, 1};
  LaunchRequest launch = request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&words[0]));
  launch.cooperative = true;
  stream.launch(launch);
  stream.synchronize();
  CHECK(words[0] >= 8);
  CHECK(words[1] == 0);
}

TEST_CASE("a kernel that spins for another stream or for the host lets both go on") {
  constexpr auto body = [](T& t) {
    if (t.parameter<std::atomic<int>*>()->load() == 0) return t.yield();
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("poll");
  Faults faults;
  std::atomic<int> from_host{0}, from_stream{0};
  // More spinning blocks than there are workers.
  Stream first(0, faults), second(0, faults), third(0, faults);
  first.launch(request(kernel, {40, 1, 1}, {32, 1, 1}, pack(&from_host)));
  second.launch(request(kernel, {40, 1, 1}, {32, 1, 1}, pack(&from_stream)));
  third.enqueue([&] { from_stream = 1; });
  second.synchronize();
  CHECK_FALSE(first.idle());
  from_host = 1;
  first.synchronize();
  CHECK(faults.all().empty());
}

}  // namespace pycuda::cpu::exec
