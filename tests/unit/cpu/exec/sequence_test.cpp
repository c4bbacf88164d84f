// SPDX-License-Identifier: MIT
// Sequences: what graphs become.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "cpu/exec/stream.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

void add_one(BlockFrame& block, ThreadFrame&) { ++*parameter<int*>(block); }

Sequence::Step note(std::vector<int>& seen, int what) {
  return Sequence::Task{[&seen, what](FaultSink&) { seen.push_back(what); }};
}

}  // namespace

TEST_CASE("steps of all kinds run in order, in the caller and on workers") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel small = plain_kernel<add_one>("add_one");
  const Kernel large = plain_kernel<add_one>("add_one_long", 1000000);
  int value = 0;
  std::vector<int> seen;
  auto sequence = std::make_shared<Sequence>();
  for (int i = 0; i < 4; ++i) {
    sequence->steps.emplace_back(
        request(i % 2 == 0 ? small : large, {1, 1, 1}, {1, 1, 1}, pack(&value)));
    sequence->steps.emplace_back(Sequence::Task{[&](FaultSink&) { seen.push_back(value); }});
    sequence->steps.emplace_back(Sequence::Callback{[&] { seen.push_back(-value); }});
  }
  std::shared_ptr<SequenceRun> last;
  for (int round = 0; round < 20; ++round) last = stream.launch(sequence, last);
  stream.synchronize();
  CHECK(finished(last));
  REQUIRE(seen.size() == 160);
  bool in_order = true;
  for (int i = 0; i < 80; ++i)
    in_order = in_order && seen[2 * i] == i + 1 && seen[2 * i + 1] == -(i + 1);
  CHECK(in_order);
}

TEST_CASE("runs of one sequence on two streams follow each other") {
  Faults faults;
  Stream first(0, faults);
  Stream second(0, faults);
  std::atomic<bool> go{false};
  std::vector<int> seen;
  auto sequence = std::make_shared<Sequence>();
  sequence->steps.emplace_back(Sequence::Callback{[&] {
    while (!go) std::this_thread::yield();
  }});
  sequence->steps.push_back(note(seen, 1));
  const auto before = first.launch(sequence, nullptr);
  CHECK_FALSE(finished(before));
  const auto after = second.launch(sequence, before);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_FALSE(second.idle());
  go = true;
  second.synchronize();
  CHECK(finished(before));
  CHECK(finished(after));
  CHECK(seen.size() == 2);
}

TEST_CASE("records count from the launch on, waits mean what was recorded by then") {
  Faults faults;
  Stream stream(0, faults);
  Stream other(0, faults);
  const auto before = std::make_shared<Event>(false);
  const auto after = std::make_shared<Event>(false);
  std::atomic<bool> go{false};
  other.enqueue_callback([&] {
    while (!go) std::this_thread::yield();
  });
  other.record(before);
  auto sequence = std::make_shared<Sequence>();
  sequence->has_events = true;
  sequence->steps.emplace_back(Sequence::Wait{before});
  sequence->steps.emplace_back(Sequence::Record{after});
  stream.launch(sequence, nullptr);
  CHECK(after->recorded());
  CHECK_FALSE(after->complete());
  go = true;
  after->synchronize();
  stream.synchronize();
  CHECK(after->complete());
}

TEST_CASE("after a fault nothing of a sequence runs but its events") {
  Faults faults;
  Stream stream(0, faults);
  const auto event = std::make_shared<Event>(false);
  std::vector<int> seen;
  auto sequence = std::make_shared<Sequence>();
  sequence->has_events = true;
  sequence->steps.push_back(note(seen, 1));
  sequence->steps.emplace_back(Sequence::Task{[](FaultSink& sink) { sink.report(Fault{}); }});
  sequence->steps.push_back(note(seen, 2));
  sequence->steps.emplace_back(Sequence::Callback{[&] { seen.push_back(3); }});
  sequence->steps.emplace_back(Sequence::Record{event});
  const auto run = stream.launch(sequence, nullptr);
  stream.synchronize();
  CHECK(seen == std::vector<int>{1});
  CHECK(event->complete());
  CHECK(finished(run));
}

}  // namespace pycuda::cpu::exec
