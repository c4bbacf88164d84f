// SPDX-License-Identifier: MIT
// How far the host may be ahead of a stream.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "cpu/exec/memory_wait.h"
#include "cpu/exec/stream.h"
#include "unit/cpu/exec/gate.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

void add_one(BlockFrame& block, ThreadFrame&) { ++*parameter<int*>(block); }

}  // namespace

TEST_CASE("the host is at most 1024 launches ahead of a stream") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add");
  Gate gate;
  int value = 0;
  std::atomic<int> queued{0};
  stream.enqueue([&] { gate.pass(); });
  std::thread host([&] {
    for (; queued < 5000; ++queued)
      stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&value)));
  });
  while (queued < 1000) std::this_thread::yield();
  // More than enough for the rest, if nothing held the host.
  for (int i = 0; i < 2000; ++i) std::this_thread::yield();
  CHECK(queued <= 1024);
  gate.open();
  host.join();
  stream.synchronize();
  CHECK(value == 5000);
}

TEST_CASE("the host may be far ahead of a stream that waits for others") {
  Gate gate;  // outlives the streams, whose ends wait for those who pass it
  Faults faults;
  Stream stream(0, faults), other(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add");
  const auto event = std::make_shared<Event>(false);
  const auto graph = std::make_shared<Sequence>();
  SUBCASE("for a callback") {
    stream.enqueue_callback([&] { gate.pass(); });
  }
  SUBCASE("for an event") {
    other.enqueue_callback([&] { gate.pass(); });
    other.record(event);
    stream.wait(event);
  }
  SUBCASE("for a callback of a graph") {
    graph->steps.emplace_back(Sequence::Callback{[&] { gate.pass(); }});
    stream.launch(graph, nullptr);
  }
  SUBCASE("for an event of a graph") {
    other.enqueue_callback([&] { gate.pass(); });
    other.record(event);
    graph->steps.emplace_back(Sequence::Wait{event});
    graph->has_events = true;
    stream.launch(graph, nullptr);
  }
  int value = 0;
  for (int i = 0; i < 5000; ++i) stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&value)));
  CHECK_FALSE(stream.idle());
  gate.open();
  stream.synchronize();
  CHECK(value == 5000);
}

TEST_CASE("the host may be far ahead of a stream that waits for a word of memory") {
  std::atomic<std::uint32_t> word{0};
  const auto address = reinterpret_cast<std::uintptr_t>(&word);
  const MemoryCondition becomes_one{address, 1, 4, MemoryCondition::Comparison::Equal};
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<add_one>("add");
  int value = 0;
  SUBCASE("itself") { stream.wait(becomes_one); }
  SUBCASE("in a graph") {
    const auto graph = std::make_shared<Sequence>();
    graph->steps.emplace_back(becomes_one);
    stream.launch(graph, nullptr);
  }
  for (int i = 0; i < 5000; ++i) stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&value)));
  CHECK_FALSE(stream.idle());
  write_word(address, 1, 4);
  stream.synchronize();
  CHECK(value == 5000);
}

}  // namespace pycuda::cpu::exec
