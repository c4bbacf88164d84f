// SPDX-License-Identifier: MIT
// Arrays in local memory, which lie element by element where a gang's threads share an index.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

constexpr std::uint32_t count = 200;

/// Thread i has in[i] in %r5 and an array of 64 bytes; `body` leaves its result in %r9.
std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .local .align 16 .b8 array[64];
  .reg .b64 %rd<20>; .reg .b32 %r<30>; .reg .b16 %h<9>; .reg .f64 %d<4>; .reg .pred %p<6>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r2, %r1; @%p1 ret;
  mul.wide.s32 %rd3, %r2, 4; add.s64 %rd4, %rd3, %rd2; add.s64 %rd3, %rd3, %rd1;
  mov.u64 %rd5, array; ld.global.u32 %r5, [%rd4]; mov.u32 %r9, 0; mov.u32 %r6, 0;
)" + body +
         "st.global.u32 [%rd3], %r9; ret; }";
}

/// Element %r6 = 0 to 15 is in[i] * (%r6 + 1) + %r6.
const std::string filled = R"(
FILL: mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd6, %rd5; add.u32 %r7, %r6, 1;
  mad.lo.u32 %r7, %r7, %r5, %r6; st.local.u32 [%rd6], %r7;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 16; @%p2 bra FILL;
)";

/// The sum of element 0 and others, in an order that `step` says, each times 3.
std::string summed(const char* step) {
  return std::string("mov.u32 %r6, 0; mov.u32 %r8, 0;") +
         "SUM: and.b32 %r7, %r6, 15; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd6, %rd6, %rd5;"
         "ld.local.u32 %r7, [%rd6]; mad.lo.u32 %r9, %r9, 3, %r7;" +
         step + "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 24; @%p2 bra SUM;";
}

std::string plan_of(const std::string& text) {
  const auto plan = describe_plan(module_of(text), "k", {256}, {});
  return plan ? *plan : std::string("no plan");
}

/// Whether the plan has a line with all of these.
bool has_line(const std::string& plan, const std::string& one, const std::string& other) {
  for (std::size_t at = plan.find(one); at != std::string::npos; at = plan.find(one, at + 1)) {
    const std::size_t end = plan.find('\n', at);
    if (plan.substr(at, end - at).find(other) != std::string::npos) return true;
  }
  return false;
}

/// Gangs compute what threads do one by one.
void compare(const std::string& text) {
  std::vector<std::uint32_t> in(count + 64);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> 7;
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    REQUIRE(module.kernel("k").facts.gang_lanes != 0);
    const auto run = [&](bool alone) {
      std::vector<std::uint32_t> out(count + 64, 7);
      module.thread_by_thread = alone;
      module.run("k", {2}, {128}, out.data(), in.data(), count);
      return out;
    };
    CHECK_MESSAGE(run(false) == run(true), lanes << " lanes: " << text);
  }
}

}  // namespace

TEST_CASE("elements whose index all threads share are vectors") {
  const std::string text = kernel(filled + summed("add.u32 %r6, %r6, 5;"));
  const std::string plan = plan_of(text);
  CHECK_MESSAGE(has_line(plan, "st.local.u32", "contiguous"), plan);
  CHECK_MESSAGE(has_line(plan, "ld.local.u32", "contiguous"), plan);
  compare(text);
}

TEST_CASE("elements whose index is each thread's own are found among all threads' elements") {
  const std::string text = kernel(filled + summed("add.u32 %r6, %r6, %r5;"));
  const std::string plan = plan_of(text);
  CHECK_MESSAGE(has_line(plan, "st.local.u32", "contiguous"), plan);
  CHECK_MESSAGE(has_line(plan, "ld.local.u32", "gather"), plan);
  compare(text);
}

TEST_CASE("threads that pass by leave their elements alone") {
  compare(kernel(filled + R"(
    and.b32 %r10, %r5, 1; setp.eq.u32 %p3, %r10, 0; mov.u32 %r6, 3;
    mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd6, %rd5;
    @%p3 st.local.u32 [%rd6], %r10; @!%p3 st.local.u32 [%rd6+8], %r10;
  )" + summed("add.u32 %r6, %r6, 1;")));
}

TEST_CASE("large elements are put together from small ones") {
  const std::string text = kernel(filled + R"(
    mov.u32 %r6, 0;
    TWO: mul.wide.u32 %rd6, %r6, 8; add.s64 %rd6, %rd6, %rd5; ld.local.u64 %rd7, [%rd6];
    mul.lo.u64 %rd7, %rd7, 1000003; st.local.u64 [%rd6], %rd7; cvt.u32.u64 %r7, %rd7;
    xor.b32 %r9, %r9, %r7; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 8; @%p2 bra TWO;
    ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5+16]; ld.local.f64 %d1, [%rd5+40];
    add.u32 %r9, %r9, %r10; xor.b32 %r9, %r9, %r13; mov.b64 %rd8, %d1; cvt.u32.u64 %r7, %rd8;
    add.u32 %r9, %r9, %r7;
  )" + summed("add.u32 %r6, %r6, 1;"));
  CHECK(has_line(plan_of(text), "ld.local.u64", "contiguous"));
  compare(text);
}

TEST_CASE("arrays of bytes and halves lie element by element, but not among words") {
  const auto of = [](const char* type, const char* bytes) {
    return kernel(std::string("mov.u32 %r6, 0; FILL: mul.wide.u32 %rd6, %r6, ") + bytes +
                  "; add.s64 %rd6, %rd6, %rd5; mad.lo.u32 %r7, %r6, 77, %r5; cvt.u16.u32 %h1, %r7;"
                  "st.local." +
                  type + " [%rd6], %h1; xor.b32 %r7, %r6, 1; mul.wide.u32 %rd6, %r7, " + bytes +
                  "; add.s64 %rd6, %rd6, %rd5; setp.ge.u32 %p3, %r6, 2; @%p3 ld.local." + type +
                  " %h2, [%rd6+-2]; cvt.u32.u16 %r7, %h2; @%p3 mad.lo.u32 %r9, %r9, 3, %r7;"
                  "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 16; @%p2 bra FILL;");
  };
  for (const std::string& text : {of("u8", "1"), of("u16", "2")}) {
    const std::string plan = plan_of(text);
    CHECK_MESSAGE(has_line(plan, "st.local", "contiguous"), plan);
    compare(text);
  }
  const std::string mixed =
      kernel(filled +
             "ld.local.u8 %h1, [%rd5+7]; cvt.u32.u16 %r9, %h1; ld.local.u64 %rd7, [%rd5];"
             "cvt.u32.u64 %r7, %rd7; add.u32 %r9, %r9, %r7;");
  CHECK_FALSE(has_line(plan_of(mixed), "st.local.u32", "contiguous"));
  compare(mixed);
}

TEST_CASE("pointers that take one of several places, or walk") {
  compare(kernel(filled + R"(
    add.s64 %rd7, %rd5, 8; setp.gt.u32 %p3, %r5, 100000; selp.b64 %rd7, %rd7, %rd5, %p3;
    mov.u32 %r8, 0;
    WALK: ld.local.u32 %r7, [%rd7+4]; mad.lo.u32 %r9, %r9, 3, %r7; add.s64 %rd7, %rd7, 12;
    add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 4; @%p2 bra WALK;
  )"));
  compare(kernel(filled + R"(
    mov.u64 %rd7, %rd5; setp.gt.u32 %p3, %r5, 100000; @%p3 bra LATER; bra WALK;
    LATER: add.s64 %rd7, %rd5, 16; mov.u32 %r9, 5;
    WALK: ld.local.u32 %r7, [%rd7+4]; mad.lo.u32 %r9, %r9, 3, %r7; ld.local.u32 %r7, [%rd5+12];
    add.u32 %r9, %r9, %r7;
  )"));
}

TEST_CASE("an array whose address leaves the thread stays as it is") {
  // Another number is stored among the elements: the address itself.
  const std::string stored = kernel(filled + R"(
    st.local.u64 [%rd5+8], %rd5; ld.local.u64 %rd7, [%rd5+8]; ld.local.u32 %r7, [%rd7+60];
    mad.lo.u32 %r9, %r9, 3, %r7;
  )");
  CHECK_FALSE(has_line(plan_of(stored), "st.local.u32", "contiguous"));
  compare(stored);
  const std::string asked = kernel(filled + R"(
    and.b64 %rd7, %rd5, 15; cvt.u32.u64 %r9, %rd7; ld.local.u32 %r7, [%rd5+20];
    setp.ne.u64 %p3, %rd5, %rd1; selp.u32 %r8, 1, 0, %p3; add.u32 %r9, %r9, %r7;
    add.u32 %r9, %r9, %r8;
  )");
  CHECK_FALSE(has_line(plan_of(asked), "st.local.u32", "contiguous"));
  compare(asked);
}

TEST_CASE("arrays keep what they have across barriers") {
  const std::string text =
      kernel(filled + "bar.sync 0; add.u32 %r5, %r5, 1;" + summed("add.u32 %r6, %r6, 3;") +
             "bar.sync 0;" + "ld.local.u32 %r7, [%rd5+8]; xor.b32 %r9, %r9, %r7;");
  CHECK(has_line(plan_of(text), "ld.local.u32", "contiguous"));
  compare(text);
}
