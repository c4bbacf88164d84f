// SPDX-License-Identifier: MIT
// Threads with stacks of their own: overflows, exhausted memory, the system's limit of mappings.
#include "cpu/exec/thread_stacks.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>

#include "cpu/exec/block_run.h"
#include "sanitizers.h"
#include "unit/cpu/exec/faults_of_kernels.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using Guards = ThreadStacks::Guards;

constexpr bool sanitized = pycuda::testing::address_sanitizer || pycuda::testing::thread_sanitizer;
constexpr std::uint64_t stack_bytes = std::uint64_t{64} << 10;

class UsedGuards {
 public:
  explicit UsedGuards(Guards guards, std::int64_t most = ThreadStacks::most_guards()) {
    ThreadStacks::set_guards(guards, most);
  }
  ~UsedGuards() { ThreadStacks::set_guards(Guards::Best); }
  UsedGuards(const UsedGuards&) = delete;
  UsedGuards& operator=(const UsedGuards&) = delete;
};

/// A kernel whose threads run `body` on stacks of `stack_bytes`, and more for each byte of the
/// launch's limit.
template <auto body, std::uint32_t by_stack_limit = 0>
Kernel kernel_on_stacks(std::string name) {
  Kernel kernel;
  kernel.facts.name = std::move(name);
  kernel.facts.suspends = true;
  kernel.facts.cost = 10;
  kernel.start_thread = [](ThreadFrame* thread, std::byte* memory) {
    pycuda_cpu_begin_on_stack(
        thread, memory, [](ThreadFrame* running) { body(*running); }, stack_bytes, by_stack_limit);
  };
  ThreadFrame question;
  kernel.start_thread(&question, nullptr);
  kernel.coroutine_bytes = question.scratch;
  kernel.bytes_by_stack_limit = question.stack_used;
  kernel.own_stacks = question.detail != 0;
  return kernel;
}

void barrier(ThreadFrame& thread) {
  thread.operand[0] = thread.operand[1] = 0;
  thread.state = ThreadState::AtBarrier;
  pycuda_cpu_wait_on_stack(&thread);
}

/// Uses about `pages` pages of its stack.
int deepen(int pages) {
  volatile char room[4096];
  room[0] = static_cast<char>(pages);
  return pages <= 1 ? room[0] : deepen(pages - 1) + room[0];
}

/// So many bytes of addresses are left meanwhile.
class LimitedAddresses {
 public:
  explicit LimitedAddresses(std::uint64_t left) {
    getrlimit(RLIMIT_AS, &before_);
    unsigned long long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "re");
    REQUIRE(std::fscanf(file, "%llu", &pages) == 1);
    std::fclose(file);
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + left;
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  ~LimitedAddresses() { setrlimit(RLIMIT_AS, &before_); }
  LimitedAddresses(const LimitedAddresses&) = delete;
  LimitedAddresses& operator=(const LimitedAddresses&) = delete;

 private:
  rlimit before_{};
};

std::size_t mappings() {
  std::size_t lines = 0;
  std::FILE* const file = std::fopen("/proc/self/maps", "re");
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) lines += c == '\n' ? 1 : 0;
  std::fclose(file);
  return lines;
}

}  // namespace

TEST_CASE("a stack of a thread's own that overflows is a fault of that thread") {
  if (sanitized) return;  // they do not know of these stacks
  constexpr auto body = [](ThreadFrame& thread) {
    barrier(thread);
    // Where there is no guard, it ends before the next stack.
    if (thread.linear == 37) deepen(40);
    barrier(thread);
  };
  const Kernel kernel = kernel_on_stacks<body>("deep");
  // Larger blocks for each, so that stacks of an earlier launch do not do.
  std::uint32_t more = 1;
  for (const Guards guards : {Guards::None, Guards::OfMappings, Guards::Best}) {
    const UsedGuards used(guards);
    const Fault fault = fault_of(kernel, false, {}, {1, 1, 1}, {8, 8, more++});
    CHECK(fault.kind == FaultKind::StackOverflow);
    CHECK(contains(fault.message,
                   "stack overflow in kernel deep, block (0, 0, 0), thread (5, 4, 0)"));
  }
}

TEST_CASE("an access above a thread's stack meets no other thread's") {
  if (sanitized) return;
  constexpr auto body = [](ThreadFrame& thread) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (thread.linear == 3)
      *reinterpret_cast<volatile char*>(here + (std::uintptr_t{32} << 10)) = 1;
  };
  const Kernel kernel = kernel_on_stacks<body>("above");
  const Fault fault = fault_of(kernel, false, {}, {1, 1, 1}, {4, 1, 1});
  CHECK(fault.kind == FaultKind::IllegalAddress);
  CHECK(fault.thread.x == 3);
}

TEST_CASE("stacks may be far larger than the memory that they use") {
  if (sanitized) return;
  constexpr auto body = [](ThreadFrame& thread) {
    deepen(3);
    barrier(thread);
    std::atomic_ref<int>(*parameter<int*>(*thread.block)).fetch_add(1);
  };
  const Kernel kernel = kernel_on_stacks<body, 40>("roomy");
  int count = 0;
  Faults faults;
  Stream stream(0, faults);
  LaunchRequest roomy = request(kernel, {3, 1, 1}, {1024, 1, 1}, pack(&count));
  roomy.stack_bytes = 512u << 10;
  stream.launch(roomy);
  stream.synchronize();
  CHECK(faults.all().empty());
  CHECK(count == 3072);
}

TEST_CASE("a launch whose stacks the system refuses is out of memory") {
  if (sanitized) return;
  constexpr auto body = [](ThreadFrame&) {};
  Kernel kernel = kernel_on_stacks<body>("greedy");
  for (const int shift : {40, 54, 63}) {
    kernel.coroutine_bytes = std::uint64_t{1} << shift;
    CHECK_FALSE(ThreadStacks::has_room(kernel.coroutine_bytes, 512));
    const Fault fault = fault_of(kernel, false, {}, {1, 1, 1}, {512, 1, 1});
    CHECK(fault.kind == FaultKind::OutOfMemory);
    CHECK(contains(fault.message, "no memory to run its threads"));
  }
}

TEST_CASE("few large stacks after many small ones take what they need alone") {
  if (sanitized) return;
  ThreadStacks stacks;
  REQUIRE(stacks.fit(stack_bytes, 1024));
  const LimitedAddresses limited(std::uint64_t{64} << 20);
  CHECK_FALSE(ThreadStacks::has_room(std::uint64_t{4} << 20, 32));
  REQUIRE(stacks.fit(std::uint64_t{4} << 20, 32));  // in place of those
  REQUIRE(stacks.fit(stack_bytes, 1024));
}

TEST_CASE("blocks for whose stacks there is no memory begin when others have ended") {
  if (sanitized) return;
  constexpr auto body = [](ThreadFrame& thread) {
    deepen(3);
    barrier(thread);
    std::atomic_ref<int>(*parameter<int*>(*thread.block)).fetch_add(1);
  };
  Kernel kernel = kernel_on_stacks<body>("large");
  int count = 0;
  Faults faults;
  Stream stream(0, faults);
  // Small stacks, so that the rest of what a worker needs is there.
  stream.launch(request(kernel, {64, 1, 1}, {256, 1, 1}, pack(&count)));
  stream.synchronize();
  kernel.coroutine_bytes = std::uint64_t{1} << 20;
  {
    const LimitedAddresses limited(std::uint64_t{400} << 20);  // one block has 272 MiB
    stream.launch(request(kernel, {64, 1, 1}, {256, 1, 1}, pack(&count)));
    stream.synchronize();
  }
  CHECK(faults.all().empty());
  CHECK(count == 2 * 64 * 256);
}

TEST_CASE("guards leave half of the mappings that a process may have") {
  long long limit = 0;
  std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "re");
  REQUIRE(std::fscanf(file, "%lld", &limit) == 1);
  std::fclose(file);
  const auto mappings_of_guards = 2 * ThreadStacks::most_guards();
  CHECK(mappings_of_guards <= limit / 2);
  CHECK(mappings_of_guards > limit / 2 - 4);
}

TEST_CASE("guards cost no more mappings than they may, and further stacks have none") {
  if (sanitized) return;
  BlockRun::free_spare_stacks();  // their guards count
  const UsedGuards used(Guards::OfMappings, 3000);
  const std::size_t before = mappings();
  {
    std::deque<ThreadStacks> blocks(4);
    for (ThreadStacks& stacks : blocks) REQUIRE(stacks.fit(stack_bytes, 1024));
    CHECK(mappings() - before > 5900);
    CHECK(mappings() - before < 6100);
    // The last ones have no guards: whether they were overrun is known after the fact.
    ThreadStacks& last = blocks.back();
    last.begin(1000);
    CHECK(!last.is_overrun(1000));
    std::memset(last.of(1000) - 8, 0, 8);
    CHECK(last.is_overrun(1000));
  }
  CHECK(mappings() < before + 100);
}

TEST_CASE("large stacks give back what they used, and keep their guards") {
  ThreadStacks stacks;
  REQUIRE(stacks.fit(std::uint64_t{1} << 20, 4));
  *stacks.of(2) = std::byte{1};
  stacks.release_large();
  CHECK(*stacks.of(2) == std::byte{0});
  std::byte* const before = stacks.of(0);
  REQUIRE(stacks.fit(stack_bytes, 2));
  CHECK(stacks.of(0) == before);
  const auto low = reinterpret_cast<std::uintptr_t>(stacks.of(2));
  CHECK(stacks.is_guard_of(2, low - 1));
  CHECK(stacks.is_guard_of(2, low - ThreadStacks::guard_bytes));
  CHECK(!stacks.is_guard_of(2, low));
  CHECK(!stacks.is_guard_of(2, low - ThreadStacks::guard_bytes - 1));
  CHECK(!stacks.is_guard_of(1, low - 1));
}

}  // namespace pycuda::cpu::exec
