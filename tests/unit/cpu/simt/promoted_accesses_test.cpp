// SPDX-License-Identifier: MIT
// Loops that keep numbers in memory, at the same address in each trip.
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

constexpr unsigned threads = 44, words = 152;

/// Thread t's words are out[152 * t ...]. %p is its word 76, and %a begins in[0] bytes further; the
/// loop makes in[1] (and t & in[3] more) trips of `body`, if that is not 0, in which %a may grow by
/// %s, in[2] bytes. %b is in[16 ...], apart from all that. %r0 is the word at %p before the loop,
/// and %r9 what the thread ends with, in out[152 * t + 151].
std::string kernel(const std::string& body,
                   const char* counter = "add.u32 %n, %n, -1; setp.ne.u32 %z, %n, 0;") {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %p, %a, %b, %s, %d<4>; .reg .b32 %t, %n, %m, %k, %r<10>; .reg .b16 %h<2>;
  .reg .f32 %f<4>; .reg .f64 %e<4>; .reg .pred %z, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %t, %r1, %r2, %t;
  setp.ge.u32 %z, %t, 44; @%z bra DONE;
  mul.wide.u32 %p, %t, 608; add.u64 %out, %out, %p; add.u64 %p, %out, 304;
  ld.global.s32 %a, [%in]; add.u64 %a, %a, %p; add.u64 %b, %in, 64;
  ld.global.u32 %n, [%in+4]; ld.global.s32 %s, [%in+8];
  ld.global.u32 %r0, [%in+12]; and.b32 %r0, %r0, %t; add.u32 %n, %n, %r0;
  ld.global.u32 %r0, [%p]; mov.b32 %f0, %r0; ld.global.f64 %e0, [%p]; mov.u32 %m, 0;
  mov.u32 %r9, 0; setp.eq.u32 %z, %n, 0; @%z bra LEFT;
LOOP:
)" + body +
         counter +
         R"(
  @%z bra LOOP;
LEFT:
  st.global.u32 [%out+604], %r9;
DONE:
  ret;
})";
}

bool promotes(const std::string& text) {
  const auto plan = describe_plan(module_of(text), "k", {threads}, gangs_of(16));
  REQUIRE(plan);
  return plan->find("stays in registers") != std::string::npos;
}

/// Compares with thread by thread, for distances in bytes between the place and what else is read.
void compare(const std::string& text, int unit = 4) {
  LoadedModule module(text, gangs_of(16));
  REQUIRE(module.kernel("k").facts.gang_lanes == 16);
  std::vector<std::uint32_t> in(200);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  const auto run = [&] {
    std::vector<std::uint32_t> out(threads * words);
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = (i * 747796405u) >> 3;
    module.run("k", {1}, {48}, in.data(), out.data());
    return out;
  };
  for (const unsigned trips : {0u, 1u, 2u, 7u}) {
    for (const std::uint32_t differ : {0u, 1u}) {
      for (const int step : {1, -1, 2, 0}) {
        for (const int distance :
             {-20, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 6, 7, 8, 9}) {
          in[0] = static_cast<std::uint32_t>(distance * unit);
          in[1] = trips;
          in[2] = static_cast<std::uint32_t>(step * unit);
          in[3] = differ;
          module.thread_by_thread = false;
          const std::vector<std::uint32_t> found = run();
          module.thread_by_thread = true;
          CHECK_MESSAGE(found == run(),
                        trips << " trips, " << distance << " further, step " << step);
        }
      }
    }
  }
}

void promoted(const std::string& text, int unit = 4) {
  CHECK(promotes(text));
  compare(text, unit);
}

}  // namespace

TEST_CASE("a sum that a loop keeps in memory stays in a register where nothing overlaps it") {
  promoted(
      kernel("ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%p]; add.u32 %r2, %r2, %r1;"
             "st.global.u32 [%p], %r2; add.u64 %a, %a, 4;"));
  promoted(
      kernel("ld.global.u32 %r1, [%a]; sub.u32 %r0, %r0, %r1; st.global.u32 [%p], %r0;"
             "add.u64 %a, %a, -4;"));
  promoted(
      kernel("ld.global.f32 %f1, [%a]; fma.rn.f32 %f0, %f1, %f1, %f0; st.global.f32 [%p], %f0;"
             "add.u64 %a, %a, %s;"));
  promoted(kernel("ld.global.f64 %e1, [%a]; mul.rn.f64 %e0, %e0, %e1; st.global.f64 [%p], %e0;"
                  "add.u64 %a, %a, %s;"),
           8);
}

TEST_CASE("the bytes of accesses of other sizes are compared with the sum's") {
  for (const char* type : {"u8", "s16"}) {
    promoted(kernel("ld.global." + std::string(type) +
                    " %r1, [%a]; add.u32 %r0, %r0, %r1; st.global.u32 [%p], %r0;"
                    "add.u64 %a, %a, %s;"),
             type[1] == '8' ? 1 : 2);
  }
  promoted(kernel("ld.global.u64 %d0, [%a]; cvt.u32.u64 %r1, %d0; xor.b32 %r0, %r0, %r1;"
                  "st.global.u32 [%p+4], %r0; add.u64 %a, %a, %s;"),
           8);
}

TEST_CASE("trips of an unrolled loop are compared as one range") {
  std::string body;
  for (int copy = 0; copy < 4; ++copy)
    body +=
        "ld.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1; st.global.u32 [%p], %r0;"
        "add.u64 %a, %a, %s;";
  promoted(kernel(body));
}

TEST_CASE("threads store behind the loop only if they have stored in it") {
  promoted(
      kernel("ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%p]; setp.lt.s32 %q, %r1, %r2;"
             "@%q st.global.u32 [%p], %r1; add.u64 %a, %a, %s;"));
  promoted(
      kernel("ld.global.u32 %r1, [%a]; and.b32 %r2, %r1, 3; setp.eq.u32 %q, %r2, 0;"
             "@%q st.global.u32 [%p], %r1; add.u64 %a, %a, %s;"));
}

TEST_CASE("loops may be left in the middle of a trip") {
  promoted(
      kernel("ld.global.u32 %r1, [%a]; add.u32 %r9, %r9, %r1; and.b32 %r2, %r1, 7;"
             "setp.eq.u32 %q, %r2, 0; @%q bra LEFT; st.global.u32 [%p], %r9;"
             "add.u64 %a, %a, %s;"));
}

TEST_CASE("several places may be in registers, and written places among them") {
  promoted(
      kernel("ld.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1; st.global.u32 [%p], %r0;"
             "xor.b32 %r9, %r9, %r0; st.global.u32 [%p+8], %r9; add.u64 %a, %a, %s;"));
  promoted(
      kernel("ld.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1; st.global.u32 [%p], %r0;"
             "add.u32 %r9, %r0, 1; st.global.u32 [%a], %r9; add.u64 %a, %a, %s;"));
}

TEST_CASE("what a loop only reads at one address is read once where nothing writes there") {
  promoted(
      kernel("ld.global.u32 %r1, [%p]; ld.global.u32 %r2, [%a]; mad.lo.u32 %r2, %r1, %r2, 3;"
             "st.global.u32 [%a], %r2; add.u32 %r9, %r9, %r1; add.u64 %a, %a, %s;"));
}

TEST_CASE("a loop's end may be told by any comparison of its counter") {
  const char* body =
      "ld.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1; st.global.u32 [%p], %r0;"
      "add.u64 %a, %a, %s;";
  for (const char* counter :
       {"add.u32 %m, %m, 1; setp.lt.u32 %z, %m, %n;", "add.u32 %m, %m, 1; setp.ge.s32 %z, %n, %m;",
        "add.s32 %n, %n, -2; setp.gt.s32 %z, %n, 0;", "add.s32 %n, %n, -3; setp.ge.s32 %z, %n, -4;",
        "add.u32 %m, %m, 2; setp.le.u32 %z, %m, %n;"})
    promoted(kernel(body, counter));
}

TEST_CASE("indices of 32 bits may wrap") {
  // Bytes from 4 * (m - 3), as a signed or an unsigned number, on.
  for (const char* widen : {"mul.wide.s32", "mul.wide.u32"}) {
    const std::string text =
        kernel("add.u32 %k, %m, -3; " + std::string(widen) +
                   " %d0, %k, 4; setp.gt.s32 %q, %k, -1; add.u64 %d0, %d0, %a;"
                   "mov.u32 %r1, 5; @%q ld.global.u32 %r1, [%d0]; add.u32 %r0, %r0, %r1;"
                   "st.global.u32 [%p], %r0;",
               "add.u32 %m, %m, 1; setp.lt.u32 %z, %m, %n;");
    compare(text);
  }
}

TEST_CASE("loops stay as they are where they do more than read and write") {
  CHECK_FALSE(
      promotes(kernel("ld.volatile.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1;"
                      "st.global.u32 [%p], %r0; add.u64 %a, %a, %s;")));
  CHECK_FALSE(
      promotes(kernel("ld.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1;"
                      "st.volatile.global.u32 [%p], %r0; add.u64 %a, %a, %s;")));
  CHECK_FALSE(
      promotes(kernel("ld.global.u32 %r1, [%a]; add.u32 %r0, %r0, %r1; membar.gl;"
                      "st.global.u32 [%p], %r0; add.u64 %a, %a, %s;")));
  CHECK_FALSE(
      promotes(kernel("atom.global.add.u32 %r1, [%a], 1; add.u32 %r0, %r0, %r1;"
                      "st.global.u32 [%p], %r0; add.u64 %a, %a, %s;")));
}
