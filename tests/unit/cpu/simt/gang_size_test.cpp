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
