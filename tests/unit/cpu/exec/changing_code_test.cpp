// SPDX-License-Identifier: MIT
// Launches that begin in slow code and go on in better code, which comes while they run. The
// kernels make it come, or wait for it: nothing here depends on time.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/stream.h"
#include "cpu/variants/table.h"
#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using variants::Made;
using variants::State;
using variants::Table;
using variants::Variant;

constexpr std::uint32_t blocks = 4096;

/// How often each block of the latest launch ran, in which code, and under which grid's number.
struct Seen {
  std::vector<std::atomic<int>> slow, better;
  std::atomic<std::uint64_t> grid_id{0};
  std::atomic<bool> one_grid{true};
  std::function<void()> in_slow_code, in_better_code;

  Seen() : slow(blocks), better(blocks) {}
  void add(std::vector<std::atomic<int>>& where, const BlockFrame& block) {
    ++where[block.ctaid.x];
    std::uint64_t none = 0;
    const std::uint64_t id = block.launch->grid_id;
    if (!grid_id.compare_exchange_strong(none, id) && none != id) one_grid = false;
  }
  int total(const std::vector<std::atomic<int>>& which) const {
    int sum = 0;
    for (const auto& count : which) sum += count;
    return sum;
  }
  bool each_block_ran_once() const {
    for (std::uint32_t i = 0; i < blocks; ++i)
      if (slow[i] + better[i] != 1) return false;
    return true;
  }
};
std::unique_ptr<Seen> seen;

constexpr auto run_slowly = [](BlockFrame& block, ThreadFrame&) {
  seen->add(seen->slow, block);
  seen->in_slow_code();
};
constexpr auto run_slowly_in_turns = [](HandThread& t) {
  if (t.step++ == 0) {
    seen->add(seen->slow, *t.thread->block);
    return t.barrier();
  }
  seen->in_slow_code();
  t.exit();
};
constexpr auto run_better = [](BlockFrame& block, ThreadFrame&) {
  seen->add(seen->better, block);
  if (seen->in_better_code) seen->in_better_code();
};

/// A kernel whose first code is slow; `better` is what the table makes: in the background when a
/// launch has run for as long as that is said to take, or when it is asked for.
struct Codes {
  explicit Codes(Kernel slow, bool is_makeshift,
                 std::chrono::nanoseconds compile_time = std::chrono::nanoseconds(1))
      : first(std::move(slow)) {
    seen = std::make_unique<Seen>();
    better = plain_kernel<run_better>("k");
    better.table = &table;
    first.facts.loops = true;
    first.facts.is_baseline = true;
    first.facts.is_makeshift = is_makeshift;
    first.table = &table;
    table.open(first, compile_time, false);
  }
  std::vector<Fault> launch() { return run(first, {blocks, 1, 1}, {1, 1, 1}); }

  Kernel first, better;
  const std::shared_ptr<const int> alive = std::make_shared<int>(0);
  const variants::Background background{.soon = {},
                                        .usual =
                                            [this](std::function<void()> work) {
                                              thread.emplace(std::move(work));
                                              return true;
                                            },
                                        .later = {},
                                        .patience = 1,
                                        .owner = alive};
  const variants::Source source{[this](std::size_t, Variant) -> Made { return &better; },
                                [](std::size_t, Variant) { return [] {}; }};
  Table table{source, background, 0};
  std::optional<std::jthread> thread;  ///< in the background
};

void wait_for(const Table& table, Variant variant) {
  while (table.state(variant) != State::Ready) std::this_thread::yield();
}

}  // namespace

TEST_CASE("blocks that begin after better code came run in it") {
  for (const bool in_turns : {false, true}) {
    CAPTURE(in_turns);
    Codes codes(
        in_turns ? suspending_kernel<run_slowly_in_turns>("k") : plain_kernel<run_slowly>("k"),
        true, std::chrono::hours(1));
    seen->in_slow_code = [&] { static_cast<void>(codes.table.make(Variant::usual())); };
    CHECK(codes.launch().empty());
    CHECK(seen->each_block_ran_once());
    CHECK(seen->total(seen->slow) > 0);
    CHECK(seen->total(seen->better) > 0);
    CHECK(seen->one_grid);
  }
}

TEST_CASE("the time of a launch that still runs makes better code begin") {
  Codes codes(plain_kernel<run_slowly>("k"), false);
  seen->in_slow_code = [&] { wait_for(codes.table, Variant::vectors()); };
  CHECK(codes.launch().empty());
  CHECK(seen->each_block_ran_once());
  CHECK(seen->total(seen->better) > 0);
}

TEST_CASE("a fault in the later code ends the launch and is reported once") {
  Codes codes(plain_kernel<run_slowly>("k"), true);
  seen->in_slow_code = [&] { static_cast<void>(codes.table.make(Variant::usual())); };
  seen->in_better_code = [] { pycuda_cpu_trap(KernelEntry::of_this_thread().thread()); };
  CHECK(codes.launch().size() == 1);
  CHECK(seen->total(seen->slow) + seen->total(seen->better) < static_cast<int>(blocks));
}

TEST_CASE("a cooperative launch ends in the code in which it began") {
  Codes codes(suspending_kernel<run_slowly_in_turns>("k"), true, std::chrono::hours(1));
  seen->in_slow_code = [&] { static_cast<void>(codes.table.make(Variant::usual())); };
  Faults faults;
  Stream stream(0, faults);
  LaunchRequest launch = request(codes.first, {blocks, 1, 1}, {1, 1, 1});
  launch.cooperative = true;
  stream.launch(std::move(launch));
  stream.synchronize();
  CHECK(faults.all().empty());
  CHECK(seen->total(seen->slow) == static_cast<int>(blocks));
}

}  // namespace pycuda::cpu::exec
