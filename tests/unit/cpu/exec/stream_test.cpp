// SPDX-License-Identifier: MIT
// Streams, events and plain kernels.
#include "cpu/exec/stream.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>

#include "cpu/exec/check_settings.h"
#include "unit/cpu/exec/gate.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using std::chrono::milliseconds;

void count_thread(BlockFrame& block, ThreadFrame& thread) {
  auto* counts = parameter<std::atomic<int>*>(block);
  const auto per_block = block.launch->block.x * block.launch->block.y * block.launch->block.z;
  const auto grid = block.launch->grid;
  const auto index = block.ctaid.x + grid.x * (block.ctaid.y + grid.y * block.ctaid.z);
  counts[index * per_block + thread.linear].fetch_add(1, std::memory_order_relaxed);
}

void add_one(BlockFrame& block, ThreadFrame&) { ++*parameter<int*>(block); }

}  // namespace

TEST_CASE("every thread of every block runs once, small grids and large ones") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<count_thread>("count");
  for (const Dim3 grid : {Dim3{1, 1, 1}, Dim3{3, 5, 2}, Dim3{4096, 1, 1}, Dim3{100, 17, 3}}) {
    const Dim3 block{8, 2, 2};
    std::vector<std::atomic<int>> counts(std::size_t{grid.x} * grid.y * grid.z * 32);
    stream.launch(request(kernel, grid, block, pack(counts.data())));
    stream.synchronize();
    CHECK(stream.idle());
    bool all_once = true;
    for (const auto& count : counts) all_once = all_once && count.load() == 1;
    CHECK(all_once);
  }
  CHECK(faults.all().empty());
}

TEST_CASE("work on one stream runs in order, whatever kind it is") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add_one");
  const Kernel long_kernel = plain_kernel<add_one>("add_one_long", 1000000);
  int value = 0;
  std::vector<int> seen;
  for (int round = 0; round < 200; ++round) {
    stream.launch(request(round % 2 ? kernel : long_kernel, {1, 1, 1}, {1, 1, 1}, pack(&value)));
    stream.enqueue([&] { seen.push_back(value); });
    stream.enqueue_callback([&] { value += 10; });
  }
  stream.synchronize();
  REQUIRE(seen.size() == 200);
  for (int round = 0; round < 200; ++round) CHECK(seen[round] == round * 11 + 1);
}

TEST_CASE("launches with checks of memory are a reason until they have ended, others are none") {
  const Kernel small = plain_kernel<add_one>("add_one");
  const Kernel large = plain_kernel<add_one>("add_one_long", 1000000);
  int value = 0;
  REQUIRE_FALSE(has_reason_to_check());
  for (const Checks checks : {Checks(), Checks(Check::Memory), Checks(Check::Race),
                              Checks(Check::Sync), Checks(Check::Init), Checks::all()}) {
    const bool is_reason = checks.has(Check::Memory) || checks.has(Check::Init);
    for (int way = 0; way < 8; ++way) {
      Faults faults;
      Stream stream(0, faults);
      Gate gate;
      stream.enqueue_callback([&] {
        gate.pass();
        if ((way & 1) != 0) faults.report({});
      });
      LaunchRequest launch =
          request((way & 2) != 0 ? small : large, {1, 1, 1}, {1, 1, 1}, pack(&value));
      launch.checks = checks;
      if ((way & 4) != 0) {
        auto sequence = std::make_shared<Sequence>();
        sequence->steps.emplace_back(std::move(launch));
        stream.launch(std::move(sequence), nullptr);
      } else {
        stream.launch(std::move(launch));
      }
      CHECK(has_reason_to_check() == is_reason);
      gate.open();
      stream.synchronize();
      CHECK_FALSE(has_reason_to_check());
    }
  }
}

TEST_CASE("queued work does not hold up the caller") {
  Faults faults;
  Stream stream(0, faults);
  Gate gate;
  bool ran = false;
  stream.enqueue_callback([&] { gate.pass(); });
  stream.enqueue([&] { ran = true; });
  CHECK_FALSE(stream.idle());
  CHECK_FALSE(stream.run_if_idle([] {}));
  gate.open();
  stream.synchronize();
  CHECK(ran);
  CHECK(stream.run_if_idle([] {}));
}

TEST_CASE("waiting for a stream does not mean what others queue afterwards") {
  Faults faults;
  Stream stream(0, faults);
  std::atomic<unsigned> left{3'000'000};
  std::atomic<bool> stop{false};
  // The stream is never idle: each piece of work queues the next one.
  std::function<void()> go_on = [&] {
    if (!stop && --left != 0) stream.enqueue(go_on);
  };
  stream.enqueue(go_on);
  stream.synchronize();
  CHECK(left != 0);
  stop = true;
  while (!stream.idle()) stream.synchronize();
}

TEST_CASE("blocked callbacks of many streams do not stall a kernel of another") {
  Gate gate;  // outlives the streams, whose ends wait for those who pass it
  Faults faults;
  std::vector<std::unique_ptr<Stream>> blocked;
  for (int i = 0; i < 20; ++i) {
    blocked.push_back(std::make_unique<Stream>(0, faults));
    blocked.back()->enqueue_callback([&] { gate.pass(); });
  }
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add_one", 1000000);
  int value = 0;
  stream.launch(request(kernel, {1, 1, 1}, {100, 1, 1}, pack(&value)));
  stream.synchronize();
  CHECK(value == 100);
  gate.open();
}

TEST_CASE("a stream waits for the record of an event that was latest at the call") {
  Faults faults;
  Stream first(0, faults), second(0, faults);
  const auto event = std::make_shared<Event>(true);
  Gate gate;
  int value = 0, seen = 0;
  CHECK(event->complete());
  CHECK_FALSE(event->recorded());
  second.wait(event);  // never recorded: no wait
  second.synchronize();
  first.enqueue_callback([&] { gate.pass(); });
  first.enqueue([&] { value = 1; });
  first.record(event);
  CHECK(event->recorded());
  CHECK_FALSE(event->complete());
  CHECK_FALSE(event->time().has_value());
  second.wait(event);
  second.enqueue([&] { seen = value; });
  CHECK_FALSE(second.idle());
  gate.open();
  second.synchronize();
  CHECK(seen == 1);
  CHECK(event->complete());
  event->synchronize();
  CHECK(event->time().has_value());
}

TEST_CASE("a stream is idle once the event is reached that came last") {
  Faults faults;
  Stream stream(0, faults);
  int found_idle = 0;
  constexpr int rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    const auto event = std::make_shared<Event>(false);
    stream.enqueue([] {});
    stream.record(event);
    // Both ways to learn of it.
    if (round % 2 == 0) {
      event->synchronize();
    } else {
      while (!event->complete()) std::this_thread::yield();
    }
    found_idle += stream.idle() ? 1 : 0;
  }
  CHECK(found_idle == rounds);
  // Not so while something is queued behind the event.
  const auto event = std::make_shared<Event>(false);
  Gate gate;
  stream.enqueue([] { std::this_thread::sleep_for(milliseconds(1)); });
  stream.record(event);
  stream.enqueue_callback([&] { gate.pass(); });
  event->synchronize();
  CHECK_FALSE(stream.idle());
  gate.open();
  stream.synchronize();
  CHECK(stream.idle());
}

TEST_CASE("events tell the time between two points of a stream") {
  Faults faults;
  Stream stream(0, faults);
  const auto start = std::make_shared<Event>(true), stop = std::make_shared<Event>(true);
  const auto untimed = std::make_shared<Event>(false);
  stream.record(start);
  stream.enqueue([] { std::this_thread::sleep_for(milliseconds(20)); });
  stream.record(stop);
  stream.record(untimed);
  stop->synchronize();
  CHECK(*stop->time() - *start->time() >= milliseconds(20));
  stream.synchronize();
  CHECK_FALSE(untimed->time().has_value());
}

TEST_CASE("kernels of different streams run at the same time") {
  if (worker_count() < 2) return;
  static std::atomic<int> arrived;
  arrived = 0;
  // Each waits for the other: only concurrent execution ends both.
  const Kernel kernel = plain_kernel<[](BlockFrame&, ThreadFrame&) {
    arrived.fetch_add(1);
    while (arrived.load() < 2) std::this_thread::yield();
  }>("meet", 1000000);
  Faults faults;
  Stream first(0, faults), second(0, faults);
  first.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
  second.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
  first.synchronize();
  second.synchronize();
  CHECK(arrived == 2);
}

TEST_CASE("more launches than the pool has slots all finish") {
  Faults faults;
  const Kernel kernel = plain_kernel<[](BlockFrame& block, ThreadFrame&) {
    parameter<std::atomic<int>*>(block)->fetch_add(1);
  }>("count", 1000000);
  std::atomic<int> count{0};
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 200; ++i) streams.push_back(std::make_unique<Stream>(0, faults));
  for (int round = 0; round < 3; ++round) {
    for (const auto& stream : streams) {
      stream->launch(request(kernel, {7, 1, 1}, {1, 1, 1}, pack(&count)));
    }
  }
  for (const auto& stream : streams) stream->synchronize();
  CHECK(count == 200 * 3 * 7);
}

TEST_CASE("several threads may use one stream") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add_one");
  int value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&value)));
        if (round % 50 == 0) stream.synchronize();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream.synchronize();
  CHECK(value == 2000);
}

TEST_CASE("work that runs in callers and work that is queued take turns on one stream") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add_one");
  constexpr int threads = 4, rounds = 3000;
  int count = 0;  // changed by whoever's turn it is, without a lock
  std::vector<std::thread> callers;
  for (int number = 0; number < threads; ++number) {
    callers.emplace_back([&, number] {
      for (int round = 0; round < rounds; ++round) {
        stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&count)));
        if (round % 3 == number % 3) stream.enqueue([&] { ++count; });
        // Whoever waits is woken although others go on at once.
        if (round % 7 == number) stream.synchronize();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  stream.synchronize();
  CHECK(stream.idle());
  CHECK(count == threads * (rounds + rounds / 3));
  CHECK(faults.all().empty());
}

TEST_CASE("a small kernel that becomes slow after many quick launches no longer holds up callers") {
  Faults faults;
  Stream stream(0, faults);
  static std::atomic<bool> slow;
  static std::thread::id ran_on;
  slow = false;
  const Kernel kernel = plain_kernel<[](BlockFrame&, ThreadFrame&) {
    if (slow) std::this_thread::sleep_for(milliseconds(1));
    ran_on = std::this_thread::get_id();
  }>("becomes_slow");
  const auto launch = [&] {
    stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
    stream.synchronize();
  };
  const auto runs_here = [] { return ran_on == std::this_thread::get_id(); };
  // On a busy machine some of the quick ones are slow, too.
  for (int i = 0; i < 1000 || !runs_here(); ++i) launch();
  slow = true;
  constexpr int soon = 64;
  int launches = 0;
  for (; launches < soon && ran_on == std::this_thread::get_id(); ++launches) {
    stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
    // A caller that waits may help: this one does not.
    while (!stream.idle()) std::this_thread::yield();
  }
  CHECK(launches < soon);
  CHECK(faults.all().empty());
}

TEST_CASE("parameters of any size arrive, aligned for wide loads") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<[](BlockFrame& block, ThreadFrame&) {
    auto* out = parameter<std::uint64_t*>(block);
    out[0] = reinterpret_cast<std::uint64_t>(block.launch->params) % 64;
    std::memcpy(&out[1], block.launch->params + 3992, 8);
  }>("params");
  std::uint64_t out[2] = {1, 0};
  std::string params = pack(&out[0]);
  params.resize(4000, '\x11');
  stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, params));
  stream.synchronize();
  CHECK(out[0] == 0);
  CHECK(out[1] == 0x1111111111111111u);
}

}  // namespace pycuda::cpu::exec
