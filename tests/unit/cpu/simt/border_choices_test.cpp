// SPDX-License-Identifier: MIT
// Neighbours whose index wraps round or is clamped at a border: rows where no lane is at one.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

/// Thread x of row y, of n threads a row, adds up in[y * n + %left] and in[y * n + %right].
std::string kernel(const std::string& choices) {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 m) {
  .reg .b64 %in, %out, %a; .reg .b32 %n, %m, %x, %y, %i, %left, %right, %last, %r<4>;
  .reg .pred %p, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; ld.param.u32 %m, [m];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %x, %r0, %r1, %r2;
  mov.u32 %r0, %ctaid.y; mov.u32 %r1, %ntid.y; mov.u32 %r2, %tid.y; mad.lo.u32 %y, %r0, %r1, %r2;
  setp.ge.s32 %p, %x, %n; @%p ret; mul.lo.s32 %r3, %y, %n; add.s32 %i, %r3, %x;
  add.s32 %last, %n, -1;
)" + choices +
         R"(
  add.s32 %left, %left, %r3; mul.wide.s32 %a, %left, 4; add.u64 %a, %a, %in;
  ld.global.u32 %left, [%a];
  add.s32 %right, %right, %r3; mul.wide.s32 %a, %right, 4; add.u64 %a, %a, %in;
  ld.global.u32 %right, [%a]; mad.lo.u32 %left, %left, 3, %right;
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %left; ret; })";
}

const std::string wrapped = R"(
  setp.eq.s32 %p, %x, 0; add.s32 %left, %x, -1; selp.b32 %left, %last, %left, %p;
  add.s32 %right, %x, 1; setp.lt.s32 %p, %right, %n; selp.b32 %right, %right, 0, %p;
)";

const std::string clamped = R"(
  add.s32 %left, %x, -5; max.s32 %left, %left, 0; add.s32 %right, %x, 3;
  min.s32 %right, %right, %last;
)";

/// Which lanes are at a border depends on a parameter, and in part on two conditions.
const std::string moved = R"(
  setp.ne.u32 %p, %x, %m; add.s32 %left, %x, 2; selp.b32 %left, %left, %x, %p;
  rem.s32 %left, %left, %n; setp.gt.s32 %p, %x, 20; setp.lt.and.s32 %q, %x, %last, %p;
  add.s32 %right, %x, 1; selp.b32 %right, %right, 7, %q; min.s32 %right, %right, %last;
)";

/// What each lane takes depends on data: no border.
const std::string by_data = R"(
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %in; ld.global.u32 %left, [%a];
  setp.lt.s32 %p, %left, 0; selp.b32 %left, %x, 0, %p; min.u32 %right, %left, %last;
)";

void check(const std::string& choices) {
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    LoadedModule module(kernel(choices), gangs_of(lanes));
    for (const Dim3& block : {Dim3{64}, Dim3{16, 4}, Dim3{32, 4}, Dim3{20, 3}}) {
      for (const std::uint32_t n : {1u, 7u, 64u, 100u, 160u}) {
        for (const std::uint32_t m : {0u, 15u, 16u, 99u}) {
          const Dim3 grid{(n + block.x - 1) / block.x, 2, 1};
          const std::size_t size = std::size_t{n} * block.y * grid.y;
          std::vector<std::uint32_t> in(size), found(size, 7), expected(size, 7);
          for (std::uint32_t i = 0; i < size; ++i) in[i] = i * 2654435761u;
          module.thread_by_thread = false;
          module.run("k", grid, block, in.data(), found.data(), n, m);
          module.thread_by_thread = true;
          module.run("k", grid, block, in.data(), expected.data(), n, m);
          CHECK_MESSAGE(found == expected, lanes << " lanes, block " << block.x << " x " << block.y
                                                 << ", n " << n << ", m " << m);
        }
      }
    }
  }
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("neighbours that wrap round, are clamped, or lie at a border that moves") {
  for (const std::string& choices : {wrapped, clamped, moved, by_data}) check(choices);
}

TEST_CASE("neighbours are contiguous where no lane of a gang is at a border") {
  for (const std::string& choices : {wrapped, clamped}) {
    for (const Dim3& block : {Dim3{64}, Dim3{16, 4}}) {
      const auto plan = describe_plan(module_of(kernel(choices)), "k", block, {});
      REQUIRE(plan);
      CHECK_MESSAGE(count(*plan, "gather: tested at run time") >= 2, *plan);
      CHECK_MESSAGE(count(*plan, "lane for lane") == 0, *plan);
    }
  }
  const auto plan = describe_plan(module_of(kernel(by_data)), "k", {64}, {});
  REQUIRE(plan);
  CHECK_MESSAGE(count(*plan, "tested at run time") == 0, *plan);
}
