// SPDX-License-Identifier: MIT
// How wide gangs are, by what their threads wait for.
#include <string>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::module_of;

namespace {

/// `row` computes %r3, the row of the thread.
std::string head(const std::string& row) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<40>; .reg .b32 %r<40>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; )" +
         row + R"( mad.lo.u32 %r4, %r3, 16, %r2;
  mul.wide.u32 %rd3, %r4, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r5, [%rd4];
)";
}

constexpr const char* one_row = "mov.u32 %r3, 0;";
constexpr const char* rows = "mov.u32 %r3, %tid.y;";

constexpr const char* tail = " st.global.u32 [%rd1], %r5; ret; }";

/// From element to element: in[i] is read where the element before said, as often as `condition`
/// says.
std::string walk(const std::string& condition) {
  return module_of(head(one_row) + R"(
  mov.u32 %r6, 0;
NEXT:
  and.b32 %r7, %r5, 1023; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd5, %rd2;
  ld.global.u32 %r5, [%rd5]; add.u32 %r6, %r6, 1; )" +
                   condition + " @%p1 bra NEXT;" + tail);
}

std::string plan_of(const std::string& text, const Dim3& block) {
  const auto plan = describe_plan(text, "k", block, {});
  REQUIRE(plan);
  return *plan;
}

}  // namespace

TEST_CASE("searches have the widest gangs, other walks from element to element wide ones") {
  const std::string search = plan_of(walk("setp.ne.u32 %p1, %r5, 7;"), {256});
  const bool has_long_registers = search.find("AVX-512") != std::string::npos;
  if (has_long_registers) CHECK_MESSAGE(search.find("gangs of 64") != std::string::npos, search);
  CHECK_MESSAGE(search.find("gangs of 16") == std::string::npos, search);
  const std::string counted = plan_of(walk("setp.lt.u32 %p1, %r6, %r1;"), {256});
  if (has_long_registers) CHECK_MESSAGE(counted.find("gangs of 32") != std::string::npos, counted);
  CHECK_MESSAGE(counted.find("gangs of 16") == std::string::npos, counted);
}

TEST_CASE("what reads two elements for each that it writes has narrow gangs") {
  const std::string text = module_of(head(one_row) + R"(
  ld.global.u32 %r6, [%rd4+4096]; add.u32 %r5, %r5, %r6;)" +
                                     tail);
  const std::string plan = plan_of(text, {256});
  CHECK_MESSAGE(plan.find("gangs of 16") != std::string::npos, plan);
}

TEST_CASE("tiles that gather much have two rows") {
  const auto gathers = [](unsigned count) {
    std::string text = head(rows);
    for (unsigned i = 0; i < count; ++i)
      text +=
          "and.b32 %r7, %r5, 1023; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd5, %rd2;"
          "ld.global.u32 %r8, [%rd5]; add.u32 %r5, %r5, %r8;";
    return module_of(text + tail);
  };
  const std::string much = plan_of(gathers(14), {16, 16});
  CHECK_MESSAGE(much.find("tiles of 16 x 2") != std::string::npos, much);
  const std::string little = plan_of(gathers(3), {16, 16});
  CHECK_MESSAGE(little.find("tiles of 16 x 4") != std::string::npos, little);
}

namespace {

std::string number(unsigned i) { return std::to_string(i); }

bool has_gangs_of(const std::string& plan, unsigned lanes) {
  return plan.find("gangs of " + number(lanes) + " threads") != std::string::npos;
}

/// Adds up `count` elements, each of a row of its own.
std::string sum_of_rows(unsigned count) {
  std::string text = head(one_row);
  for (unsigned i = 1; i < count; ++i)
    text += "ld.global.u32 %r6, [%rd4+" + number(4096 * i) + "]; add.u32 %r5, %r5, %r6;\n";
  return module_of(text + tail);
}

/// Loads `held` numbers and multiplies them all by each of n others.
std::string products(unsigned held) {
  std::string text = head(one_row) + ".reg .f32 %f<40>; mov.f32 %f0, 0f00000000; mov.u32 %r6, 0;\n";
  for (unsigned i = 1; i <= held; ++i)
    text += "ld.global.f32 %f" + number(i) + ", [%rd4+" + number(4096 * i) + "];\n";
  text +=
      "NEXT: mul.wide.u32 %rd5, %r6, 4; add.u64 %rd5, %rd5, %rd2; ld.global.f32 %f39, [%rd5];\n";
  for (unsigned i = 1; i <= 20; ++i)
    text += "fma.rn.f32 %f0, %f" + number(i % held + 1) + ", %f39, %f0;\n";
  return module_of(text +
                   "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra NEXT;"
                   "mov.b32 %r5, %f0;" +
                   tail);
}

}  // namespace

TEST_CASE("what reads more rows than a processor fetches ahead has narrow gangs") {
  const std::string many = plan_of(sum_of_rows(24), {256});
  CHECK_MESSAGE(has_gangs_of(many, 16), many);
  const std::string few = plan_of(sum_of_rows(12), {256});
  CHECK_MESSAGE(!has_gangs_of(few, 16), few);
}

TEST_CASE("loops over the grid have wide gangs, and fetch what they read next") {
  const auto moves = [](const std::string& step) {
    return module_of(R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %nctaid.x;
  mad.lo.u32 %r2, %r3, %r4, %r2; )" +
                     step + R"(
NEXT:
  setp.ge.s32 %p, %r2, %r1; @%p ret;
  mul.wide.s32 %rd3, %r2, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2;
  st.global.f32 [%rd5], %f1; add.s32 %r2, %r2, %r6;
  bra NEXT; })");
  };
  const char* const fetched = "what a later trip reads is fetched now";
  const std::string over_grid = plan_of(moves("mul.lo.u32 %r6, %r3, %r5;"), {256});
  CHECK_MESSAGE(has_gangs_of(over_grid, 64), over_grid);
  CHECK_MESSAGE(over_grid.find(fetched) != std::string::npos, over_grid);
  const std::string elsewhere = plan_of(moves("mov.u32 %r6, 5000;"), {256});
  CHECK_MESSAGE(has_gangs_of(elsewhere, 16), elsewhere);
  CHECK_MESSAGE(elsewhere.find(fetched) == std::string::npos, elsewhere);
}

TEST_CASE("computing integers is no moving of memory") {
  const auto hash = [](unsigned steps) {
    std::string text = head(one_row) + "ld.global.u32 %r6, [%rd4+4096];";
    for (unsigned i = 0; i < steps; ++i) text += "mul.lo.u32 %r5, %r5, %r6; xor.b32 %r5, %r5, 77;";
    return module_of(text + tail);
  };
  const std::string some = plan_of(hash(4), {256});
  CHECK_MESSAGE(has_gangs_of(some, 32), some);
  const std::string much = plan_of(hash(12), {256});
  CHECK_MESSAGE(has_gangs_of(much, 64), much);
}

TEST_CASE("numbers that a loop holds in registers have room there") {
  const std::string many = plan_of(products(16), {256});
  CHECK_MESSAGE(!has_gangs_of(many, 64), many);
  if (many.find("AVX-512") == std::string::npos) return;
  CHECK_MESSAGE(has_gangs_of(many, 32), many);
  const std::string few = plan_of(products(4), {256});
  CHECK_MESSAGE(has_gangs_of(few, 64), few);
}

TEST_CASE("tiles that gather much have two rows before it is asked whether they fit registers") {
  std::string text = head(rows) + ".reg .f32 %f<40>; mov.f32 %f20, 0f00000000;";
  for (unsigned i = 0; i < 14; ++i)
    text +=
        "and.b32 %r7, %r5, 1023; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd5, %rd2;"
        "ld.global.u32 %r5, [%rd5]; cvt.rn.f32.u32 %f" +
        number(i) + ", %r5;\n";
  for (unsigned i = 0; i < 14; ++i)
    text += "fma.rn.f32 %f20, %f20, 0f3F000000, %f" + number(i) + ";";
  const std::string plan = plan_of(module_of(text + "mov.b32 %r5, %f20;" + tail), {16, 16});
  if (plan.find("AVX-512") == std::string::npos) return;
  CHECK_MESSAGE(plan.find("tiles of 16 x 2") != std::string::npos, plan);
}
