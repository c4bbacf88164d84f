// SPDX-License-Identifier: MIT
// Warp operations of hand-made threads: what they give, and who takes part.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {

using namespace tests;
using T = HandThread;

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

}  // namespace pycuda::cpu::exec
