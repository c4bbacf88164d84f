// SPDX-License-Identifier: MIT
// Faults of every kind: the process lives, the sink is told once, the message says where.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <thread>

#include "cpu/exec/device.h"
#include "cpu/exec/kernel_entry.h"
#include "sanitizers.h"
#include "unit/cpu/exec/faults_of_kernels.h"
#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/machine_instructions.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

constexpr bool sanitized = pycuda::testing::address_sanitizer || pycuda::testing::thread_sanitizer;

bool chosen(const BlockFrame& block, const ThreadFrame& thread) {
  return block.ctaid.x == 2 && block.ctaid.y == 1 && thread.tid.x == 5 && thread.tid.y == 1;
}

void store(std::uintptr_t address) {
#if defined(__has_attribute) && __has_attribute(no_sanitize)
  store_by_instruction(address);
#else
  *reinterpret_cast<volatile int*>(address) = 1;
#endif
}

constexpr auto store_there = [](BlockFrame& block, ThreadFrame& thread) {
  if (chosen(block, thread)) store(parameter<std::uintptr_t>(block));
};

int overflow_stack(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow_stack(depth + 1) + room[0];
}

}  // namespace

TEST_CASE("a store through a null pointer names kernel, block, thread and address") {
  for (const bool small : {true, false}) {
    const Fault fault =
        fault_of(plain_kernel<store_there>("writer"), small, pack(std::uintptr_t{16}));
    CHECK(fault.kind == FaultKind::IllegalAddress);
    CHECK(fault.kernel == "writer");
    CHECK(fault.address == 16);
    CHECK(fault.block.x == 2);
    CHECK(fault.block.y == 1);
    CHECK(fault.thread.x == 5);
    CHECK(fault.thread.y == 1);
    CHECK(contains(fault.message,
                   "illegal memory access at address 0x10, a null pointer or close to one in "
                   "kernel writer, block (2, 1, 0), thread (5, 1, 0)"));
  }
}

TEST_CASE("a store past a block says how far past which block") {
  DeviceMemory memory(0, std::uint64_t{1} << 30);
  const auto begin =
      reinterpret_cast<std::uintptr_t>(memory.allocate(4096, MemoryKind::Device, nullptr));
  const Fault fault = fault_of(plain_kernel<store_there>("past"), true, pack(begin + 4100));
  CHECK(fault.kind == FaultKind::IllegalAddress);
  CHECK(contains(fault.message,
                 "4 bytes past the end of the 4096-byte block of device memory allocated at 0x"));
}

TEST_CASE("a store to freed memory says so") {
  DeviceMemory memory(0, std::uint64_t{1} << 30);
  void* const block = memory.allocate(4096, MemoryKind::Device, nullptr);
  memory.release(block);
  const Fault fault = fault_of(plain_kernel<store_there>("freed"), true,
                               pack(reinterpret_cast<std::uintptr_t>(block) + 8));
  CHECK(contains(fault.message, "8 bytes into the 4096-byte block of device memory"));
  CHECK(contains(fault.message, "has been freed"));
}

#if defined(__x86_64__)
TEST_CASE("an address that is no address is an illegal address, with its value") {
  const Fault fault =
      fault_of(plain_kernel<store_there>("wild"), true, pack(std::uintptr_t{0xdeadbeefdeadbeef}));
  CHECK(fault.kind == FaultKind::IllegalAddress);
  CHECK(fault.address == 0xdeadbeefdeadbeef);
}

TEST_CASE("a misaligned wide access is a misaligned address") {
  if (signals_delayed) return;
  alignas(64) static char data[64];
  constexpr auto body = [](BlockFrame& block, ThreadFrame&) {
    asm volatile("movaps (%0), %%xmm0" ::"r"(parameter<char*>(block) + 4) : "xmm0");
  };
  const Fault fault = fault_of(plain_kernel<body>("wide"), true, pack(&data[0]));
  CHECK(fault.kind == FaultKind::MisalignedAddress);
  CHECK(contains(fault.message, "misaligned memory access"));
}
#endif

TEST_CASE("a fault in shared memory tells the window's size") {
  constexpr auto body = [](BlockFrame& block, ThreadFrame&) {
    store(reinterpret_cast<std::uintptr_t>(own_shared(block)) + 1048576);
  };
  Kernel kernel = plain_kernel<body>("window");
  kernel.facts.static_shared_bytes = 1000;
  const Fault fault = fault_of(kernel, true);
  CHECK(contains(fault.message, "1047576 bytes past the end of the block's 1000 bytes of shared"));
}

TEST_CASE("a little before the window of shared memory is no gigabytes behind it") {
  constexpr auto body = [](BlockFrame& block, ThreadFrame&) {
    store(reinterpret_cast<std::uintptr_t>(own_shared(block)) + 0xfffff000U);
  };
  Kernel kernel = plain_kernel<body>("before");
  kernel.facts.static_shared_bytes = 1000;
  const Fault fault = fault_of(kernel, true);
  CHECK(
      contains(fault.message, ", 4096 bytes before the start of the block's 1000 bytes of shared"));
}

TEST_CASE("a pointer to what lies before the window of shared memory tells how far") {
  constexpr auto body = [](BlockFrame& block, ThreadFrame&) {
    store(reinterpret_cast<std::uintptr_t>(own_shared(block)) - 2000);
  };
  Kernel kernel = plain_kernel<body>("far");
  kernel.facts.static_shared_bytes = 1000;
  CHECK(contains(fault_of(kernel, true).message,
                 ", 2000 bytes before the start of the block's 1000 bytes of shared"));
}

TEST_CASE("the source line is named when the kernel tracks it") {
  constexpr auto body = [](BlockFrame&, ThreadFrame& thread) {
    thread.source_file = 1;
    thread.source_line = 42;
    store(8);
  };
  Kernel kernel = plain_kernel<body>("lines");
  kernel.facts.source_files = {"", "demo.cu"};
  CHECK(contains(fault_of(kernel, true).message, "thread (0, 0, 0) at demo.cu:42"));
}

TEST_CASE("a call of no function is an invalid program counter") {
  constexpr auto body = [](BlockFrame&, ThreadFrame&) {
    reinterpret_cast<void (*)()>(std::uintptr_t{0x1000})();
  };
  if (sanitized) return;
  const Fault fault = fault_of(plain_kernel<body>("pointer"), true);
  CHECK(fault.kind == FaultKind::InvalidProgramCounter);
  CHECK(fault.address == 0x1000);
}

TEST_CASE("endless recursion is a stack overflow, in the caller and on a worker") {
  if (sanitized) return;  // they put stacks elsewhere
  constexpr auto body = [](BlockFrame&, ThreadFrame&) { overflow_stack(1); };
  for (const bool small : {true, false}) {
    const Fault fault = fault_of(plain_kernel<body>("deep"), small);
    CHECK(fault.kind == FaultKind::StackOverflow);
    CHECK(contains(fault.message, "stack overflow in kernel deep"));
  }
}

TEST_CASE("trap, assertion and illegal instruction are told apart") {
  constexpr auto trap = [](BlockFrame&, ThreadFrame& thread) { pycuda_cpu_trap(&thread); };
  CHECK(fault_of(plain_kernel<trap>("k"), true).kind == FaultKind::Trap);
  constexpr auto check = [](BlockFrame&, ThreadFrame& thread) {
    pycuda_cpu_assert_fail(&thread, "x > 0", "demo.cu", 7, "void demo()", 1);
  };
  const Fault assertion = fault_of(plain_kernel<check>("k"), true);
  CHECK(assertion.kind == FaultKind::Assert);
  CHECK(contains(assertion.message, "demo.cu:7: void demo(): Assertion `x > 0' failed."));
  constexpr auto illegal = [](BlockFrame&, ThreadFrame&) { undefined_instruction(); };
  CHECK(fault_of(plain_kernel<illegal>("k"), true).kind == FaultKind::IllegalInstruction);
}

TEST_CASE("a fault in a thread that suspends names that thread") {
  constexpr auto body = [](HandThread& t) {
    if (t.step++ == 0) return t.barrier();
    if (t.linear() == 37 && t.block_x() == 1) store(24);
    t.exit();
  };
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = suspending_kernel<body>("suspends");
  stream.launch(request(kernel, {3, 1, 1}, {8, 8, 1}));
  stream.synchronize();
  const Fault fault = faults.only();
  CHECK(fault.address == 24);
  CHECK(fault.block.x == 1);
  CHECK(fault.thread.x == 5);
  CHECK(fault.thread.y == 4);
}

TEST_CASE("frames of calls that never end are a stack overflow") {
  constexpr auto body = [](HandThread& t) {
    for (;;) pycuda_cpu_frame_push(t.thread, 1000);
  };
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = suspending_kernel<body>("recursive");
  stream.launch(request(kernel, {1, 1, 1}, {32, 1, 1}));
  stream.synchronize();
  CHECK(faults.only().kind == FaultKind::StackOverflow);
}

TEST_CASE("a launch for which there is no memory is a fault, and the next one runs") {
  if (sanitized) return;  // they end the process when memory is exhausted
  constexpr auto body = [](HandThread& t) {
    t.parameter<std::atomic<int>*>()->fetch_add(1);
    t.exit();
  };
  Kernel greedy = suspending_kernel<body>("greedy");
  greedy.coroutine_bytes = std::uint64_t{1} << 45;
  std::atomic<int> count{0};
  Faults faults;
  Stream stream(0, faults);
  stream.launch(request(greedy, {1000, 1, 1}, {512, 1, 1}, pack(&count)));
  stream.synchronize();
  CHECK(contains(faults.only().message, "no memory to run its threads"));
  CHECK(count == 0);
  Faults other_faults;
  Stream other(0, other_faults);
  const Kernel modest = suspending_kernel<body>("modest");
  other.launch(request(modest, {10, 1, 1}, {512, 1, 1}, pack(&count)));
  other.launch(request(modest, {0, 1, 1}, {512, 1, 1}, pack(&count)));
  other.synchronize();
  CHECK(count == 5120);
}

TEST_CASE("after a fault the sink's queued work is dropped, callbacks and events go on") {
  Faults faults;
  Stream stream(0, faults);
  const Kernel bad = plain_kernel<store_there>("bad", 1000000);
  bool task = false, callback = false;
  const auto event = std::make_shared<Event>(true);
  stream.launch(request(bad, {4, 2, 1}, {8, 2, 1}, pack(std::uintptr_t{0})));
  stream.enqueue([&] { task = true; });
  stream.enqueue_callback([&] { callback = true; });
  stream.launch(request(bad, {4, 2, 1}, {8, 2, 1}, pack(std::uintptr_t{0})));
  stream.record(event);
  stream.synchronize();
  CHECK(faults.all().size() == 1);
  CHECK_FALSE(task);
  CHECK(callback);
  CHECK(event->complete());
  // Another context on the same workers is not touched.
  Faults healthy;
  Stream other(0, healthy);
  bool ran = false;
  other.enqueue([&] { ran = true; });
  other.synchronize();
  CHECK(ran);
}

TEST_CASE("many faulting launches leak no worker") {
  for (int i = 0; i < 200; ++i) {
    const Fault fault =
        fault_of(plain_kernel<store_there>("again"), i % 2 == 0, pack(std::uintptr_t{0}));
    REQUIRE(fault.kind == FaultKind::IllegalAddress);
  }
}

TEST_CASE("a fault outside kernels goes to the handler that was there before") {
  if (sanitized) return;
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction previous{};
    previous.sa_handler = [](int) { _exit(77); };
    sigaction(SIGSEGV, &previous, nullptr);
    install_fault_signals();
    store(8);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 77);
}

TEST_CASE("a crash outside kernels still ends the process by its signal") {
  if (sanitized) return;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    install_fault_signals();
    store(8);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSEGV);
}

TEST_CASE("in the child of a fork every call returns, and forked() says why") {
  std::atomic<int> release{0};  // the stream's end still waits for who reads it
  Faults faults;
  Stream stream(0, faults);
  stream.enqueue_callback([&] {
    while (release == 0) std::this_thread::yield();
  });
  CHECK_FALSE(forked());
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (!forked()) _exit(1);
    const auto event = std::make_shared<Event>(false);
    stream.enqueue([] {});
    stream.record(event);
    stream.wait(event);
    stream.synchronize();
    event->synchronize();
    {
      const Stream another(0, faults);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  release = 1;
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace pycuda::cpu::exec
