// SPDX-License-Identifier: MIT
// Barriers, warp operations, deadlocks and spin-waits of hand-made threads.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <numeric>

#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using T = HandThread;

/// Launches and waits; the faults.
template <class... Values>
std::vector<Fault> run(const Kernel& kernel, Dim3 grid, Dim3 block, Values... params) {
  Faults faults;
  Stream stream(0, faults);
  stream.launch(request(kernel, grid, block, pack(params...)));
  stream.synchronize();
  return faults.all();
}

}  // namespace

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

TEST_CASE("warp operations give what the PTX manual defines") {
  struct Case {
    WarpOp op;
    std::uint64_t b, c;
    std::uint64_t (*a)(int lane);
    std::uint64_t (*first)(int lane);
    std::uint64_t (*second)(int lane);
  };
  constexpr auto zero = [](int) -> std::uint64_t { return 0; };
  constexpr auto one = [](int) -> std::uint64_t { return 1; };
  constexpr auto plus100 = [](int lane) -> std::uint64_t { return lane + 100; };
  static const Case cases[] = {
      {WarpOp::ShuffleUp, 1, 0, plus100,
       [](int l) -> std::uint64_t { return 100 + (l ? l - 1 : 0); },
       [](int l) -> std::uint64_t { return l >= 1; }},
      {WarpOp::ShuffleDown, 4, 31, plus100,
       [](int l) -> std::uint64_t { return 100 + (l + 4 < 32 ? l + 4 : l); },
       [](int l) -> std::uint64_t { return l + 4 < 32; }},
      // Segments of 8: the segment mask is 24, its clamp 7 with the mask's bits.
      {WarpOp::ShuffleDown, 3, (24 << 8) | 31, plus100,
       [](int l) -> std::uint64_t { return 100 + (l % 8 + 3 < 8 ? l + 3 : l); },
       [](int l) -> std::uint64_t { return l % 8 + 3 < 8; }},
      {WarpOp::ShuffleUp, 3, 24 << 8, plus100,
       [](int l) -> std::uint64_t { return 100 + (l % 8 >= 3 ? l - 3 : l); },
       [](int l) -> std::uint64_t { return l % 8 >= 3; }},
      {WarpOp::ShuffleButterfly, 16, 31, plus100,
       [](int l) -> std::uint64_t { return 100 + (l ^ 16); }, one},
      {WarpOp::ShuffleButterfly, 4, (28 << 8) | 31, plus100,
       [](int l) -> std::uint64_t { return 100 + ((l & 4) != 0 ? l ^ 4 : l); },
       [](int l) -> std::uint64_t { return (l & 4) != 0; }},
      {WarpOp::ShuffleIndex, 5, 31, plus100, [](int) -> std::uint64_t { return 105; }, one},
      {WarpOp::ShuffleIndex, 10, (24 << 8) | 31, plus100,
       [](int l) -> std::uint64_t { return 100 + (l & 24) + 2; }, one},
      {WarpOp::VoteAll, 0, 0, one, one, zero},
      {WarpOp::VoteAll, 0, 0, [](int l) -> std::uint64_t { return l != 3; }, zero, zero},
      {WarpOp::VoteAny, 0, 0, [](int l) -> std::uint64_t { return l == 3; }, one, zero},
      {WarpOp::VoteAny, 0, 0, zero, zero, zero},
      {WarpOp::VoteUniform, 0, 0, zero, one, zero},
      {WarpOp::VoteUniform, 0, 0, [](int l) -> std::uint64_t { return l == 3; }, zero, zero},
      {WarpOp::VoteBallot, 0, 0, [](int l) -> std::uint64_t { return l % 2; },
       [](int) -> std::uint64_t { return 0xaaaaaaaau; }, zero},
      {WarpOp::MatchAny, 0, 0, [](int l) -> std::uint64_t { return l % 4; },
       [](int l) -> std::uint64_t { return 0x11111111u << l % 4; }, one},
      {WarpOp::MatchAll, 0, 0, one, [](int) -> std::uint64_t { return 0xffffffffu; }, one},
      {WarpOp::MatchAll, 0, 0, plus100, zero, zero},
      {WarpOp::ReduceAdd, 0, 0, plus100, [](int) -> std::uint64_t { return 3200 + 496; }, zero},
      {WarpOp::ReduceAdd, 0, 0, [](int) -> std::uint64_t { return 0x80000000u; }, zero, zero},
      {WarpOp::ReduceMinU32, 0, 0, [](int l) -> std::uint64_t { return l == 7 ? 5 : ~0u; },
       [](int) -> std::uint64_t { return 5; }, zero},
      {WarpOp::ReduceMaxU32, 0, 0, [](int l) -> std::uint64_t { return l == 7 ? ~0u : 5; },
       [](int) -> std::uint64_t { return ~0u; }, zero},
      {WarpOp::ReduceMinS32, 0, 0, [](int l) -> std::uint64_t { return l == 7 ? ~0u : 5; },
       [](int) -> std::uint64_t { return ~0u; }, zero},
      {WarpOp::ReduceMaxS32, 0, 0, [](int l) -> std::uint64_t { return l == 7 ? 5 : ~0u; },
       [](int) -> std::uint64_t { return 5; }, zero},
      {WarpOp::ReduceAnd, 0, 0, [](int l) -> std::uint64_t { return ~(1u << l); }, zero, zero},
      {WarpOp::ReduceOr, 0, 0, [](int l) -> std::uint64_t { return 1u << l; },
       [](int) -> std::uint64_t { return ~0u; }, zero},
      {WarpOp::ReduceXor, 0, 0, [](int l) -> std::uint64_t { return l + 1; },
       [](int) -> std::uint64_t { return 32; }, zero},
      {WarpOp::ActiveMask, 0, 0, zero, [](int) -> std::uint64_t { return ~0u; }, zero},
  };
  constexpr auto body = [](T& t) {
    const Case& now = cases[t.parameter<int>(8)];
    if (t.step++ == 0) {
      const bool unmasked = now.op == WarpOp::ActiveMask;
      return t.warp(now.op, unmasked ? 0 : ~0u, now.a(static_cast<int>(t.lane())), now.b, now.c);
    }
    auto* const out = t.parameter<std::uint64_t*>() + t.linear() * 2;
    out[0] = t.thread->result[0];
    out[1] = t.thread->result[1];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("warp");
  for (int i = 0; i < static_cast<int>(std::size(cases)); ++i) {
    CAPTURE(i);
    std::vector<std::uint64_t> out(128);
    CHECK(run(kernel, {1, 1, 1}, {64, 1, 1}, out.data(), i).empty());
    for (int thread = 0; thread < 64; ++thread) {
      CAPTURE(thread);
      CHECK(out[thread * 2] == cases[i].first(thread % 32));
      CHECK(out[thread * 2 + 1] == cases[i].second(thread % 32));
    }
  }
}

TEST_CASE("a shuffle among some lanes gives a lane's own value for a lane that takes no part") {
  constexpr auto body = [](T& t) {
    if (t.step++ == 0) {
      if (t.lane() >= 16) return t.exit();
      return t.warp(WarpOp::ShuffleDown, 0xffffu, t.lane() + 100, 8, 31);
    }
    t.parameter<std::uint64_t*>()[t.lane()] = t.thread->result[0];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("partial");
  std::vector<std::uint64_t> out(16);
  CHECK(run(kernel, {1, 1, 1}, {32, 1, 1}, out.data()).empty());
  for (std::uint64_t i = 0; i < 16; ++i) CHECK(out[i] == 100 + (i < 8 ? i + 8 : i));
}

TEST_CASE("lanes with different masks and different places do their operations apart") {
  constexpr auto body = [](T& t) {
    if (t.step++ == 0) {
      const bool low = t.lane() < 16;
      // The upper lanes call from two places: the mask says that they belong together.
      return t.warp(WarpOp::ReduceAdd, low ? 0xffffu : 0xffff0000u, low ? 1 : 2, 0, 0,
                    t.lane() % 2);
    }
    t.parameter<std::uint64_t*>()[t.lane()] = t.thread->result[0];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("apart");
  std::vector<std::uint64_t> out(32);
  CHECK(run(kernel, {1, 1, 1}, {32, 1, 1}, out.data()).empty());
  for (std::uint64_t i = 0; i < 32; ++i) CHECK(out[i] == (i < 16 ? 16 : 32));
}

TEST_CASE("a mask that names exited or missing lanes does not wait for them") {
  constexpr auto body = [](T& t) {
    if (t.step++ == 0) {
      if (t.lane() == 3) return t.exit();
      return t.warp(WarpOp::VoteBallot, ~0u, 1);
    }
    t.parameter<std::uint64_t*>()[t.lane()] = t.thread->result[0];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("missing");
  std::vector<std::uint64_t> out(8);
  CHECK(run(kernel, {1, 1, 1}, {8, 1, 1}, out.data()).empty());
  for (int i = 0; i < 8; ++i) CHECK(out[i] == (i == 3 ? 0 : 0xf7));
}

TEST_CASE("operations without a mask join the lanes that stand at the same place") {
  constexpr auto body = [](T& t) {
    // Lanes of the lower half reach place 2 only after place 1: all meet at place 2.
    if (t.step == 0 && t.lane() >= 16) ++t.step;
    auto* const out = t.parameter<std::uint64_t*>() + t.lane() * 2;
    switch (t.step++) {
      case 0:
        return t.warp(WarpOp::ActiveMask, 0, 0, 0, 0, 1);
      case 1:
        if (t.lane() < 16) out[0] = t.thread->result[0];
        return t.warp(WarpOp::ActiveMask, 0, 0, 0, 0, 2);
      default:
        out[1] = t.thread->result[0];
        t.exit();
    }
  };
  const Kernel kernel = suspending_kernel<body>("converge");
  std::vector<std::uint64_t> out(64);
  CHECK(run(kernel, {1, 1, 1}, {32, 1, 1}, out.data()).empty());
  for (int i = 0; i < 32; ++i) {
    CHECK(out[i * 2] == (i < 16 ? 0xffffu : 0));
    CHECK(out[i * 2 + 1] == 0xffffffffu);
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

TEST_CASE("a lane may spin until another lane of its warp lets it go on") {
  constexpr auto body = [](T& t) {
    // A lock: lane 31 takes part last.
    auto* const turn = t.parameter<std::atomic<int>*>();
    if (turn->load() != 31 - static_cast<int>(t.lane())) return t.yield();
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("lock");
  std::atomic<int> turn{0};
  CHECK(run(kernel, {1, 1, 1}, {32, 1, 1}, &turn).empty());
  CHECK(turn == 32);
}

TEST_CASE("blocks may wait for later blocks that a GPU would hold at the same time") {
  constexpr auto body = [](T& t) {
    auto* const turn = t.parameter<std::atomic<int>*>();
    if (turn->load() != 15 - static_cast<int>(t.block_x())) return t.yield();
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("backwards");
  std::atomic<int> turn{0};
  CHECK(run(kernel, {16, 1, 1}, {1, 1, 1}, &turn).empty());
  CHECK(turn == 16);
}

TEST_CASE("blocks may wait for earlier blocks in a grid of any size") {
  constexpr auto body = [](T& t) {
    auto* const turn = t.parameter<std::atomic<int>*>();
    if (turn->load() != static_cast<int>(t.block_x())) return t.yield();
    if (t.step++ == 0) return t.barrier();
    turn->fetch_add(1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("forwards");
  std::atomic<int> turn{0};
  CHECK(run(kernel, {5000, 1, 1}, {1, 1, 1}, &turn).empty());
  CHECK(turn == 5000);
}

TEST_CASE("all blocks of a cooperative launch are resident at once") {
  constexpr auto body = [](T& t) {
    auto* const arrived = t.parameter<std::atomic<int>*>();
    // Ten rounds of a barrier over the grid.
    if (t.r[0] == 0) {
      arrived->fetch_add(1);
      t.r[0] = 1;
    }
    const int target = static_cast<int>(t.thread->block->launch->grid.x) * (t.step + 1) * 4;
    if (arrived->load() < target) return t.yield();
    t.r[0] = 0;
    if (++t.step < 10) return t.yield();
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("cooperative");
  Faults faults;
  Stream stream(0, faults);
  std::atomic<int> arrived{0};
  LaunchRequest launch = request(kernel, {300, 1, 1}, {4, 1, 1}, pack(&arrived));
  launch.cooperative = true;
  stream.launch(launch);
  stream.synchronize();
  CHECK(faults.all().empty());
  CHECK(arrived == 300 * 4 * 10);
}

TEST_CASE("a cooperative launch finds a zeroed barrier through its environment registers") {
  constexpr auto body = [](T& t) {
    const auto& regs = t.thread->block->launch->env_regs;
    const auto* const workspace = reinterpret_cast<const std::uint32_t*>(regs[1] << 32 | regs[2]);
    t.parameter<std::uint32_t*>()[0] = workspace[0];
    t.parameter<std::uint32_t*>()[1] = workspace[1];
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("workspace");
  Faults faults;
  Stream stream(0, faults);
  std::uint32_t words[2] = {0, 1};
  LaunchRequest launch = request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&words[0]));
  launch.cooperative = true;
  stream.launch(launch);
  stream.synchronize();
  CHECK(words[0] >= 8);
  CHECK(words[1] == 0);
}

TEST_CASE("a kernel that spins for another stream or for the host lets both go on") {
  constexpr auto body = [](T& t) {
    if (t.parameter<std::atomic<int>*>()->load() == 0) return t.yield();
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("poll");
  Faults faults;
  std::atomic<int> from_host{0}, from_stream{0};
  // More spinning blocks than there are workers.
  Stream first(0, faults), second(0, faults), third(0, faults);
  first.launch(request(kernel, {40, 1, 1}, {32, 1, 1}, pack(&from_host)));
  second.launch(request(kernel, {40, 1, 1}, {32, 1, 1}, pack(&from_stream)));
  third.enqueue([&] { from_stream = 1; });
  second.synchronize();
  CHECK_FALSE(first.idle());
  from_host = 1;
  first.synchronize();
  CHECK(faults.all().empty());
}

TEST_CASE("each block has its own shared memory, zero or more bytes") {
  constexpr auto body = [](T& t) {
    auto* const shared = reinterpret_cast<std::uint32_t*>(t.thread->block->shared);
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
