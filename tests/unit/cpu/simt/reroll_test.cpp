// SPDX-License-Identifier: MIT
// Sparse rows, a warp for each, in loops that were unrolled: a few trips, then four at a time.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::testing::vectors;

namespace {

/// What differs between such kernels.
struct Unrolled {
  bool clamped = true;         ///< trips are counted by max(j + 32, end)
  bool floats = true;          ///< what is summed up
  std::string third = "+0";    ///< where the third of four trips reads: +0 as the others go on
  std::string fourth = "fma";  ///< what the fourth trip does to the sum of floats
};

std::string trip(const Unrolled& form, const std::string& place, const std::string& last) {
  const std::string load =
      "ld.global.u32 %c, [%cols" + place + "]; mul.wide.s32 %rd8, %c, 4; add.s64 %rd8, %rd8, %x;";
  if (!form.floats)
    return load + "ld.global.u32 %r6, [%rd8]; ld.global.u32 %r7, [%vals" + place +
           "]; mad.lo.u32 %r6, %r6, %r7, 5; mad.lo.u32 %sum, %sum, 3, %r6;\n";
  return load + "ld.global.f32 %f1, [%rd8]; ld.global.f32 %f2, [%vals" + place + "];" +
         (last == "fma" ? "fma.rn.f32 %fsum, %f1, %f2, %fsum;\n"
                        : "mul.f32 %f1, %f1, %f2; " + last + " %fsum, %f1, %fsum;\n");
}

/// Each warp's row: y[thread] = what the thread sums up of it, mixed with its neighbour's.
std::string kernel(const Unrolled& form) {
  return R"(
.visible .entry k(.param .u64 ptr, .param .u64 col, .param .u64 val, .param .u64 xs,
                  .param .u64 out, .param .u32 rows) {
  .reg .b64 %rd<9>, %cols, %vals, %x, %colp, %valp; .reg .pred %p; .reg .f32 %f<3>, %fsum;
  .reg .b32 %r<12>, %rows, %row, %lane, %j, %end, %start, %span, %trips, %few, %sum, %c;
  ld.param.u64 %rd1, [ptr]; ld.param.u64 %colp, [col]; ld.param.u64 %valp, [val];
  ld.param.u64 %x, [xs]; ld.param.u64 %rd2, [out]; ld.param.u32 %rows, [rows];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
  shr.u32 %row, %r4, 5; and.b32 %lane, %r3, 31; setp.ge.s32 %p, %row, %rows; @%p bra DONE;
  mul.wide.s32 %rd3, %row, 4; add.s64 %rd3, %rd3, %rd1; ld.global.u32 %start, [%rd3];
  ld.global.u32 %end, [%rd3+4]; add.s32 %j, %start, %lane;
  mov.u32 %sum, 0; mov.f32 %fsum, 0f00000000; setp.ge.s32 %p, %j, %end; @%p bra SUMMED;
  )" +
         std::string(form.clamped ? "add.s32 %r5, %j, 32; max.s32 %r5, %r5, %end;"
                                  : "mov.u32 %r5, %end;") +
         R"(
  not.b32 %r8, %lane; add.s32 %r5, %r5, %r8; sub.s32 %span, %r5, %start;
  shr.u32 %trips, %span, 5; add.s32 %trips, %trips, 1; and.b32 %few, %trips, 3;
  setp.eq.s32 %p, %few, 0; @%p bra MANY;
  mul.wide.s32 %rd4, %j, 4; add.s64 %cols, %colp, %rd4; add.s64 %vals, %valp, %rd4;
FEW: )" + trip(form, "", "fma") +
         R"(
  add.s32 %j, %j, 32; add.s64 %cols, %cols, 128; add.s64 %vals, %vals, 128;
  add.s32 %few, %few, -1; setp.ne.s32 %p, %few, 0; @%p bra FEW;
MANY: setp.lt.u32 %p, %span, 96; @%p bra SUMMED;
  mul.wide.s32 %rd4, %j, 4; add.s64 %rd4, %rd4, 256;
  add.s64 %cols, %colp, %rd4; add.s64 %vals, %valp, %rd4;
FOUR: )" +
         trip(form, "+-256", "fma") + trip(form, "+-128", "fma") + trip(form, form.third, "fma") +
         trip(form, "+128", form.fourth) + R"(
  add.s64 %cols, %cols, 512; add.s64 %vals, %vals, 512; add.s32 %j, %j, 128;
  setp.lt.s32 %p, %j, %end; @%p bra FOUR;
SUMMED: )" +
         std::string(form.floats ? "mov.b32 %sum, %fsum;" : "") + R"(
  shfl.sync.down.b32 %r5, %sum, 1, 31, -1; mad.lo.u32 %sum, %sum, 5, %r5;
  mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %sum;
DONE: ret; })";
}

Options whole_warps() {
  Options options = vectors(true);
  options.forms = Forms(Form::Gangs) | Form::Threads;
  return options;
}

bool is_rolled(const Unrolled& form) {
  Options likely = vectors(true);
  likely.forms = std::nullopt;
  auto plan = describe_plan(module_of(kernel(form)), "k", {64}, likely);
  REQUIRE(plan.ok());
  return plan->find("go trip by trip") != std::string::npos;
}

/// Rows of these lengths whose first element has the number `first`.
void check(LoadedModule& module, const std::vector<std::uint32_t>& lengths, std::uint32_t block,
           std::int32_t first = 0) {
  const auto rows = static_cast<std::uint32_t>(lengths.size());
  const std::uint32_t blocks = (rows * 32 + block - 1) / block, threads = blocks * block;
  std::vector<std::int32_t> starts{first};
  std::size_t elements = 0;
  for (const std::uint32_t length : lengths) {
    elements += length;
    starts.push_back(first + static_cast<std::int32_t>(elements));
  }
  std::vector<std::uint32_t> columns(elements), found(threads, 7), expected(threads, 7);
  std::vector<float> values(elements), x(64);
  for (std::size_t i = 0; i < elements; ++i) {
    columns[i] = static_cast<std::uint32_t>(i) * 2654435761u >> 26;
    values[i] = static_cast<float>(i % 97) - 40.25f;
    // NaNs of many kinds become one.
    if (i % 211 == 210) values[i] = std::numeric_limits<float>::infinity();
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.3f - 7;
  const auto from = [&](auto& array) {
    return reinterpret_cast<std::uintptr_t>(array.data()) -
           static_cast<std::uintptr_t>(static_cast<std::int64_t>(first) * 4);
  };
  const auto run = [&](std::vector<std::uint32_t>& out) {
    module.run("k", {blocks}, {block}, starts.data(), from(columns), from(values), x.data(),
               out.data(), rows);
  };
  run(found);
  module.thread_by_thread = true;
  run(expected);
  module.thread_by_thread = false;
  CHECK_MESSAGE(found == expected, rows << " rows from " << first << ", blocks of " << block);
}

}  // namespace

TEST_CASE("sparse rows of warps of any length, in loops that were unrolled") {
  std::vector<std::uint32_t> all, ragged;
  for (std::uint32_t length = 0; length < 300; ++length) all.push_back(length);
  for (std::uint32_t i = 0; i < 77; ++i) ragged.push_back(i * 2654435761u % 211 * (i % 5 != 0));
  for (const bool clamped : {false, true}) {
    for (const bool floats : {false, true}) {
      const std::string text = kernel({clamped, floats});
      CHECK(is_rolled({clamped, floats}));
      LoadedModule whole(text, whole_warps()), any(text);
      for (const auto& lengths : {all, ragged}) {
        check(whole, lengths, 64);
        check(whole, lengths, 256);
        check(any, lengths, 64);
        check(any, lengths, 72);
      }
    }
  }
}

TEST_CASE("rows whose indices would wrap run their loops as they were unrolled") {
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
  for (const bool clamped : {false, true}) {
    LoadedModule module(kernel({clamped, true}), whole_warps());
    for (const std::int32_t first : {last - 700, last - 470, -1, -200}) {
      check(module, {20, 100, 3, 129, 64, 0, 33}, 64, first);
      check(module, {200, 147}, 64, first);
    }
  }
}

TEST_CASE("loops whose rounds are not four trips of the first stay as they are") {
  const std::vector<std::uint32_t> lengths{300, 1, 0, 129, 128, 127, 64, 200};
  for (const Unrolled& form : {Unrolled{true, true, "+4"}, Unrolled{true, false, "+-128"},
                               Unrolled{true, true, "+0", "add.f32"}}) {
    CHECK_FALSE(is_rolled(form));
    LoadedModule module(kernel(form), whole_warps());
    check(module, lengths, 64);
  }
}
