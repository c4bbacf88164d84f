// SPDX-License-Identifier: MIT
// Faults of gangs: which thread it was is found, or is not claimed.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "sanitizers.h"
#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/machine_instructions.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

constexpr bool signals_delayed = pycuda::testing::thread_sanitizer;
constexpr std::uint32_t lanes = 16;

/// Addresses at which nothing is.
class Nowhere {
 public:
  Nowhere() : memory_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Nowhere() { munmap(memory_, bytes); }
  Nowhere(const Nowhere&) = delete;
  Nowhere& operator=(const Nowhere&) = delete;
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory_); }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  void* memory_;
};

/// What the kernels are told.
struct Wishes {
  std::uintptr_t nowhere;
  std::uint32_t block, first, last;  ///< these threads of a block store there
  int* count;                        ///< of threads
  bool backwards, moving, endless;
};

void store(std::uintptr_t address) { store_by_instruction(address); }

Wishes& wishes_of(const LaunchFrame& launch) {
  Wishes* wishes = nullptr;
  std::memcpy(&wishes, launch.params, sizeof wishes);
  return *wishes;
}

/// One thread by its number in its block: what it does, in a gang or alone.
void run_thread(const LaunchFrame& launch, std::uint32_t block, std::uint32_t linear) {
  Wishes& wishes = wishes_of(launch);
  const int before = (*wishes.count)++;
  if (block != wishes.block || linear < wishes.first || linear > wishes.last) return;
  store(wishes.nowhere + 4 * linear + (wishes.moving ? 4 * static_cast<unsigned>(before) : 0));
}

/// Gangs of `lanes` threads along x.
void run_gangs(BlockFrame* block, ThreadFrame* thread) {
  const LaunchFrame& launch = *block->launch;
  const std::uint32_t width = launch.block.x;
  for (std::uint32_t y = 0; y < launch.block.y; ++y) {
    for (std::uint32_t x = 0; x < block->row_threads; x += lanes) {
      thread->tid = {x, y, 0};
      for (std::uint32_t i = 0; i < lanes; ++i) {
        // A compiler may write the second half of a gang first.
        const std::uint32_t own = x + (wishes_of(launch).backwards ? (i + 8) % lanes : i);
        if (own < block->row_threads)
          run_thread(launch, block->ctaid.x + own / width, y * width + own % width);
      }
    }
  }
}

Kernel gang_kernel() {
  Kernel kernel = plain_kernel<[](BlockFrame& block, ThreadFrame& thread) {
    while (wishes_of(*block.launch).endless) asm volatile("" ::: "memory");
    run_thread(*block.launch, block.ctaid.x, thread.linear);
  }>("gangs");
  kernel.facts.gang_lanes = lanes;
  kernel.run_gangs = run_gangs;
  return kernel;
}

Fault fault_of(const Kernel& kernel, Wishes wishes, Dim3 grid, Dim3 block) {
  Faults faults;
  Stream stream(0, faults);
  stream.launch(request(kernel, grid, block, pack(&wishes)));
  stream.synchronize();
  CHECK(faults.all().size() == 1);
  return faults.only();
}

bool names_gang(const Fault& fault) {
  return fault.message.find("the thread is the first of 16 that run together") != std::string::npos;
}

}  // namespace

TEST_CASE("the thread of a gang that faults is named") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  Wishes wishes{nowhere.address(), 0, 45, 45, &count, false, false, false};
  const Fault fault = fault_of(gang_kernel(), wishes, {1, 1, 1}, {64, 1, 1});
  CHECK(fault.kind == FaultKind::IllegalAddress);
  CHECK(fault.thread.x == 45);
  CHECK(fault.address == nowhere.address() + 4 * 45);
  CHECK_FALSE(names_gang(fault));
  // As many threads as the gangs had got to: the search left nothing.
  CHECK(count == 46);
}

TEST_CASE("of threads side by side that fault the first is named, whichever vector came first") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  for (const bool backwards : {false, true}) {
    const Wishes wishes{nowhere.address(), 2, 35, 63, &count, backwards, false, false};
    const Fault fault = fault_of(gang_kernel(), wishes, {4, 1, 1}, {64, 1, 1});
    CHECK(fault.block.x == 2);
    CHECK(fault.thread.x == 35);
    CHECK(fault.address == nowhere.address() + 4 * 35);
    CHECK_FALSE(names_gang(fault));
  }
}

TEST_CASE("a thread of blocks that run as one is named by its own block") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  Kernel kernel = gang_kernel();
  kernel.facts.fuses_blocks = true;
  for (const std::uint32_t block : {0u, 1u, 2u, 7u, 9u}) {
    const Wishes wishes{nowhere.address(), block, 3, 3, &count, false, false, false};
    const Fault fault = fault_of(kernel, wishes, {10, 1, 1}, {5, 1, 1});
    CHECK(fault.block.x == block);
    CHECK(fault.thread.x == 3);
    CHECK_FALSE(names_gang(fault));
  }
}

TEST_CASE("a thread of a tile is named") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  Kernel kernel = gang_kernel();
  kernel.facts.tile_columns = 4;
  kernel.facts.tile_rows = 4;
  kernel.run_tiles = [](BlockFrame* block, ThreadFrame* thread) {
    thread->tid = {4, 8, 0};
    for (std::uint32_t y = 8; y < 12; ++y) {
      for (std::uint32_t x = 4; x < 8; ++x) run_thread(*block->launch, block->ctaid.x, y * 8 + x);
    }
  };
  const Wishes wishes{nowhere.address(), 1, 10 * 8 + 6, 10 * 8 + 6, &count, false, false, false};
  const Fault fault = fault_of(kernel, wishes, {2, 1, 1}, {8, 16, 1});
  CHECK(fault.block.x == 1);
  CHECK(fault.thread.x == 6);
  CHECK(fault.thread.y == 10);
  CHECK_FALSE(names_gang(fault));
}

TEST_CASE("a thread is not named when its address depends on what the kernel has changed") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  const Wishes wishes{nowhere.address(), 0, 45, 45, &count, false, true, false};
  const Fault fault = fault_of(gang_kernel(), wishes, {1, 1, 1}, {64, 1, 1});
  CHECK(fault.thread.x == 32);
  CHECK(fault.address == nowhere.address() + 4 * 45 + 4 * 45);
  CHECK(names_gang(fault));
}

TEST_CASE("a thread that does not come to its fault again is not waited for") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  const Wishes wishes{nowhere.address(), 0, 45, 45, &count, false, false, true};
  const Fault fault = fault_of(gang_kernel(), wishes, {1, 1, 1}, {64, 1, 1});
  CHECK(names_gang(fault));
}

TEST_CASE("threads that wait for each other are run together") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  // Thread 40 waits for another block, which will not come; those before 20 fault elsewhere.
  Kernel kernel = suspending_kernel<[](HandThread& t) {
    const Wishes& wishes = wishes_of(*t.thread->block->launch);
    if (t.linear() < 20) store(wishes.nowhere + 65536);
    if (t.linear() == 40) return t.yield();
    if (t.step++ == 0) return t.barrier(0, 43);
    run_thread(*t.thread->block->launch, t.block_x(), t.linear());
    t.exit();
  }>("together");
  kernel.facts.gang_lanes = lanes;
  kernel.run_gangs = run_gangs;
  const Wishes wishes{nowhere.address(), 1, 45, 50, &count, false, false, false};
  const Fault fault = fault_of(kernel, wishes, {2, 1, 1}, {64, 1, 1});
  CHECK(fault.block.x == 1);
  CHECK(fault.thread.x == 45);
  CHECK_FALSE(names_gang(fault));
}

TEST_CASE("many gangs that fault leave no process behind") {
  if (signals_delayed) return;
  const Nowhere nowhere;
  int count = 0;
  const Wishes wishes{nowhere.address(), 0, 45, 45, &count, false, false, false};
  Kernel kernel = gang_kernel();
  for (int i = 0; i < 50; ++i) {
    kernel.facts.cost = i % 2 == 0 ? 1 : 1000000;  // in the caller, on a worker
    REQUIRE(fault_of(kernel, wishes, {1, 1, 1}, {64, 1, 1}).thread.x == 45);
  }
}

}  // namespace pycuda::cpu::exec
