// SPDX-License-Identifier: MIT
// What is known of a kernel's blocks, and which launches a worker runs by itself because of that.
#include "cpu/exec/block_times.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "cpu/exec/grid_run.h"
#include "cpu/exec/watchdog.h"
#include "unit/cpu/exec/faults_of_kernels.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using std::chrono::nanoseconds;

// The kernels below are static: nothing else in the process has been at their addresses, by which
// times are kept.

void add_one(BlockFrame& block, ThreadFrame&) { ++*parameter<std::atomic<int>*>(block); }

/// A flag, and a task that sets it.
struct Told {
  std::shared_ptr<std::atomic<bool>> flag = std::make_shared<std::atomic<bool>>(false);
  Task task{[](const std::shared_ptr<void>& subject) {
              *std::static_pointer_cast<std::atomic<bool>>(subject) = true;
            },
            flag};
  void wait() const {
    while (!*flag) std::this_thread::yield();
  }
};

/// Whether a worker that starts a launch of 8 blocks has run it when it goes on.
bool runs_at_once(const Kernel& kernel, nanoseconds each) {
  Faults faults;
  Stream stream(0, faults);
  const Told told;
  std::atomic<int> count{0};
  std::atomic<bool> ended{false}, all{false};
  stream.enqueue([&] {
    note_block_time(kernel, 1, each);
    ended = !GridRun::run_or_start(request(kernel, {8, 1, 1}, {1, 1, 1}, pack(&count)), faults,
                                   told.task);
    all = ended && count == 8;
  });
  stream.synchronize();
  if (!ended) told.wait();
  CHECK(count == 8);
  CHECK(all == ended);
  return ended;
}

}  // namespace

TEST_CASE("of blocks that nobody has run no time is known; longer times count at once") {
  static const Kernel kernel = plain_kernel<add_one>("times");
  CHECK(expected_block_time(kernel) == 0);
  note_block_time(kernel, 10, nanoseconds(1000));
  CHECK(expected_block_time(kernel) == 100);
  note_block_time(kernel, 1, nanoseconds(8000));
  CHECK(expected_block_time(kernel) == 8000);
  note_block_time(kernel, 1, nanoseconds(1));
  CHECK(expected_block_time(kernel) == 7000);
  for (int i = 0; i < 200; ++i) note_block_time(kernel, 1, nanoseconds(0));
  CHECK(expected_block_time(kernel) == 1);
}

TEST_CASE("a worker runs small launches at once, large ones are a job") {
  static Kernel kernel = plain_kernel<add_one>("small");
  kernel.facts.loops = true;
  CHECK(runs_at_once(kernel, nanoseconds(1)));
  CHECK_FALSE(runs_at_once(kernel, nanoseconds(1000000)));
}

TEST_CASE("the time limit ends a launch that a worker runs itself") {
  if (signals_delayed) return;
  constexpr auto loop = [](BlockFrame&, ThreadFrame&) {
    for (;;) asm volatile("" ::: "memory");
  };
  static Kernel kernel = plain_kernel<loop>("endless");
  kernel.facts.loops = true;
  set_time_limit(std::chrono::milliseconds(50));
  Faults faults;
  Stream stream(0, faults);
  const Told told;
  std::atomic<bool> ran{false};
  stream.enqueue([&] {
    note_block_time(kernel, 1, nanoseconds(1));
    ran = !GridRun::run_or_start(request(kernel, {8, 1, 1}, {1, 1, 1}), faults, told.task);
  });
  stream.synchronize();
  set_time_limit(std::chrono::milliseconds(0));
  CHECK(ran);
  CHECK(faults.only().kind == FaultKind::Timeout);
}

TEST_CASE("other threads never run a launch themselves") {
  static Kernel kernel = plain_kernel<add_one>("elsewhere");
  kernel.facts.loops = true;
  note_block_time(kernel, 1, nanoseconds(1));
  Faults faults;
  std::atomic<int> count{0};
  const Told told;
  CHECK(GridRun::run_or_start(request(kernel, {8, 1, 1}, {1, 1, 1}, pack(&count)), faults,
                              told.task));
  told.wait();
  CHECK(count == 8);
}

TEST_CASE("queued launches that a worker runs by itself keep their order and let others pass") {
  static Kernel kernel = plain_kernel<add_one>("chain");
  kernel.facts.loops = true;
  Faults faults;
  Stream first(0, faults), second(0, faults);
  std::atomic<int> count{0}, seen{0};
  constexpr int launches = 1000;
  for (int i = 0; i < launches; ++i) {
    note_block_time(kernel, 1, nanoseconds(1));
    first.launch(request(kernel, {4, 1, 1}, {1, 1, 1}, pack(&count)));
    first.enqueue([&count, &seen, i] { seen += count == 4 * (i + 1); });
  }
  second.enqueue([] {});
  second.synchronize();
  first.synchronize();
  CHECK(seen == launches);
  CHECK(faults.all().empty());
}

}  // namespace pycuda::cpu::exec
