// SPDX-License-Identifier: MIT
// Arrays of structures: loads and stores of whole vectors, always the scalar bits.
#include <cstdint>
#include <sstream>
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

/// Whether `plan` joins an instruction of this name with others.
bool joins(const std::string& plan, const char* instruction) {
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);) {
    if (has(line, instruction) && has(line, joined)) return true;
  }
  return false;
}

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

TEST_CASE("five to eight words, six bytes, eight doubles") {
  const auto turned = [](unsigned count, unsigned bytes, const std::string& type,
                         const std::string& name) {
    std::string loads, stores;
    for (unsigned i = 0; i < count; ++i) {
      const std::string own = "%" + name + std::to_string(i);
      loads += "ld.global." + type + " " + own + ", [%a+" + std::to_string(i * bytes) + "];";
      stores += "st.global." + type + " [%b+" + std::to_string((i + 2) % count * bytes) + "], " +
                own + ";";
    }
    const std::string size = std::to_string(count * bytes);
    const std::string registers = "{ .reg .b64 %w<9>;";
    return compare(kernel(size, registers + loads + stores + "}"), count * bytes);
  };
  for (const unsigned count : {5u, 6u, 7u, 8u}) {
    const std::string plan = turned(count, 4, "u32", "r");
    CHECK(joins(plan, "ld.global.u32"));
    CHECK(joins(plan, "st.global.u32"));
  }
  CHECK(joins(turned(6, 1, "u8", "h"), "ld.global.u8"));
  CHECK(joins(turned(8, 8, "u64", "w"), "st.global.u64"));
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

TEST_CASE("parts of different kinds and one size are joined") {
  const std::string plan = compare(kernel("8", R"(
    .reg .f32 %x;
    ld.global.u32 %r1, [%a]; ld.global.f32 %x, [%a+4];
    mul.rn.f32 %x, %x, 0f40000000; xor.b32 %r1, %r1, 5;
    st.global.u32 [%b], %r1; st.global.f32 [%b+4], %x;)"),
                                   8);
  CAPTURE(plan);
  CHECK(joins(plan, "ld.global.u32"));
  CHECK(joins(plan, "ld.global.f32"));
  CHECK(joins(plan, "st.global.u32"));
  CHECK(joins(plan, "st.global.f32"));
}

TEST_CASE("parts are joined across notes of lines behind a test of 32-bit indexes") {
  const std::string body = R"(
    .reg .b32 %x, %y, %t;
    .loc 1 3 0
    mul.lo.s32 %t, %i, 3; cvt.s64.s32 %d0, %t; shl.b64 %d1, %d0, 2;
    add.s64 %a, %in, %d1;
    ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a+4]; ld.global.u32 %r3, [%a+8];
    and.b32 %y, %r1, 3; mov.u32 %x, %r3;
    $again: mad.lo.u32 %x, %x, 5, 1; sub.u32 %y, %y, 1; setp.gt.s32 %p, %y, 0; @%p bra $again;
    .loc 1 5 0
    add.s64 %b, %out, %d1; st.global.u32 [%b], %r2;
    .loc 1 6 0
    st.global.u32 [%b+4], %x;
    .loc 1 7 0
    st.global.u32 [%b+8], %r3;)";
  const std::string plan = compare(".file 1 \"/src/parts.cu\"\n" + kernel("12", body), 12);
  CAPTURE(plan);
  CHECK(joins(plan, "ld.global.u32"));
  CHECK(joins(plan, "st.global.u32"));
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

TEST_CASE("parts in shared memory, by numbers of 32 bits that begin below its start") {
  // The address moves on in a way that nobody knows at compile time: by nothing.
  const auto in_loop = [](const std::string& loads) {
    return kernel("16",
                  ".reg .b32 %s, %k, %m, %t<5>; .reg .pred %q; .shared .align 16 .b8 s[4096];"
                  "ld.global.v4.u32 {%r1, %r3, %r4, %r5}, [%a]; shl.b32 %s, %r2, 4;"
                  "mov.u32 %t0, s; add.u32 %s, %s, %t0; st.shared.u32 [%s+4], %r3;"
                  "st.shared.u32 [%s+12], %r5; st.shared.u32 [%s], %r1; st.shared.u32 [%s+8], %r4;"
                  "shr.u32 %m, %n, 20; shl.b32 %m, %m, 4; sub.u32 %s, %s, 16; mov.u32 %k, 0;"
                  "mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0; LOOP:" +
                      loads +
                      "add.u32 %r5, %r5, %t1; add.u32 %r6, %r6, %t3; add.u32 %r7, %r7, %t2;"
                      "mad.lo.u32 %r8, %r8, 3, %t4; add.u32 %s, %s, %m; add.u32 %k, %k, 1;"
                      "setp.lt.u32 %q, %k, 2; @%q bra LOOP;"
                      "st.global.v4.u32 [%b], {%r5, %r6, %r7, %r8};");
  };
  const std::string ordered =
      compare(in_loop("ld.shared.u32 %t1, [%s+16]; ld.shared.u32 %t2, [%s+20];"
                      "ld.shared.u32 %t3, [%s+24]; ld.shared.u32 %t4, [%s+28];"),
              16);
  CHECK(joins(ordered, "ld.shared.u32"));
  CHECK(joins(ordered, "st.shared.u32"));
  compare(in_loop("ld.shared.u32 %t3, [%s+24]; ld.shared.u32 %t1, [%s+16];"
                  "ld.shared.u32 %t4, [%s+28]; ld.shared.u32 %t2, [%s+20];"),
          16);
  compare(in_loop("ld.shared.u32 %t1, [%s+16]; ld.shared.u32 %t2, [%s+20];"
                  "st.shared.u32 [%s+24], %k; ld.shared.u32 %t3, [%s+24];"
                  "ld.shared.u32 %t4, [%s+28];"),
          16);
}
