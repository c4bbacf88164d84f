// SPDX-License-Identifier: MIT
// Small launches that a spinning worker takes a part of.
#include "cpu/exec/companion.h"

#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cpu/exec/cpu_budget.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t blocks = 8;
constexpr std::uint32_t threads = 8;

/// Takes some microseconds for all blocks, and notes who ran.
void count_block(BlockFrame& block, ThreadFrame& thread) {
  volatile int work = 0;
  for (int i = 0; i < 64; ++i) work = work + 1;
  // Not atomic: two that ran the same thread at once would race.
  ++parameter<int*>(block)[block.ctaid.x * threads + thread.linear];
}

/// Where a sanitizer does not look on.
void store(std::uintptr_t address) {
#if defined(__x86_64__)
  asm volatile("movl $1, (%0)" ::"r"(address) : "memory");
#else
  *reinterpret_cast<volatile int*>(address) = 1;
#endif
}

const Kernel& counting_kernel() {
  static const Kernel kernel = plain_kernel<count_block>("count", 20);
  return kernel;
}

class Launches {
 public:
  Launches() : counts_(blocks * threads), stream_(0, faults_) {}
  void operator()() {
    stream_.launch(request(counting_kernel(), {blocks, 1, 1}, {threads, 1, 1}, pack(data())));
    ++launched_;
  }
  /// Whether a companion came meanwhile. Machines that have other things to do give none.
  bool until_company(std::chrono::milliseconds patience = 300ms) {
    const auto end = Clock::now() + patience;
    while (!has_companion() && Clock::now() < end) (*this)();
    return has_companion();
  }
  bool all_ran() const {
    return std::all_of(counts_.begin(), counts_.end(), [&](int n) { return n == launched_; });
  }
  Stream& stream() { return stream_; }
  bool healthy() const { return faults_.all().empty(); }

 private:
  int* data() { return counts_.data(); }
  std::vector<int> counts_;
  int launched_ = 0;
  Faults faults_;
  Stream stream_;
};

/// Threads that keep every core busy.
class BusyCores {
 public:
  BusyCores() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < cores; ++i) {
      threads_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~BusyCores() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of this thread, for a launch: the least of several rounds.
double seconds_a_launch(Launches& launches) {
  double least = 1;
  for (int round = 0; round < 20; ++round) {
    const double before = thread_seconds();
    for (int i = 0; i < 200; ++i) launches();
    least = std::min(least, (thread_seconds() - before) / 200);
  }
  return least;
}

}  // namespace

TEST_CASE("launches close upon each other share their blocks with a worker, each block runs once") {
  Launches launches;
  const std::uint64_t before = launches_in_company();
  for (int round = 0; round < 10; ++round) {
    launches.until_company(100ms);
    for (int i = 0; i < 500; ++i) launches();
    launches.stream().synchronize();
    REQUIRE(launches.all_ran());
    if (launches_in_company() > before + 500) break;
  }
  CHECK(launches.healthy());
  if (std::min(worker_count(), whole_cores()) == 1) {
    CHECK(launches_in_company() == 0);
  } else {
    WARN(launches_in_company() > before);  // none on a machine that is busy all the time
  }
}

TEST_CASE("a fault in a companion's part ends the launch, and the next ones are dropped") {
  constexpr auto fails_at_last = [](BlockFrame& block, ThreadFrame& thread) {
    auto* const at = parameter<int*>(block);
    const bool last = block.ctaid.x == blocks - 1 && thread.linear == threads - 1;
    int* const to = &at[1 + block.ctaid.x * threads + thread.linear];
    store(last && at[0] != 0 ? std::uintptr_t{16} : reinterpret_cast<std::uintptr_t>(to));
  };
  static const Kernel kernel = plain_kernel<fails_at_last>("fails", 20);
  Launches launches;
  Faults faults;
  Stream stream(0, faults);
  std::vector<int> memory(1 + blocks * threads);
  const auto launch = [&] {
    stream.launch(request(kernel, {blocks, 1, 1}, {threads, 1, 1}, pack(memory.data())));
  };
  for (int i = 0; i < 200; ++i) launch();
  launches.until_company();
  for (int i = 0; i < 100; ++i) launch();
  CHECK(faults.all().empty());
  memory[0] = 1;
  for (int i = 0; i < 100; ++i) launch();
  stream.synchronize();
  const Fault fault = faults.only();
  CHECK(fault.kernel == "fails");
  CHECK(fault.block.x == blocks - 1);
  CHECK(fault.thread.x == threads - 1);
  // The worker lives, and so does whoever it serves.
  launches.until_company(100ms);
  for (int i = 0; i < 100; ++i) launches();
  CHECK(launches.all_ran());
}

TEST_CASE("a companion leaves when its caller has nothing for it, and for other work") {
  Launches launches;
  if (launches.until_company()) {
    std::this_thread::sleep_for(5ms);
    CHECK_FALSE(has_companion());
  }
  // All workers are wanted while launches go on.
  Faults faults;
  Stream other(0, faults);
  for (int round = 0; round < 10; ++round) {
    launches.until_company(100ms);
    std::atomic<int> ran{0};
    for (int i = 0; i < 10; ++i) other.enqueue([&] { ++ran; });
    for (int i = 0; i < 1000 && ran < 10; ++i) launches();
    other.synchronize();
    CHECK(ran == 10);
  }
  CHECK(launches.all_ran());
}

TEST_CASE("launches with pauses between them have no companion") {
  Launches launches;
  std::this_thread::sleep_for(5ms);
  const std::uint64_t before = launches_in_company();
  for (int i = 0; i < 300; ++i) {
    std::this_thread::sleep_for(100us);
    launches();
    CHECK_FALSE(has_companion());
  }
  CHECK(launches_in_company() == before);
}

TEST_CASE("threads that launch at the same time do not get into each other's way") {
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      Launches launches;
      for (int round = 0; round < 5000; ++round) launches();
      launches.stream().synchronize();
      if (launches.all_ran() && launches.healthy()) ++right;
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(right == 3);
}

TEST_CASE("a machine that is busy lends no companion, and launches take as long as alone") {
  Launches launches;
  double quiet = seconds_a_launch(launches), busy = 0;
  {
    const BusyCores hogs;
    std::this_thread::sleep_for(50ms);
    const std::uint64_t before = launches_in_company();
    busy = seconds_a_launch(launches);
    if (machine_is_crowded()) CHECK(launches_in_company() - before < 400);
  }
  // Alone a launch takes twice the time of its half.
  CHECK(busy < 3 * quiet);
  CHECK(launches.all_ran());
}

}  // namespace pycuda::cpu::exec
