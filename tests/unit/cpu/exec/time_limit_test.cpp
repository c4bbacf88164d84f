// SPDX-License-Identifier: MIT
// What stops kernels: the time limit and interrupts.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>

#include "cpu/exec/device.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/last_thread.h"
#include "cpu/exec/watchdog.h"
#include "unit/cpu/exec/faults_of_kernels.h"
#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

unsigned long long waits = 0;  // the process's: only the first that is to be watched is

void change_waits() { __atomic_fetch_add(&waits, 1, __ATOMIC_RELEASE); }

}  // namespace

TEST_CASE("an endless loop ends at the time limit, wherever it runs") {
  using namespace std::chrono;
  set_time_limit(milliseconds(100));
  constexpr auto loop = [](BlockFrame&, ThreadFrame&) {
    for (;;) asm volatile("" ::: "memory");
  };
  for (const bool small : {true, false}) {
    if (signals_delayed) break;
    const Fault fault = fault_of(plain_kernel<loop>("endless"), small);
    CHECK(fault.kind == FaultKind::Timeout);
    CHECK(contains(fault.message, "time limit"));
  }
  constexpr auto spin = [](HandThread& t) { t.yield(); };
  constexpr auto print = [](BlockFrame&, ThreadFrame& thread) {
    for (;;) pycuda_cpu_free(&thread, pycuda_cpu_malloc(&thread, 16));
  };
  CHECK(fault_of(suspending_kernel<spin>("spins"), true).kind == FaultKind::Timeout);
  CHECK(fault_of(plain_kernel<print>("calls"), false).kind == FaultKind::Timeout);
  // A launch within its time is left alone.
  set_time_limit(hours(1));
  Faults faults;
  Stream stream(0, faults);
  constexpr auto nothing = [](BlockFrame&, ThreadFrame&) {};
  const Kernel kernel = plain_kernel<nothing>("quick");
  for (int i = 0; i < 100; ++i) stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
  stream.synchronize();
  set_time_limit(milliseconds(0));
  CHECK(faults.all().empty());
}

TEST_CASE("the time limit names the thread that runs and its line") {
  if (signals_delayed) return;
  set_time_limit(std::chrono::milliseconds(50));
  constexpr auto loop = [](BlockFrame&, ThreadFrame& thread) {
    if (thread.linear != 3) return;
    thread.source_file = 1;
    thread.source_line = 42;
    for (;;) asm volatile("" ::: "memory");
  };
  Kernel kernel = plain_kernel<loop>("endless");
  kernel.facts.source_files = {"", "demo.cu"};
  for (const bool small : {true, false}) {
    const Fault fault = fault_of(kernel, small);
    CHECK(fault.kind == FaultKind::Timeout);
    CHECK(contains(fault.message, "in kernel endless, block ("));
    CHECK(contains(fault.message, "thread (3, 0, 0) at demo.cu:42"));
  }
  set_time_limit(std::chrono::milliseconds(0));
}

TEST_CASE("the time limit says what the threads of a block wait for") {
  constexpr auto body = [](HandThread& t) {
    t.thread->source_file = 1;
    t.thread->source_line = t.linear() < 32 ? 7 : 9;
    if (t.linear() == 40) return t.exit();
    if (t.linear() >= 32) return t.barrier(0);
    const auto awaited = t.parameter<std::uint64_t>();
    t.thread->operand[0] = awaited;
    t.thread->operand[1] = ~awaited;
    t.yield();
  };
  Kernel kernel = suspending_kernel<body>("waits");
  kernel.facts.source_files = {"", "demo.cu"};
  DeviceMemory memory(0, std::uint64_t{1} << 20);
  void* const flag = memory.allocate(64, MemoryKind::Device, nullptr);
  set_time_limit(std::chrono::milliseconds(50));
  Faults faults;
  {
    Stream stream(0, faults);
    stream.launch(
        request(kernel, {1, 1, 1}, {64, 1, 1}, pack(reinterpret_cast<std::uintptr_t>(flag) + 8)));
    stream.synchronize();
  }
  set_time_limit(std::chrono::milliseconds(0));
  const Fault fault = faults.only();
  CHECK(fault.kind == FaultKind::Timeout);
  CHECK(
      contains(fault.message, "time limit (PYCUDA_CPU_TIMEOUT) in kernel waits, block (0, 0, 0)"));
  // One of them may be looking just then.
  const bool all_wait =
      contains(fault.message, "32 threads wait in a loop for what is at address 0x");
  const bool one_looks =
      contains(fault.message, "31 threads wait in a loop for what is at address 0x") &&
      contains(fault.message, "1 runs");
  CHECK((all_wait || one_looks));
  CHECK(contains(fault.message, "8 bytes into the 64-byte block of device memory"));
  CHECK((contains(fault.message, "the first is (0, 0, 0) at demo.cu:7") ||
         contains(fault.message, "the first is (1, 0, 0) at demo.cu:7")));
  CHECK(contains(fault.message, "31 threads wait at barrier 0"));
  CHECK(contains(fault.message, "the first is (32, 0, 0) at demo.cu:9"));
  CHECK(contains(fault.message, "1 exited"));
  memory.release(flag);
}

TEST_CASE("an interrupt ends what can be abandoned later in the same wait, and only that") {
  if (signals_delayed) return;
  struct sigaction before{};
  struct sigaction of_program{};
  of_program.sa_handler = [](int) {};
  REQUIRE(sigaction(SIGINT, &of_program, &before) == 0);
  watch_waits(&waits);
  CHECK_FALSE(AbandonableWait().watched());
  change_waits();
  {
    watch_waits(&waits);
    CHECK_FALSE(AbandonableWait().interrupted());
    raise(SIGINT);
    CHECK(AbandonableWait().interrupted());
  }
  CHECK(AbandonableWait().interrupted());
  change_waits();
  change_waits();
  {
    watch_waits(&waits);
    REQUIRE(sigaction(SIGINT, &of_program, nullptr) == 0);
    const AbandonableWait wait;
    CHECK_FALSE(wait.interrupted());
    raise(SIGINT);
    CHECK(wait.interrupted());
  }
  change_waits();
  change_waits();
  CHECK(AbandonableWait().watched());
  CHECK_FALSE(AbandonableWait().interrupted());
  std::thread([] { CHECK_FALSE(AbandonableWait().watched()); }).join();
  change_waits();
  sigaction(SIGINT, &before, nullptr);
}

TEST_CASE("an interrupt ends a kernel that is waited for, wherever it runs, and no other") {
  if (signals_delayed) return;
  using namespace std::chrono;
  static std::atomic<int> handled{0};
  struct sigaction of_program{};
  of_program.sa_handler = [](int) { handled.fetch_add(1); };
  struct sigaction before{};
  REQUIRE(sigaction(SIGINT, &of_program, &before) == 0);
  watch_waits(&waits);
  constexpr auto loop = [](BlockFrame&, ThreadFrame&) {
    for (;;) asm volatile("" ::: "memory");
  };
  constexpr auto spin = [](HandThread& t) { t.yield(); };
  for (const Kernel& endless : {plain_kernel<loop>("endless"), suspending_kernel<spin>("spins")}) {
    // Once, and before anything can have noticed that the wait is long.
    change_waits();
    watch_waits(&waits);
    expect_interrupts();  // the handler is as new as the wait
    kill(getpid(), SIGINT);
    const Fault fault = fault_of(endless, false);
    change_waits();
    CHECK(fault.kind == FaultKind::Timeout);
    CHECK(contains(fault.message, "user's interrupt"));
    // At once: the program may launch something else.
    CHECK_FALSE(interrupting());
  }
  CHECK(handled.load() > 0);
  // Nobody waits: nothing is stopped, and the program's handler is the only one again.
  Faults faults;
  Stream stream(0, faults);
  const int so_far = handled.load();
  std::thread([] { kill(getpid(), SIGINT); }).join();
  while (handled.load() == so_far) std::this_thread::yield();
  constexpr auto nothing = [](BlockFrame&, ThreadFrame&) {};
  const Kernel kernel = plain_kernel<nothing>("quick");
  for (int i = 0; i < 100; ++i) stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
  stream.synchronize();
  CHECK(faults.all().empty());
  const auto restored = [&] {
    struct sigaction present{};
    sigaction(SIGINT, nullptr, &present);
    return present.sa_handler == of_program.sa_handler;
  };
  while (!restored()) std::this_thread::sleep_for(milliseconds(10));
  sigaction(SIGINT, &before, nullptr);
}

TEST_CASE("an interrupt from before the last wait stops what runs, however the wait began") {
  if (signals_delayed) return;
  // Longer than it takes until somebody looks at the wait, before it is the last thread's.
  constexpr auto longer_than_a_look = std::chrono::milliseconds(400);
  struct sigaction of_program{};
  struct sigaction before{};
  of_program.sa_handler = [](int) {};
  REQUIRE(sigaction(SIGINT, &of_program, &before) == 0);
  change_waits();
  watch_waits(&waits);
  expect_interrupts();  // the handler is as new as the wait
  change_waits();
  Faults faults;
  Stream stream(0, faults);
  stream.enqueue([] {
    while (!interrupting()) std::this_thread::yield();
  });
  raise(SIGINT);
  change_waits();
  watch_waits(&waits);
  std::this_thread::sleep_for(longer_than_a_look);
  set_last_thread(true);
  stream.synchronize();
  set_last_thread(false);
  change_waits();
  CHECK_FALSE(interrupting());
  sigaction(SIGINT, &before, nullptr);
}

}  // namespace pycuda::cpu::exec
