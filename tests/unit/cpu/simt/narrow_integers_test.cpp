// SPDX-License-Identifier: MIT
// Arithmetic on bytes and halves in 16 bits: always what 32 and 64 bits make of it.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"
#include "unit/cpu/tried_kernels.h"

using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

constexpr std::uint32_t count = 1u << 16;

/// Thread i has two bytes: %r5 = in[i] and %r6 = in[i + 1], and in %rd4 their address. It stores
/// the lower and the upper part of %r9.
std::string kernel(const std::string& body, const char* type = "u8") {
  return std::string(R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<30>; .reg .b32 %r<30>; .reg .b16 %h<9>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r2, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r2, %r1; @%p1 ret;
  cvt.s64.s32 %rd3, %r2; add.s64 %rd4, %rd3, %rd2; shl.b64 %rd3, %rd3, 2; add.s64 %rd3, %rd3, %rd1;
)") + "ld.global." +
         type + " %r5, [%rd4]; ld.global." + type + " %r6, [%rd4+1];" + body +
         "st.global.u32 [%rd3], %r9; ret; }";
}

/// Every byte beside every byte.
std::vector<std::uint8_t> pairs() {
  std::vector<std::uint8_t> in;
  for (unsigned step = 0; in.size() < count + 64; ++step) {
    for (unsigned i = 0; i < 256; ++i) in.push_back(static_cast<std::uint8_t>(i * (2 * step + 1)));
  }
  return in;
}

bool is_narrow(const std::string& text) {
  const auto plan = describe_plan(module_of(text), "k", {256}, {});
  return plan && plan->find("in 16 bits") != std::string::npos;
}

void compare(const std::string& text, const std::vector<unsigned>& sizes = {0u, 16u, 32u, 64u}) {
  const std::vector<std::uint8_t> in = pairs();
  std::vector<std::uint32_t> expected(count, 7);
  for (const unsigned lanes : sizes) {
    Options options;
    options.gang_lanes = lanes;
    LoadedModule module(text, options);
    REQUIRE(module.kernel("k").facts.gang_lanes != 0);
    const auto run = [&](std::vector<std::uint32_t>& out, bool alone) {
      module.thread_by_thread = alone;
      module.run("k", {count / 256}, {256}, out.data(), in.data(), count - 3);
    };
    if (lanes == 0) run(expected, true);
    std::vector<std::uint32_t> found(count, 7);
    run(found, false);
    std::size_t wrong = 0;
    while (wrong < count && found[wrong] == expected[wrong]) ++wrong;
    CHECK_MESSAGE(wrong == count, lanes << " lanes, " << int{in[wrong]} << " and "
                                        << int{in[wrong + 1]} << ": " << found[wrong]
                                        << " instead of " << expected[wrong] << text);
  }
}

void check(const std::string& body, bool narrow = true, const char* type = "u8") {
  const std::string text = kernel(body, type);
  CHECK_MESSAGE(is_narrow(text) == narrow, text);
  compare(text);
}

/// %r8 = the sum of so many bytes from %rd4 on.
std::string sum(unsigned bytes) {
  std::string text = "mov.u32 %r8, 0;";
  for (unsigned i = 0; i < bytes; ++i)
    text += "ld.global.u8 %r7, [%rd4+" + std::to_string(i) + "]; add.u32 %r8, %r8, %r7;";
  return text;
}

}  // namespace

TEST_CASE("sums and products of bytes, up to what 16 bits hold and beyond") {
  check("mad.lo.u32 %r9, %r5, 77, 100; mad.lo.u32 %r9, %r6, 150, %r9; shr.u32 %r9, %r9, 8;");
  check("mul.lo.u32 %r9, %r5, %r6;");
  check("mul.lo.u32 %r7, %r5, %r5; mad.lo.u32 %r9, %r6, %r6, %r7;");
  check("mul.lo.u32 %r7, %r5, 257; add.u32 %r9, %r7, %r6;");
  check(sum(40) + "mov.u32 %r9, %r8;");
  check(
      "cvt.u64.u32 %rd5, %r5; cvt.u64.u32 %rd6, %r6; mul.lo.u64 %rd5, %rd5, %rd6;"
      "mul.lo.u64 %rd5, %rd5, 60000; cvt.u32.u64 %r9, %rd5;");
}

TEST_CASE("differences, their amounts and their limits") {
  const std::string edge =
      "sub.s32 %r7, %r5, %r6; shl.b32 %r8, %r7, 1; add.s32 %r7, %r7, %r8; add.s32 %r7, %r7, -5;";
  check(edge + "mov.u32 %r9, %r7;");
  check(edge + "abs.s32 %r9, %r7; add.s32 %r9, %r9, %r5;");
  check(edge + "max.s32 %r8, %r7, 0; min.s32 %r8, %r8, 255; add.u32 %r9, %r8, %r6;");
  check(edge + "shr.s32 %r8, %r7, 2; add.s32 %r9, %r8, %r5;");
  check(edge + "shr.u32 %r8, %r7, 2; add.s32 %r9, %r8, %r5;");
  check(edge + "and.b32 %r8, %r7, 1023; add.s32 %r9, %r8, %r5;");
  check(edge + "xor.b32 %r8, %r7, 255; add.s32 %r9, %r8, %r5;");
  check(edge + "mul.lo.s32 %r8, %r7, 40; add.s32 %r9, %r8, %r5;");
  check(edge + "mul.lo.s32 %r8, %r7, %r7; add.s32 %r9, %r8, %r5;");
  check(edge + "min.u32 %r8, %r7, 300; add.s32 %r9, %r8, %r5;");
  check(edge + "setp.lt.s32 %p2, %r7, 10; selp.b32 %r8, %r7, %r6, %p2; mad.lo.s32 %r9, %r8, 3, 1;");
  check("sub.s32 %r7, %r5, 40000; add.s32 %r9, %r7, %r6;", false);
}

TEST_CASE("signed bytes and halves") {
  check("mul.lo.s32 %r7, %r5, %r6; add.s32 %r9, %r7, -300;", true, "s8");
  check("mad.lo.s32 %r7, %r5, 100, %r6; max.s32 %r9, %r7, -1000; add.s32 %r9, %r9, %r5;", true,
        "s8");
  check("mul.lo.s32 %r7, %r5, %r6; mul.lo.s32 %r9, %r7, 3;", true, "s8");
  check(
      "ld.global.u8 %h1, [%rd4]; ld.global.u8 %h2, [%rd4+1]; add.u16 %h1, %h1, %h2;"
      "cvt.u32.u16 %r7, %h1; mad.lo.u32 %r9, %r7, 120, %r5;");
}

TEST_CASE("bits of bytes count for their sums, not by themselves") {
  check("and.b32 %r7, %r5, 15; shr.u32 %r8, %r6, 4; mad.lo.u32 %r9, %r7, 17, %r8;");
  check(
      "shl.b32 %r7, %r5, 3; or.b32 %r7, %r7, %r6; xor.b32 %r7, %r7, 2047; add.u32 %r9, %r7, %r5;");
  check("and.b32 %r7, %r5, 15; or.b32 %r9, %r7, %r6;", false);
}

TEST_CASE("quotients of sums by constants, as divisions and as the compiler writes them") {
  for (const unsigned divisor : {2u, 3u, 5u, 6u, 7u, 9u, 10u, 11u, 25u, 49u, 100u, 255u, 641u}) {
    for (const unsigned bytes : {1u, 9u, 40u}) {
      const std::string by = std::to_string(divisor);
      compare(kernel(sum(bytes) + "div.u32 %r10, %r8, " + by + "; div.s32 %r9, %r8, " + by +
                     "; mad.lo.u32 %r9, %r9, 2, %r10;"),
              {0});
    }
  }
  // By 9, by 7, by 10.
  const std::string nine = sum(9);
  check(nine +
        "mul.wide.s32 %rd5, %r8, 954437177; shr.u64 %rd6, %rd5, 63;"
        "shr.s64 %rd5, %rd5, 33; cvt.u32.u64 %r7, %rd6; cvt.u32.u64 %r9, %rd5;"
        "add.s32 %r9, %r9, %r7;");
  check(nine +
        "mul.hi.s32 %r7, %r8, -1840700269; add.s32 %r7, %r7, %r8; shr.u32 %r10, %r7, 31;"
        "shr.s32 %r7, %r7, 2; add.s32 %r9, %r7, %r10;");
  check(nine + "mul.hi.u32 %r7, %r8, -858993459; shr.u32 %r9, %r7, 3;");
  check(nine +
        "mul.wide.u32 %rd5, %r8, -858993459; shr.u64 %rd5, %rd5, 35; cvt.u32.u64 %r9, %rd5;");
}

TEST_CASE("random operations on bytes and what becomes of them") {
  const auto [first, rounds] = pycuda::cpu::testing::tried_kernels(40);
  auto state = static_cast<std::uint32_t>(first) + 12345;
  const auto pick = [&](std::uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 10) % limit;
  };
  const auto str = [](std::uint32_t value) { return std::to_string(value); };
  for (long long round = 0; round < rounds; ++round) {
    // %r10 .. are words, %rd10 .. the same numbers or others in 64 bits.
    std::string body =
        "mov.u32 %r10, %r5; mov.u32 %r11, %r6; cvt.u64.u32 %rd10, %r5;"
        "cvt.s64.s32 %rd11, %r6;";
    for (unsigned step = 12; step < 24; ++step) {
      const bool wide = pick(4) == 0;
      const std::string kind = wide ? "%rd" : "%r", bits = wide ? "64" : "32";
      const auto operand = [&] {
        return kind + str(10 + (pick(2) == 0 ? step - 11 : pick(step - 10)));
      };
      const std::string a = operand(), b = pick(3) == 0 ? str(pick(300)) : operand();
      const std::string to = kind + str(step) + ", " + a + ", ";
      const char* const plain[] = {"add.s", "sub.s", "mul.lo.s", "min.s", "max.s",
                                   "min.u", "max.u", "and.b",    "or.b",  "xor.b"};
      const char* const shifts[] = {"shr.s", "shr.u", "shl.b"};
      const std::uint32_t choice = pick(16);
      if (choice < 10) {
        body += plain[choice] + bits + " " + to + b + ";";
      } else if (choice < 13) {
        body += shifts[choice - 10] + bits + " " + to + str(pick(9)) + ";";
      } else if (choice == 13) {
        body += "abs.s" + bits + " " + kind + str(step) + ", " + a + ";";
      } else if (choice == 14) {
        body += "div.u" + bits + " " + to + str(2 + pick(60)) + ";";
      } else {
        body += "setp.gt.s" + bits + " %p2, " + a + ", " + str(pick(400)) + "; selp.b" + bits +
                " " + to + b + ", %p2;";
      }
      const std::string other = (wide ? "%r" : "%rd") + str(step) + ", " + kind + str(step) + ";";
      body += (wide ? "cvt.u32.u64 " : pick(2) == 0 ? "cvt.u64.u32 " : "cvt.s64.s32 ") + other;
    }
    body += "cvt.u32.u64 %r9, %rd23; add.u32 %r9, %r9, %r22;";
    compare(kernel(body, round % 3 == 2 ? "s8" : "u8"), {0});
  }
}
