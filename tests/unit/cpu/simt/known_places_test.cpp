// SPDX-License-Identifier: MIT
// Accesses at places that the thread's number alone tells: vectors and shuffles, the scalar bits.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
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

/// Thread t = %t runs `body`; %in and %out are arrays, %s is shared memory.
std::string kernel(const std::string& body) {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %a, %b; .reg .b32 %t, %i, %j, %s, %p, %q, %r<9>; .reg .f64 %f<4>;
  .shared .align 128 .b8 memory[8192];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %s, memory;
)" + body +
         " ret; }";
}

std::string plan_of(const std::string& text, unsigned lanes) {
  const auto plan = describe_plan(module_of(text), "k", {256}, gangs_of(lanes));
  REQUIRE(plan);
  return *plan;
}

bool has(const std::string& plan, const char* words) {
  return plan.find(words) != std::string::npos;
}

/// Compares with thread by thread, for all gangs and for blocks of no whole gangs, too.
void compare(const std::string& text) {
  std::vector<std::uint32_t> in(4096);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    CHECK(module.kernel("k").facts.gang_lanes == lanes);
    for (const std::uint32_t block : {256u, 200u, 64u}) {
      std::vector<std::uint32_t> found(4096, 7), expected(4096, 7);
      module.thread_by_thread = false;
      module.run("k", {2}, {block}, in.data(), found.data());
      module.thread_by_thread = true;
      module.run("k", {2}, {block}, in.data(), expected.data());
      CHECK_MESSAGE(found == expected, lanes << " lanes, block " << block << ", " << text);
    }
  }
}

/// Number %i of a butterfly with this span.
std::string butterfly(unsigned span) {
  return "and.b32 %j, %t, " + std::to_string(span - 1) +
         "; sub.u32 %i, %t, %j; shl.b32 %i, %i, 1; add.u32 %i, %i, %j;";
}

/// Its two places %p and %q in shared memory.
std::string shared_butterfly(unsigned span) {
  return butterfly(span) + "shl.b32 %p, %i, 2; add.u32 %p, %p, %s; add.u32 %q, %p, " +
         std::to_string(4 * span) + ";\n";
}

std::string element(const std::string& index, unsigned bytes = 4) {
  return index + " mul.wide.u32 %a, %i, " + std::to_string(bytes) +
         "; add.u64 %a, %a, %in; mul.wide.u32 %b, %t, " + std::to_string(bytes) +
         "; add.u64 %b, %b, %out;\n";
}

const std::string copy = "ld.global.u32 %r0, [%a]; st.global.u32 [%b], %r0;";

}  // namespace

TEST_CASE("reads at known places are what they are for each thread") {
  for (const char* index :
       {"xor.b32 %i, %t, 1;", "xor.b32 %i, %t, 7;", "xor.b32 %i, %t, 16;", "and.b32 %i, %t, 3;",
        "sub.u32 %i, 300, %t;", "shl.b32 %i, %t, 3; and.b32 %i, %i, 0x3f8;",
        "and.b32 %i, %t, 1; shl.b32 %i, %i, 9;", "and.b32 %i, %t, 7; mul.lo.u32 %i, %i, 100;",
        "brev.b32 %i, %t; shr.u32 %i, %i, 24;", "mul.lo.u32 %i, %t, 3;", "mul.lo.u32 %i, %t, 15;",
        "shr.u32 %i, %t, 2;", "and.b32 %i, %t, 21; add.u32 %i, %i, 30;",
        "shr.u32 %j, %t, 3; and.b32 %i, %t, 7; shl.b32 %i, %i, 5; add.u32 %i, %i, %j;"}) {
    compare(kernel(element(index) + copy));
    compare(kernel(element(std::string(index) + "and.b32 %i, %i, 1023;", 8) +
                   "ld.global.f64 %f0, [%a]; st.global.f64 [%b], %f0;"));
  }
}

TEST_CASE("a place may be computed before the block that reads it") {
  compare(
      kernel(element("brev.b32 %i, %t; shr.u32 %i, %i, 20; and.b32 %i, %i, 4032;"
                     "shr.u32 %i, %i, 2;") +
             ".reg .pred %z; ld.global.u32 %r1, [%in]; setp.eq.u32 %z, %r1, 12345; @%z bra DONE;" +
             copy + " DONE: "));
  compare(
      kernel(element("and.b32 %j, %t, 15; shl.b32 %i, %t, 1; and.b32 %i, %i, 4064;"
                     "or.b32 %i, %i, %j; shl.b32 %i, %i, 3; brev.b32 %i, %i;"
                     "shr.u32 %i, %i, 19; and.b32 %i, %i, 4094; shr.u32 %i, %i, 1;") +
             ".reg .pred %z; ld.global.u32 %r1, [%in]; setp.eq.u32 %z, %r1, 12345; @%z bra DONE;" +
             copy + " DONE: "));
}

TEST_CASE("reads at known places are no gathers") {
  const auto form = [](const char* index) { return plan_of(kernel(element(index) + copy), 16); };
  CHECK(has(form("xor.b32 %i, %t, 1;"), "known places: 1 vector, put in order"));
  CHECK(has(form("and.b32 %i, %t, 3; shl.b32 %i, %i, 9;"), "known places: 4 loads"));
  CHECK(has(form("sub.u32 %i, 255, %t;"), "known places: 1 vector, put in order"));
  CHECK(has(form("mul.lo.u32 %i, %t, 3;"), "strided by 12 bytes: 3 vectors, put in order"));
  CHECK(has(form("mul.lo.u32 %i, %t, 100;"), "strided by 400 bytes: a load for each thread"));
  CHECK(!has(form("brev.b32 %i, %t; shr.u32 %i, %i, 24;"), "gather"));
}

TEST_CASE("stores that fill memory together are whole vectors") {
  for (const unsigned span : {1u, 2u, 4u, 8u, 64u}) {
    const std::string text = kernel(
        element("mov.u32 %i, %t;") + "ld.global.u32 %r0, [%a]; ld.global.u32 %r1, [%a+1024];\n" +
        shared_butterfly(span) +
        "st.shared.u32 [%q], %r0; ld.shared.u32 %r2, [%p+2048]; st.shared.u32 [%q+4096], %r1;"
        "st.shared.u32 [%p], %r1; st.shared.u32 [%p+4096], %r0; add.u32 %r3, %r2, 1; bar.sync "
        "0;\n" +
        element("mov.u32 %i, %t;") +
        "shl.b32 %i, %t, 2; add.u32 %i, %i, %s; ld.shared.u32 %r0, [%i];"
        "ld.shared.u32 %r1, [%i+4096]; add.u32 %r0, %r0, %r1; sub.u32 %r2, %r3, %r2;"
        "add.u32 %r0, %r0, %r2; st.global.u32 [%b], %r0;");
    compare(text);
    if (span <= 8) {
      const std::string plan = plan_of(text, 16);
      CAPTURE(plan);
      CHECK(has(plan, "whole vectors, put in order with what other stores write"));
      CHECK(!has(plan, "scatter"));
    }
  }
  const std::string reversed = kernel(element("mov.u32 %i, %t;") +
                                      "ld.global.u32 %r0, [%a]; sub.u32 %i, 255, %t;"
                                      "mul.wide.u32 %b, %i, 4; add.u64 %b, %b, %out;"
                                      "st.global.u32 [%b], %r0;");
  compare(reversed);
  CHECK(has(plan_of(reversed, 16), "known places: whole vectors, put in order"));
}

TEST_CASE("stores do not wait where something between them could tell") {
  const std::string before = element("mov.u32 %i, %t;") + "ld.global.u32 %r0, [%a];" +
                             "ld.global.u32 %r1, [%a+1024];" + butterfly(2) +
                             "mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %out; add.u64 %b, %a, 8;";
  const std::string after = "st.global.u32 [%a], %r1;";
  // What is stored is read again, by this thread or another one, or stored twice; or it may be.
  for (const char* between :
       {"ld.global.u32 %r1, [%b];", "ld.global.u32 %r1, [%a+512];", "ld.global.u32 %r1, [%a+4];",
        "st.global.u32 [%in+64], %r1;", "st.global.u32 [%b], %r1;", "membar.gl;"}) {
    const std::string text = kernel(before + "st.global.u32 [%b], %r0;" + between + after);
    CAPTURE(between);
    const bool own = std::strstr(between, "[%b]") != nullptr;
    const bool far = std::strstr(between, "[%a+512]") != nullptr;
    // LLVM itself does without what is stored twice or read back.
    if (!own) CHECK(has(plan_of(text, 16), "with what other stores write") == far);
    if (own) compare(text);
  }
  // Shared memory is none of theirs.
  const std::string apart =
      kernel(before + "st.global.u32 [%b], %r0; st.shared.u32 [%s], %r1;" + after);
  CHECK(has(plan_of(apart, 16), "with what other stores write"));
}

TEST_CASE("nothing is read beyond what threads read") {
  constexpr std::size_t page = 4096, pages = 8 * page;
  auto* memory = static_cast<std::uint8_t*>(
      mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(memory != MAP_FAILED);
  REQUIRE(mprotect(memory + pages, page, PROT_NONE) == 0);
  std::vector<std::uint32_t> out(512);
  for (const auto& [index, words] :
       {std::pair("xor.b32 %i, %t, 1;", 256u), std::pair("mul.lo.u32 %i, %t, 3;", 766u),
        std::pair("sub.u32 %i, 255, %t;", 256u), std::pair("and.b32 %i, %t, 5;", 6u),
        std::pair("and.b32 %i, %t, 21;", 22u), std::pair("mul.lo.u32 %i, %t, 20;", 5101u)}) {
    for (const unsigned lanes : {16u, 64u}) {
      LoadedModule module(kernel(element(index) + copy), gangs_of(lanes));
      module.run("k", {1}, {256}, reinterpret_cast<std::uint32_t*>(memory + pages) - words,
                 out.data());
    }
  }
  munmap(memory, pages + page);
}
