// SPDX-License-Identifier: MIT
// The printable plan.
#include "cpu/jit/plan.h"

#include <doctest/doctest.h>

#include <string>

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;
using pycuda::cpu::Dim3;

std::string plan_of(const std::string& body, Dim3 block, const jit::Options& options = {}) {
  const std::string header =
      ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"/src/sum.cu\"\n";
  const auto plan = jit::describe_plan(header + body, "k", block, options);
  return plan ? *plan : ptx::to_text(plan.error());
}

/// Whether one line of `plan` has all of the words, in this order.
bool has_line(const std::string& plan, std::initializer_list<const char*> words) {
  for (std::size_t start = 0; start < plan.size();) {
    const std::size_t end = std::min(plan.find('\n', start), plan.size());
    const std::string line = plan.substr(start, end - start);
    std::size_t at = 0;
    for (const char* word : words) {
      if (at != std::string::npos) at = line.find(word, at);
    }
    if (at != std::string::npos) return true;
    start = end + 1;
  }
  return false;
}

const std::string kernel = R"(.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %a; .reg .b32 %i, %n, %x, %y; .reg .pred %p;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %i, %tid.x;
  setp.ge.u32 %p, %i, %n;
  mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %in;
  .loc 1 12 0
  ld.global.u32 %x, [%a];
  .loc 1 13 0
  ld.global.u32 %y, [%in];
  add.u32 %x, %x, %y;
  bar.sync 0;
  @%p bra DONE;
  mul.wide.u32 %a, %i, 64; add.u64 %a, %a, %out;
  .loc 1 17 0
  st.global.u32 [%a], %x;
  and.b32 %y, %x, 63; mul.wide.u32 %a, %y, 4; add.u64 %a, %a, %in;
  ld.global.u32 %x, [%a];
  atom.global.add.u32 %y, [%out], %x;
  st.global.u32 [%out], %y;
DONE:
  ret;
}
)";

/// `kernel` with so many instructions that its vector form comes later.
std::string long_kernel() {
  std::string text = kernel;
  std::string steps;
  for (unsigned i = 0; i < 2100; ++i)
    steps +=
        "  mul.lo.u32 %x, %x, 1664525; xor.b32 %x, %x, " + std::to_string(i * 2654435761u) + ";\n";
  return text.replace(text.find("  bar.sync 0;"), 0, steps);
}

}  // namespace

TEST_CASE("the plan names each access, branch and barrier, with its place") {
  jit::Options options;
  options.gang_lanes = 16;
  const std::string plan = plan_of(kernel, {72}, options);
  CAPTURE(plan);
  CHECK(has_line(plan, {"kernel k, block (72, 1, 1)"}));
  CHECK(has_line(plan, {"gangs of 16 threads", "4 full gangs and 1 of 8 threads"}));
  CHECK(has_line(plan, {"13", "sum.cu:12", "ld.global.u32", "access", "contiguous"}));
  CHECK(has_line(plan, {"15", "sum.cu:13", "ld.global.u32", "access", "broadcast"}));
  CHECK(has_line(plan, {"sum.cu:17", "st.global.u32", "access", "strided by 64 bytes"}));
  CHECK(has_line(plan, {"ld.global.u32", "access", "gather: any addresses"}));
  CHECK(has_line(plan, {"bra", "branch", "divergent"}));
  CHECK(has_line(plan, {"bar.sync", "barrier"}));
  CHECK(has_line(plan, {"atom.global.add.u32", "all lanes at once"}));
}

TEST_CASE("an index that a loop of varying length moves on is guessed to be contiguous after it") {
  const std::string strided = R"(.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b64 %out, %a; .reg .b32 %i, %n, %step, %left; .reg .pred %p;
  ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %i, %tid.x; mov.u32 %step, %ntid.x;
  sub.u32 %left, %n, %i; div.u32 %left, %left, %step; and.b32 %left, %left, 3;
  setp.eq.u32 %p, %left, 0; @%p bra REST;
AGAIN:
  add.u32 %i, %i, %step; sub.u32 %left, %left, 1; setp.ne.u32 %p, %left, 0; @%p bra AGAIN;
REST:
  mul.wide.s32 %a, %i, 4; add.u64 %a, %a, %out;
  st.global.u32 [%a], %n;
  ret;
}
)";
  const std::string plan = plan_of(strided, {64});
  CAPTURE(plan);
  CHECK(has_line(plan, {"st.global.u32", "contiguous or scatter: tested at run time"}));
}

TEST_CASE("the plan of a small block is that of the gangs which are made for it on demand") {
  const std::string waits =
      R"(.visible .entry k(.param .u64 out) { .reg .b64 %a, %o; .reg .b32 %t, %y, %s;
  .shared .b32 all[64]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %s, all;
  mad.lo.u32 %s, %t, 4, %s; st.shared.u32 [%s], %t; bar.sync 0; ld.shared.u32 %y, [all];
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %o; st.global.u32 [%a], %y; ret; })";
  jit::Options on_demand;
  on_demand.forms = std::nullopt;
  const std::string plan = plan_of(waits, {16}, on_demand);
  CHECK(has_line(plan, {"gangs of 16 threads"}));
  CHECK(plan.find("a block has 1 full gang\n") != std::string::npos);
  CHECK(has_line(plan_of(waits, {16}), {"gangs of 32 threads", "1 of 16 threads, with masks"}));
}

TEST_CASE("the plan says why a kernel or a launch runs thread by thread") {
  CHECK(has_line(plan_of(kernel, {3, 50}), {"thread by thread", "rows of 3 threads"}));
  jit::Options scalar;
  scalar.vectors = false;
  CHECK(has_line(plan_of(kernel, {64}, scalar), {"thread by thread", "PYCUDA_CPU_VECTOR"}));
  const std::string named =
      R"(.visible .entry k() { .reg .b32 %r; mov.u32 %r, 64; bar.sync 1, %r; ret; })";
  CHECK(has_line(plan_of(named, {64}), {"thread by thread", "a named barrier"}));
}

TEST_CASE("the plan says which blocks run as one and which loops step over the grid") {
  const std::string text =
      R"(.visible .entry k(.param .u64 out, .param .u32 n) { .reg .b64 %a, %o; .reg .pred %p;
  .reg .b32 %i, %n, %t, %s, %b; ld.param.u64 %o, [out]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %s, %ntid.x; mov.u32 %b, %ctaid.x; mad.lo.s32 %i, %b, %s, %t;
  mov.u32 %b, %nctaid.x; mul.lo.s32 %s, %s, %b; setp.ge.s32 %p, %i, %n; @%p ret;
loop: mul.wide.s32 %a, %i, 4; add.s64 %a, %a, %o; st.global.u32 [%a], %i;
  add.s32 %i, %i, %s; setp.lt.s32 %p, %i, %n; @%p bra loop; ret; })";
  const std::string plan = plan_of(text, {256});
  CAPTURE(plan);
  CHECK(has_line(plan, {"neighbouring blocks", "are merged"}));
  CHECK(has_line(plan, {"grid-stride loops", "gangs alternate"}));
  CHECK(has_line(plan_of(text, {2}), {"neighbouring blocks"}));
  CHECK(has_line(plan_of(text, {2, 2}), {"thread by thread"}));
}

/// What the plan says of costs; empty if it says nothing.
std::string costs_of(const std::string& body, const jit::Options& options = {}) {
  const std::string plan = plan_of(body, {256}, options);
  const std::size_t start = plan.find("what costs most");
  return start == std::string::npos ? "" : plan.substr(start);
}

/// Reads %x = in[%i] in line 5 for an index that `index` makes of %t in line 4, and stores it.
std::string reading(const std::string& index) {
  return R"(.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %in, %out, %a;
  .reg .b32 %t, %i, %x; ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %in; .loc 1 4 0
  )" + index +
         R"(
  mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %in; .loc 1 5 0
  ld.global.u32 %x, [%a]; mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out; .loc 1 6 0
  st.global.u32 [%a], %x; ret; })";
}

TEST_CASE("the plan says last what costs most and where, and nothing of what is cheap") {
  CHECK(costs_of(reading("mov.u32 %i, %t;")).empty());
  const std::string gathers = costs_of(reading("ld.global.u32 %i, [%a];"));
  CAPTURE(gathers);
  CHECK(has_line(gathers, {"about", "%: gathers", "sum.cu:5"}));
  CHECK(has_line(gathers, {"neighbouring elements"}));
  CHECK(!has_line(gathers, {"sum.cu:4"}));
  CHECK(has_line(costs_of(reading("mul.lo.u32 %i, %t, 100;")),
                 {"one scalar load per address", "sum.cu:5"}));
  const std::string counting =
      R"(.visible .entry k(.param .u64 in, .param .u32 n) { .reg .b64 %in, %a; .reg .pred %p;
  .reg .b32 %t, %i, %n, %x, %y, %s; .shared .align 4 .b8 bins[1024];
  ld.param.u64 %in, [in]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %i, 0; mov.u32 %s, bins;
AGAIN: mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %in; .loc 1 7 0
  ld.global.u8 %x, [%a]; shl.b32 %x, %x, 2; add.u32 %x, %x, %s; .loc 1 8 0
  atom.shared.add.u32 %y, [%x], 1; add.u32 %t, %t, 256; add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, %n; @%p bra AGAIN; ret; })";
  CHECK(has_line(costs_of(counting), {"about", "updates of shared memory", "sum.cu:8"}));
}

TEST_CASE("the plan says where a kernel waits for memory, by arrays and not by accesses") {
  const std::string copy = plan_of(reading("mov.u32 %i, %t;"), {256});
  CAPTURE(copy);
  CHECK(has_line(copy, {"do not fit a cache", "8 bytes per thread", "sum.cu:"}));
  // Neighbours come from a cache.
  const std::string sum = plan_of(reading("ld.global.u32 %x, [%a+4]; add.u32 %i, %t, 1;"), {256});
  CHECK(has_line(sum, {"do not fit a cache", "8 bytes per thread"}));
  std::string busy = reading("mov.u32 %i, %t;");
  std::string steps;
  for (unsigned i = 0; i < 50; ++i) steps += "mul.lo.u32 %x, %x, %x; xor.b32 %x, %x, %t; ";
  busy.insert(busy.find("mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out;"), steps);
  CHECK(!has_line(plan_of(busy, {256}), {"do not fit a cache"}));
}

TEST_CASE("the dearest comes first, and what only a few threads do counts little") {
  const std::string text =
      R"(.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) { .reg .b64 %in, %out, %a;
  .reg .b32 %t, %i, %n, %x, %y; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %in; ld.global.u32 %x, [%a];
  mul.wide.u32 %a, %x, 4; add.u64 %a, %a, %out; .loc 1 3 0
  st.global.u32 [%a], %t; mov.u32 %i, 0;
AGAIN: mul.wide.u32 %a, %x, 4; add.u64 %a, %a, %in; .loc 1 4 0
  ld.global.u32 %x, [%a]; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra AGAIN;
  setp.ne.u32 %p, %x, 77; @%p bra DONE; mul.wide.u32 %a, %x, 8; add.u64 %a, %a, %out; .loc 1 5 0
  atom.global.add.u32 %y, [%a], %x; st.global.u32 [%out], %y;
DONE: ret; })";
  const std::string costs = costs_of(text);
  CAPTURE(costs);
  CHECK(costs.find("gathers") < costs.find("scatters"));
  CHECK(has_line(costs, {"gathers", "sum.cu:4"}));
  CHECK(costs.find("atomics") > costs.find("gathers"));
}

TEST_CASE("the plan names the loop for which threads run one after the other") {
  const std::string text =
      R"(.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b64 %in, %out, %a, %m, %o;
  .reg .b32 %t, %i, %x, %y; .reg .pred %p; .local .align 4 .b8 stack[256];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u64 %m, stack;
  mul.wide.u32 %o, %t, 4; add.u64 %a, %o, %in; ld.global.u32 %x, [%a]; st.local.u32 [stack], %x;
  mov.u32 %i, 0;
AGAIN: mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %m; ld.local.u32 %x, [%a]; shr.u32 %y, %x, 1;
  st.local.u32 [%a], %y; and.b32 %y, %x, 15; mul.wide.u32 %a, %y, 4; add.u64 %a, %a, %m;
  st.local.u32 [%a], %x; and.b32 %i, %x, 31; setp.ne.u32 %p, %x, 0; .loc 1 9 0
  @%p bra AGAIN;
  add.u64 %a, %o, %out; st.global.u32 [%a], %i; ret; })";
  const std::string plan = plan_of(text, {64});
  CAPTURE(plan);
  CHECK(has_line(plan, {"thread by thread", "local memory"}));
  CHECK(has_line(plan, {"sum.cu:9", "leaves the loop"}));
  CHECK(has_line(plan, {"the whole kernel", "trip counts differ: sum.cu:9"}));
}

TEST_CASE("a plan of what is not there or does not compile is an error") {
  CHECK(plan_of(".visible .entry other() { ret; }", {64}).find("no kernel 'k'") !=
        std::string::npos);
  CHECK(plan_of(".visible .entry k() { nonsense; }", {64}).find("nonsense") != std::string::npos);
}

TEST_CASE("the plan of a long kernel shows the form to come, and whether it runs yet") {
  const std::string text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"/src/sum.cu\"\n" + long_kernel();
  const auto before = jit::describe_plan(text, "k", {256, 1, 1}, {});
  const auto after =
      jit::describe_plan(text, "k", {256, 1, 1}, {}, pycuda::cpu::variants::State::Ready);
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  CHECK(has_line(*before, {"long: runs thread by thread until", "PYCUDA_CPU_PATIENCE"}));
  CHECK(
      has_line(*after, {"long: its vector form was compiled in the background, and is used now"}));
  for (const auto* plan : {&*before, &*after}) {
    CHECK(has_line(*plan, {"gangs of"}));
    CHECK(has_line(*plan, {"ld.global.u32", "broadcast"}));
  }
}

TEST_CASE("the plan says when tiles were given up since their code would be too long") {
  const auto plan = [](int divisions) {
    std::string body =
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n"
        "  .reg .b64 %a, %b, %c, %d; .reg .b32 %x, %y, %w, %i;\n"
        "  ld.param.u64 %a, [out]; ld.param.u64 %b, [in]; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
        "  mov.u32 %w, %ntid.x; mad.lo.u32 %i, %y, %w, %x; mul.wide.u32 %c, %i, 4;\n"
        "  add.u64 %a, %a, %c; mul.wide.u32 %c, %x, 4; add.u64 %b, %b, %c;\n"
        "  ld.global.u32 %x, [%b]; cvt.u64.u32 %c, %x; mul.lo.u64 %c, %c, %c;\n"
        "  ld.global.u32 %y, [%b+400];\n";
    for (int i = 0; i < divisions; ++i)
      body +=
          "  add.u32 %y, %y, %x; or.b32 %y, %y, 1; cvt.u64.u32 %d, %y; rem.u64 %d, %c, %d;\n"
          "  mad.lo.u64 %c, %c, 31, %d;\n";
    return plan_of(body + "  cvt.u32.u64 %x, %c; st.global.u32 [%a], %x; ret; }", {16, 16, 1});
  };
  const std::string few = plan(1), many = plan(40);
  CAPTURE(few);
  CAPTURE(many);
  CHECK(has_line(few, {"tiles of", "because the block consists of whole tiles"}));
  CHECK_FALSE(has_line(few, {"no tiles of"}));
  CHECK(has_line(many, {"gangs of"}));
  CHECK(has_line(many, {"no tiles of", "instructions", "too long to compile"}));
}
