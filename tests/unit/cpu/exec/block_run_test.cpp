// SPDX-License-Identifier: MIT
// Barriers, shared memory, deadlocks and calls of hand-made threads.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {

using namespace tests;
using T = HandThread;

TEST_CASE("a barrier separates what threads of a block do before and after it") {
  // Each thread writes its slot, then sums all slots: right only if all have written.
  constexpr auto body = [](T& t) {
    auto* const slots = t.parameter<int*>() + t.block_x() * 300;
    if (t.step++ == 0) {
      slots[t.linear()] = 1;
      return t.barrier();
    }
    t.parameter<int*>(8)[t.block_x() * 300 + t.linear()] = std::accumulate(slots, slots + 300, 0);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("sum");
  std::vector<int> slots(300 * 50), sums(300 * 50);
  CHECK(run(kernel, {50, 1, 1}, {300, 1, 1}, slots.data(), sums.data()).empty());
  CHECK(sums == std::vector<int>(300 * 50, 300));
}

TEST_CASE("exited threads do not hold up a barrier, before it or while others wait") {
  constexpr auto body = [](T& t) {
    switch (t.step++) {
      case 0:
        if (t.linear() < 10) return t.exit();
        return t.barrier();
      case 1:
        if (t.linear() % 3 == 0) return t.exit();
        return t.barrier();
      default:
        t.parameter<int*>()[t.linear()] = 1;
        t.exit();
    }
  };
  const Kernel kernel = suspending_kernel<body>("exits");
  std::vector<int> reached(100);
  CHECK(run(kernel, {1, 1, 1}, {100, 1, 1}, reached.data()).empty());
  for (int i = 0; i < 100; ++i) CHECK(reached[i] == (i >= 10 && i % 3 != 0));
}

TEST_CASE("threads of one warp may reach a barrier by different ways") {
  constexpr auto body = [](T& t) {
    // Even lanes pass a warp operation among themselves first.
    if (t.step++ == 0) {
      if (t.lane() % 2 == 0) return t.warp(WarpOp::Sync, 0x55555555u);
      t.step = 2;
      return t.barrier();
    }
    if (t.step == 2) return t.barrier();
    ++t.parameter<int*>()[t.linear()];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("divergent");
  std::vector<int> reached(64);
  CHECK(run(kernel, {1, 1, 1}, {64, 1, 1}, reached.data()).empty());
  CHECK(reached == std::vector<int>(64, 1));
}

TEST_CASE("named barriers: producers arrive and go on, consumers wait for the count") {
  constexpr auto body = [](T& t) {
    auto* const data = t.parameter<int*>();
    const bool producer = t.linear() < 32;
    switch (t.step++) {
      case 0:
        if (!producer) return t.barrier(3, 64);
        data[t.linear()] = 7;
        return t.barrier_arrive(3, 64);
      default:
        if (!producer) data[t.linear()] = data[t.linear() - 32] + 1;
        t.exit();
    }
  };
  const Kernel kernel = suspending_kernel<body>("producer");
  std::vector<int> data(64);
  CHECK(run(kernel, {1, 1, 1}, {64, 1, 1}, data.data()).empty());
  for (int i = 0; i < 32; ++i) CHECK(data[32 + i] == 8);
}

TEST_CASE("a producer that exits after arriving counts once") {
  // 32 arrive and exit; the barrier must not open before the consumers wrote.
  constexpr auto body = [](T& t) {
    auto* const data = t.parameter<int*>();
    if (t.step++ != 0) {
      if (t.linear() >= 64) data[0] = data[1];
      return t.exit();
    }
    if (t.linear() < 32) return t.barrier_arrive(1, 96);
    if (t.linear() < 64) {
      data[1] = 5;
      return t.barrier(1, 96);
    }
    t.barrier(1, 96);
  };
  const Kernel kernel = suspending_kernel<body>("exit");
  std::vector<int> data(2);
  CHECK(run(kernel, {1, 1, 1}, {96, 1, 1}, data.data()).empty());
  CHECK(data[0] == 5);
}

TEST_CASE("a counted barrier takes a partial warp for a whole one") {
  constexpr auto body = [](T& t) {
    if (t.step++ == 0) return t.barrier(2, 64);
    t.parameter<int*>()[t.linear()] = 1;
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("partial");
  std::vector<int> data(40);
  CHECK(run(kernel, {1, 1, 1}, {40, 1, 1}, data.data()).empty());
  CHECK(data == std::vector<int>(40, 1));
}

TEST_CASE("barrier reductions count and combine the predicates of the block") {
  constexpr auto body = [](T& t) {
    auto* const out = t.parameter<std::uint64_t*>() + t.linear() * 3;
    if (t.step > 0) out[t.step - 1] = t.thread->result[0];
    switch (t.step++) {
      case 0:
        return t.barrier_reduce(0, BarrierReduce::Popc, t.linear() % 3 == 0);
      case 1:
        return t.barrier_reduce(0, BarrierReduce::And, t.linear() != 77);
      case 2:
        return t.barrier_reduce(0, BarrierReduce::Or, t.linear() == 77);
      default:
        t.exit();
    }
  };
  const Kernel kernel = suspending_kernel<body>("red");
  std::vector<std::uint64_t> out(100 * 3);
  CHECK(run(kernel, {1, 1, 1}, {100, 1, 1}, out.data()).empty());
  for (int i = 0; i < 100; ++i) {
    CHECK(out[i * 3] == 34);
    CHECK(out[i * 3 + 1] == 0);
    CHECK(out[i * 3 + 2] == 1);
  }
}

TEST_CASE("a deadlock is a fault that says which threads wait where") {
  constexpr auto body = [](T& t) {
    if (t.step++ != 0) return t.exit();
    if (t.linear() < 32) return t.barrier(0);
    if (t.lane() == 5) return t.barrier(1, 64);
    t.warp(WarpOp::ShuffleDown, ~0u);
  };
  const Kernel kernel = suspending_kernel<body>("stuck");
  const auto faults = run(kernel, {1, 1, 1}, {64, 1, 1});
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::Deadlock);
  CHECK(faults[0].kernel == "stuck");
  const std::string& text = faults[0].message;
  CHECK(text.find("32 threads wait at barrier 0, the first is (0, 0, 0)") != std::string::npos);
  CHECK(text.find("1 thread waits at barrier 1 (1 of 64 arrived), the first is (37, 0, 0)") !=
        std::string::npos);
  CHECK(text.find("31 threads wait at shfl.down with mask 0xffffffff") != std::string::npos);
}

TEST_CASE("different operations on one mask are a deadlock, not a mixture") {
  constexpr auto body = [](T& t) {
    if (t.step++ != 0) return t.exit();
    t.warp(t.lane() < 16 ? WarpOp::VoteAll : WarpOp::VoteAny, ~0u);
  };
  const Kernel kernel = suspending_kernel<body>("mixed");
  const auto faults = run(kernel, {1, 1, 1}, {32, 1, 1});
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::Deadlock);
}

TEST_CASE("a barrier beyond the sixteenth is a fault") {
  constexpr auto body = [](T& t) {
    if (t.step++ != 0) return t.exit();
    t.barrier(16);
  };
  const Kernel kernel = suspending_kernel<body>("sixteen");
  const auto faults = run(kernel, {1, 1, 1}, {32, 1, 1});
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == FaultKind::IllegalInstruction);
  CHECK(faults[0].message.find("barrier 16") != std::string::npos);
}

TEST_CASE("each block has its own shared memory, zero or more bytes") {
  constexpr auto body = [](T& t) {
    auto* const shared = reinterpret_cast<std::uint32_t*>(own_shared(*t.thread->block));
    switch (t.step++) {
      case 0:
        shared[t.linear()] = t.block_x() * 1000 + t.linear();
        return t.barrier();
      case 1:
        return t.yield();
      default:
        t.parameter<std::uint32_t*>()[t.block_x() * 64 + t.linear()] = shared[63 - t.linear()];
        t.exit();
    }
  };
  const Kernel base = suspending_kernel<body>("shared");
  Kernel kernel = base;
  kernel.facts.static_shared_bytes = 128;
  Faults faults;
  Stream stream(0, faults);
  std::vector<std::uint32_t> out(64 * 20);
  LaunchRequest launch = request(kernel, {20, 1, 1}, {64, 1, 1}, pack(out.data()));
  launch.dynamic_shared_bytes = 128;
  stream.launch(launch);
  stream.synchronize();
  for (std::uint32_t i = 0; i < 64 * 20; ++i) CHECK(out[i] == i / 64 * 1000 + (63 - i % 64));
}

TEST_CASE("a called coroutine's end goes on with its caller") {
  // The callee suspends once; when it ends it makes its caller the innermost coroutine.
  struct Callee {
    ResumeFunction resume;
    HandThread* caller;
  };
  constexpr auto body = [](T& t) {
    if (t.step++ == 0) {
      auto* const callee =
          new (pycuda_cpu_frame_push(t.thread, sizeof(Callee))) Callee{nullptr, &t};
      callee->resume = [](void* coroutine) {
        auto* const own = static_cast<Callee*>(coroutine);
        own->caller->r[0] = 42;
        own->caller->thread->coroutine = own->caller;
        own->caller->thread->state = ThreadState::Ready;
      };
      t.thread->coroutine = callee;
      return t.barrier();
    }
    pycuda_cpu_frame_pop(t.thread, t.parameter<void*>(8));
    t.parameter<std::int64_t*>()[t.linear()] = t.r[0];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("call");
  std::vector<std::int64_t> out(70);
  CHECK(run(kernel, {1, 1, 1}, {70, 1, 1}, out.data(), static_cast<void*>(nullptr)).empty());
  CHECK(out == std::vector<std::int64_t>(70, 42));
}

}  // namespace pycuda::cpu::exec
