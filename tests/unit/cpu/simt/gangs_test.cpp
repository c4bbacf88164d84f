// SPDX-License-Identifier: MIT
// The vector path against the scalar one: the same kernels must give the same bits.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/env.h"
#include "unit/cpu/kernel_run.h"
#include "unit/cpu/simt/random_kernel.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::RandomKernel;

namespace {

Options vectors(bool wanted) {
  Options options;
  options.vectors = wanted;
  return options;
}

struct Outcome {
  std::vector<std::uint32_t> out, bins;
  bool operator==(const Outcome&) const = default;
};

Outcome run(LoadedModule& module, Dim3 grid, Dim3 block, std::uint32_t n) {
  std::vector<std::uint32_t> in(1024 + 4);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u ^ (i << 7);
  const std::uint32_t threads = grid.x * block.x * block.y * block.z;
  Outcome outcome{std::vector<std::uint32_t>(std::size_t{16} * threads + 64, 0xabababab),
                  std::vector<std::uint32_t>(64)};
  module.run("k", grid, block, in.data(), outcome.out.data(), outcome.bins.data(), n);
  return outcome;
}

}  // namespace

/// Runs random kernels on both paths; how many of them had a vector form.
long long compare(bool warps, long long first, long long count) {
  long long widened = 0;
  for (long long seed = first; seed < first + count; ++seed) {
    const std::string text =
        RandomKernel(static_cast<std::uint64_t>(seed)).text(seed % 3 == 0, warps);
    LoadedModule scalar(text, vectors(false));
    LoadedModule vector(text, vectors(true));
    if (vector.kernel("k").facts.gang_lanes == 0) {
      MESSAGE(seed << " stays scalar: " << vector.kernel("k").facts.scalar_reason);
      continue;
    }
    ++widened;
    for (const auto& [grid, block, n] :
         {std::tuple{Dim3{2}, Dim3{64}, 128u}, std::tuple{Dim3{3}, Dim3{72}, 200u},
          std::tuple{Dim3{2}, Dim3{250}, 470u}, std::tuple{Dim3{2}, Dim3{16, 4}, 120u},
          std::tuple{Dim3{2}, Dim3{9, 5}, 77u}, std::tuple{Dim3{2}, Dim3{32, 3}, 171u},
          std::tuple{Dim3{1}, Dim3{1000}, 999u}}) {
      const bool same = run(scalar, grid, block, n) == run(vector, grid, block, n);
      CHECK_MESSAGE(same, "seed " << seed << ", block " << block.x << " x " << block.y);
      if (!same) break;
    }
  }
  return widened;
}

TEST_CASE("random kernels compute the same bits on the scalar and on the vector path") {
  const auto count = pycuda::base::environment_number("PYCUDA_TEST_KERNELS").value_or(30);
  const auto first = pycuda::base::environment_number("PYCUDA_TEST_FIRST_KERNEL").value_or(0);
  CHECK(compare(false, first, count) * 10 >= count * 8);
}

TEST_CASE("random kernels with warp operations compute the same bits on both paths") {
  const auto count = pycuda::base::environment_number("PYCUDA_TEST_KERNELS").value_or(30);
  const auto first = pycuda::base::environment_number("PYCUDA_TEST_FIRST_KERNEL").value_or(0);
  CHECK(compare(true, first, count) * 10 >= count * 8);
}

TEST_CASE("a kernel without barriers runs its gangs in a loop, one with barriers suspends them") {
  LoadedModule module(R"(
.visible .entry plain() { ret; }
.visible .entry waits() { bar.sync 0; ret; }
.visible .entry votes() { .reg .b32 %r; activemask.b32 %r; ret; }
.visible .entry parted() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 7;
  @%p bar.sync 0; ret; }
)",
                      vectors(true));
  CHECK((module.kernel("plain").run_gangs != nullptr));
  CHECK((module.kernel("waits").start_gang != nullptr));
  CHECK((module.kernel("waits").start_tail != nullptr));
  CHECK(module.kernel("votes").facts.gang_lanes == 32);
  CHECK(module.kernel("votes").facts.gangs_are_warps);
  CHECK(module.kernel("parted").facts.scalar_reason == "a barrier in divergent control flow");
}

TEST_CASE("a fault in a gang is reported, with a thread of the gang") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r; .reg .pred %p;
  ld.param.u64 %rd1, [out]; mov.u32 %r, %tid.x;
  mul.wide.u32 %rd2, %r, 4; add.u64 %rd2, %rd2, %rd1; setp.eq.u32 %p, %r, 70;
  @%p mov.u64 %rd2, 64;
  st.global.u32 [%rd2], %r; ret;
}
.visible .entry t() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, %tid.x; setp.eq.u32 %p, %r, 70; @%p trap; ret; }
)",
                      vectors(true));
  std::vector<std::uint32_t> out(128);
  const auto fault = module.fault_of("k", {1}, {128}, out.data());
  REQUIRE(fault.has_value());
  const auto trap = module.fault_of("t", {1}, {128});
  REQUIRE(trap.has_value());
  CHECK_MESSAGE(trap->message.find("(70, 0, 0)") != std::string::npos, trap->message);
}

TEST_CASE("what lanes call one by one, they call in order and under their own number") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .u64 next) {
  .reg .b64 %rd<5>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [next]; mov.u32 %r1, %tid.x;
  atom.global.add.u32 %r2, [%rd2], 1;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r2; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(77), expected(77);
  std::uint32_t next = 0;
  std::iota(expected.begin(), expected.end(), 0u);
  module.run("k", {1}, {77}, out.data(), &next);
  CHECK(out == expected);
}

TEST_CASE("a misaligned access of one lane is found") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .u64 wrong) {
  .reg .b64 %rd<4>; .reg .b32 %r<2>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd3, [wrong]; mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4; setp.eq.u32 %p, %r1, 21; @%p add.u64 %rd2, %rd2, %rd3; add.u64 %rd2, %rd2, %rd1;
  st.global.u32 [%rd2], %r1; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(65);
  module.run("k", {1}, {64}, out.data(), std::uint64_t{0});
  CHECK(out[21] == 21);
  const auto fault = module.fault_of("k", {1}, {64}, out.data(), std::uint64_t{2});
  REQUIRE(fault.has_value());
  CHECK_MESSAGE(fault->message.find("(21, 0, 0)") != std::string::npos, fault->message);
}

TEST_CASE("an or that is a sum only where the guard says so, with lane 0 outside of the guard") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
  sub.u32 %r2, 31, %r1; setp.ge.u32 %p, %r2, 16; @%p ret;
  or.b32 %r3, %r2, 16;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1; st.global.u32 [%rd2], %r1; ret;
})",
                      vectors(true));
  std::vector<std::uint32_t> out(64, 7), expected(64, 7);
  for (std::uint32_t tid = 16; tid < 32; ++tid) expected[31 - tid + 16] = tid;
  module.run("k", {1}, {32}, out.data());
  CHECK(out == expected);
  std::fill(out.begin(), out.end(), 7u);
  std::fill(expected.begin(), expected.end(), 7u);
  for (std::uint32_t tid = 16; tid < 21; ++tid) expected[31 - tid + 16] = tid;
  module.run("k", {1}, {21}, out.data());
  CHECK(out == expected);
}
