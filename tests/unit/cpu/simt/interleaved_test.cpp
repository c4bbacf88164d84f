// SPDX-License-Identifier: MIT
// Arrays of structures: loads and stores of whole vectors, always the scalar bits.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

/// `.entry k(u64 in, u64 out, u32 n)`: no thread from n on touches memory, and the arrays end where
/// its last structure of `bytes` does.
std::string compare(const std::string& text, std::uint32_t bytes) {
  std::string plan;
  for (const unsigned lanes : {16u, 32u, 64u}) {
    const auto described =
        pycuda::cpu::jit::describe_plan(module_of(text), "k", {256}, gangs_of(lanes));
    plan = described ? *described : "";
    LoadedModule module(text, gangs_of(lanes));
    CHECK(module.kernel("k").facts.gang_lanes == lanes);
    for (const std::uint32_t block : {256u, 72u, 250u}) {
      for (const std::uint32_t n : {1u, 64u, 200u, 999u, 1024u}) {
        std::vector<std::uint8_t> in(n * bytes), expected(n * bytes, 5), out(n * bytes, 5);
        for (std::size_t i = 0; i < in.size(); ++i)
          in[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
        const Dim3 grid{(n + block - 1) / block};
        module.thread_by_thread = true;
        module.run("k", grid, {block}, in.data(), expected.data(), n);
        module.thread_by_thread = false;
        module.run("k", grid, {block}, in.data(), out.data(), n);
        const bool same = out == expected;
        CHECK_MESSAGE(same, lanes << " lanes, block " << block << ", n " << n);
      }
    }
  }
  return plan;
}

std::string kernel(const std::string& bytes, const std::string& body) {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %a, %b, %d<4>; .reg .b32 %n, %i, %r<9>; .reg .b16 %h<9>; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %i, %r0, %r1, %r2;
  setp.ge.s32 %p, %i, %n; @%p ret;
  mul.wide.s32 %b, %i, )" +
         bytes + "; add.u64 %a, %b, %in; add.u64 %b, %b, %out;\n" + body + " ret; }";
}

bool has(const std::string& plan, const char* words) {
  return plan.find(words) != std::string::npos;
}

constexpr const char* joined = "with the other parts of its structure";

}  // namespace

TEST_CASE("four words, two words, two doubles, four bytes") {
  const std::string four =
      compare(kernel("16",
                     "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a];"
                     "add.u32 %r1, %r1, %r4; st.global.v4.u32 [%b], {%r3, %r1, %r4, %r2};"),
              16);
  CHECK(has(four, joined));
  // The load and the store.
  CHECK(four.find(joined) != four.rfind(joined));
  CHECK(has(compare(kernel("8",
                           "ld.global.v2.u32 {%r1, %r2}, [%a];"
                           "st.global.v2.u32 [%b], {%r2, %r1};"),
                    8),
            joined));
  CHECK(has(compare(kernel("16",
                           "ld.global.v2.u64 {%d1, %d2}, [%a]; add.u64 %d1, %d1, %d2;"
                           "st.global.v2.u64 [%b], {%d2, %d1};"),
                    16),
            joined));
  CHECK(has(compare(kernel("4",
                           "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%a];"
                           "st.global.v4.u8 [%b], {%h2, %h1, %h4, %h3};"),
                    4),
            joined));
}

TEST_CASE("three words, one by one and in any order") {
  CHECK(has(compare(kernel("12",
                           "ld.global.u32 %r3, [%a+8]; ld.global.u32 %r1, [%a];"
                           "ld.global.u32 %r2, [%a+4];"
                           "st.global.u32 [%b+4], %r1; st.global.u32 [%b+8], %r2;"
                           "st.global.u32 [%b], %r3;"),
                    12),
            joined));
}

TEST_CASE("parts are joined across accesses to other memory and notes of lines") {
  const std::string body = R"(
    .shared .align 16 .b8 memory[4096]; .reg .b32 %s, %p0, %p1;
    mov.u32 %s, memory; shl.b32 %p0, %r2, 2; add.u32 %p0, %p0, %s;
    .loc 1 3 0
    ld.global.u32 %r3, [%a];
    .loc 1 4 0
    st.shared.u32 [%p0], %r3;
    .loc 1 5 0
    ld.global.u32 %r4, [%a+4];
    .loc 1 6 0
    st.shared.u32 [%p0+2048], %r4;
    .loc 1 7 0
    ld.shared.u32 %r5, [%p0+2048]; xor.b32 %r5, %r5, %r3;
    .loc 1 8 0
    st.global.u32 [%b], %r5;
    .loc 1 9 0
    ld.shared.u32 %r6, [%p0];
    .loc 1 10 0
    st.global.u32 [%b+4], %r6;)";
  const std::string plan = compare(".file 1 \"/src/sum.cu\"\n" + kernel("8", body), 8);
  CAPTURE(plan);
  std::size_t count = 0;
  for (std::size_t at = plan.find(joined); at != std::string::npos; at = plan.find(joined, at + 1))
    ++count;
  CHECK(count == 4);
}

TEST_CASE("parts that are missing, stored twice or read in between stay apart") {
  CHECK(has(compare(kernel("16",
                           "ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a+8];"
                           "st.global.u32 [%b+4], %r1; st.global.u32 [%b+12], %r2;"),
                    16),
            "gather"));
  compare(kernel("8",
                 "ld.global.v2.u32 {%r1, %r2}, [%a]; st.global.u32 [%b], %r1;"
                 "st.global.u32 [%b+4], %r2; add.u32 %r1, %r1, 1; st.global.u32 [%b], %r1;"),
          8);
  compare(kernel("8",
                 "ld.global.u32 %r1, [%a]; st.global.u32 [%a+4], %i;"
                 "ld.global.u32 %r2, [%a+4]; st.global.v2.u32 [%b], {%r1, %r2};"),
          8);
  compare(kernel("8",
                 "st.global.u32 [%b], %i; ld.global.u32 %r1, [%b+4];"
                 "st.global.u32 [%b+4], %n; st.global.u32 [%b], %r1;"),
          8);
}
