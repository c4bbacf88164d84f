// SPDX-License-Identifier: MIT
// Calls that gangs make: of functions that call themselves, and through pointers.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;

namespace {

const std::string functions = R"(
.func (.param .b32 r) plus(.param .b32 x, .param .b32 y) {
  .reg .b32 %x, %y; ld.param.u32 %x, [x]; ld.param.u32 %y, [y];
  add.u32 %x, %x, %y; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) who(.param .b32 x, .param .b32 y) {
  .reg .b32 %x, %y; ld.param.u32 %x, [x]; mov.u32 %y, %tid.x; mad.lo.u32 %x, %x, 100, %y;
  mov.u32 %y, %ctaid.x; mad.lo.u32 %x, %x, 100, %y; mov.u32 %y, %tid.y;
  mad.lo.u32 %x, %y, 7, %x; mov.u32 %y, %laneid; mad.lo.u32 %x, %y, 77, %x;
  st.param.b32 [r], %x; ret; }
.func (.param .b32 r) down(.param .b32 x, .param .b32 y) {
  .reg .b32 %x, %y, %z; .reg .pred %p;
  ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; mov.u32 %z, %tid.x; add.u32 %z, %z, %y;
  and.b32 %x, %x, 15; setp.eq.u32 %p, %x, 0; @%p bra done;
  sub.u32 %x, %x, 1; add.u32 %y, %y, %x;
  { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %x; st.param.b32 [b], %y;
    call.uni (c), down, (a, b); ld.param.b32 %z, [c]; }
  done: mad.lo.u32 %z, %z, 3, %x; st.param.b32 [r], %z; ret; }
)";

/// A kernel that computes %v of the thread's number %i by `body`.
std::string kernel(const std::string& body) {
  return functions + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %a, %f; .reg .b32 %i, %t, %n, %b, %v, %w; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %b, %tid.y; mad.lo.u32 %t, %b, %n, %t;
  mov.u32 %b, %ntid.y; mul.lo.u32 %n, %n, %b; mov.u32 %b, %ctaid.x; mad.lo.u32 %i, %b, %n, %t;
  mul.wide.u32 %a, %i, 4; add.u64 %in, %in, %a; add.u64 %out, %out, %a; ld.global.u32 %w, [%in];
)" + body +
         "st.global.u32 [%out], %v; ret; }";
}

const std::string call = R"(
  { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %w; st.param.b32 [b], %i;
    call (c), %f, (a, b), proto; ld.param.b32 %v, [c]; }
)";
const std::string proto =
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n";

/// Whether gangs of all widths compute what threads alone do.
void compare(const std::string& text, std::uint64_t extra = 0) {
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    REQUIRE(module.kernel("k").facts.gang_lanes != 0);
    for (const Dim3 block : {Dim3{128}, Dim3{72}, Dim3{16, 8}, Dim3{64, 2}}) {
      constexpr std::uint32_t blocks = 3;
      std::vector<std::uint32_t> in(blocks * 128), expected(in.size(), 7), found = expected;
      for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u >> 7;
      module.thread_by_thread = true;
      module.run("k", {blocks}, block, in.data(), expected.data(), extra);
      module.thread_by_thread = false;
      module.run("k", {blocks}, block, in.data(), found.data(), extra);
      CHECK_MESSAGE(found == expected, lanes << " lanes, block " << block.x << " x " << block.y);
    }
  }
}

}  // namespace

TEST_CASE("gangs call functions that call themselves, for one lane after the other") {
  compare(kernel(R"(
    mov.u32 %v, %w; and.b32 %t, %i, 3; setp.eq.u32 %p, %t, 1; @%p bra skip;
    { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %w; st.param.b32 [b], %i;
      call.uni (c), down, (a, b); ld.param.b32 %v, [c]; }
    skip:
)"));
}

TEST_CASE("gangs call through pointers that differ between lanes") {
  std::string text = kernel(proto + R"(
    and.b32 %t, %w, 3; setp.eq.u32 %p, %t, 3; @%p mov.u32 %t, 1;
    mul.wide.u32 %a, %t, 8; mov.u64 %f, table; add.u64 %a, %a, %f; ld.global.u64 %f, [%a];
)" + call);
  text.insert(text.find(".visible"), ".global .align 8 .u64 table[3] = {plus, who, down};\n");
  compare(text);
}

TEST_CASE("a pointer to a function of another module is called through all the same") {
  LoadedModule other(functions + R"(
.visible .entry address(.param .u64 out) {
  .reg .b64 %out, %f; ld.param.u64 %out, [out]; mov.u64 %f, who; st.global.u64 [%out], %f; ret; })");
  std::uint64_t address = 0;
  other.run("address", {1}, {1}, &address);
  std::string text = kernel(
      "and.b32 %t, %w, 1; setp.eq.u32 %p, %t, 0; mov.u64 %f, plus;\n"
      "@%p ld.param.u64 %f, [from];\n" +
      proto + call);
  const std::string parameters = ".param .u64 out)";
  text.insert(text.find(parameters) + parameters.size() - 1, ", .param .u64 from");
  compare(text, address);
}
