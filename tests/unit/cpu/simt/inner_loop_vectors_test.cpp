// SPDX-License-Identifier: MIT
// Loops along rows that threads have for themselves: vectors of neighbouring elements.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

constexpr unsigned threads = 48, row_words = 100, first_word = 30;

struct Loop {
  unsigned copies = 1;        ///< of the body, as if unrolled
  bool stores_first = false;  ///< a trip's element is written before another one is read
  const char* counter = "add.u32 %n, %n, -1; setp.ne.u32 %z, %n, 0;";
};

/// Thread t's row is out[100 * t ...]: from its element 30 on, in[1] (and t & in[3] more) trips
/// write what they read in[0] elements further, in[16 ...] and element in[2] of the row.
std::string kernel(const Loop& loop) {
  std::string body;
  for (unsigned copy = 0; copy < loop.copies; ++copy) {
    const std::string at = "+" + std::to_string(4 * copy) + "]";
    const std::string read = "ld.shared.u32 %r0, [%b" + at + ";";
    if (loop.stores_first) {
      body += "ld.global.u32 %r1, [%c" + at + "; st.shared.u32 [%a" + at + ", %r1;" + read +
              "ld.shared.u32 %r2, [%e]; mul.lo.u32 %r0, %r0, %r2; st.global.u32 [%o" + at +
              ", %r0;\n";
    } else {
      body += read + "ld.global.u32 %r1, [%c" + at +
              "; ld.shared.u32 %r2, [%e]; mul.lo.u32 %r1, %r1, %r2; add.u32 %r0, %r0, %r1;"
              "shr.u32 %r1, %r0, 3; max.u32 %r0, %r0, %r1; st.shared.u32 [%a" +
              at + ", %r0;\n";
    }
  }
  const std::string step = std::to_string(4 * loop.copies);
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %c, %d, %o; .reg .b32 %t, %a, %b, %e, %i, %n, %m, %r<5>;
  .reg .pred %z; .shared .align 4 .b8 memory[19200];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, 0;
  mul.lo.u32 %a, %t, 400; mov.u32 %r3, memory; add.u32 %r3, %r3, %a;
  mul.wide.u32 %d, %t, 400; add.u64 %d, %d, %out;
FILL:
  ld.global.u32 %r0, [%d]; st.shared.u32 [%r3], %r0;
  add.u64 %d, %d, 4; add.u32 %r3, %r3, 4; add.u32 %i, %i, 1;
  setp.lt.u32 %z, %i, 100; @%z bra FILL;
  bar.sync 0;
  mov.u32 %r3, memory; add.u32 %r3, %r3, %a; add.u32 %a, %r3, 120;
  ld.global.u32 %r0, [%in]; shl.b32 %r0, %r0, 2; add.u32 %b, %a, %r0;
  ld.global.u32 %r0, [%in+8]; shl.b32 %r0, %r0, 2; add.u32 %e, %r3, %r0;
  ld.global.u32 %n, [%in+4]; ld.global.u32 %r0, [%in+12]; and.b32 %r0, %r0, %t;
  add.u32 %n, %n, %r0; add.u64 %c, %in, 64; mov.u32 %m, 0;
  mul.wide.u32 %d, %t, 400; add.u64 %o, %out, 19200; add.u64 %o, %o, %d;
LOOP:
)" + body +
         "add.u32 %a, %a, " + step + "; add.u32 %b, %b, " + step + "; add.u64 %c, %c, " + step +
         "; add.u64 %o, %o, " + step + ";" + loop.counter + R"(
  @%z bra LOOP;
  bar.sync 0;
  mul.wide.u32 %d, %t, 400; add.u64 %d, %d, %out; mov.u32 %i, 0;
EMPTY:
  ld.shared.u32 %r0, [%r3]; st.global.u32 [%d], %r0;
  add.u64 %d, %d, 4; add.u32 %r3, %r3, 4; add.u32 %i, %i, 1;
  setp.lt.u32 %z, %i, 100; @%z bra EMPTY;
  ret;
})";
}

std::string plan_of(const std::string& text) {
  const auto plan = describe_plan(module_of(text), "k", {threads}, gangs_of(16));
  REQUIRE(plan);
  return *plan;
}

bool walks_own_rows(const std::string& text) {
  return plan_of(text).find("a row of each thread's own: thread by thread") != std::string::npos;
}

/// Compares with thread by thread, for distances between what is read and written.
void compare(const Loop& loop) {
  LoadedModule module(kernel(loop), gangs_of(16));
  REQUIRE(module.kernel("k").facts.gang_lanes == 16);
  std::vector<std::uint32_t> in(200);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  const auto run = [&] {
    std::vector<std::uint32_t> out(2 * threads * row_words);
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = i * 747796405u;
    module.run("k", {1}, {threads}, in.data(), out.data());
    return out;
  };
  for (const unsigned elements : {1u, 4u, 15u, 16u, 17u, 39u}) {
    for (const std::uint32_t differ : {0u, 1u}) {
      for (const int distance :
           {-30, -20, -17, -16, -15, -9, -4, -3, -2, -1, 0, 1, 2, 3, 5, 15, 16, 17, 25}) {
        for (const unsigned fixed : {3u, first_word, first_word + 5u, 99u}) {
          in[0] = static_cast<std::uint32_t>(distance);
          in[1] = (elements + loop.copies - 1) / loop.copies;
          in[2] = fixed;
          in[3] = differ;
          module.thread_by_thread = false;
          const std::vector<std::uint32_t> found = run();
          module.thread_by_thread = true;
          CHECK_MESSAGE(found == run(), loop.copies << " copies, " << elements << " elements, "
                                                    << distance << " further, fixed " << fixed);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("rows that threads have for themselves are walked in vectors of their elements") {
  for (const unsigned copies : {1u, 2u, 4u}) {
    const Loop loop{copies};
    CHECK(walks_own_rows(kernel(loop)));
    compare(loop);
  }
}

TEST_CASE("what an element of a row is read behind is written before") {
  for (const unsigned copies : {1u, 4u}) compare({copies, true});
}

TEST_CASE("the length of a row is what its counter says") {
  for (const char* counter :
       {"add.u32 %m, %m, 1; setp.lt.u32 %z, %m, %n;", "add.u32 %m, %m, 1; setp.ge.s32 %z, %n, %m;",
        "add.s32 %n, %n, -1; setp.gt.s32 %z, %n, 0;", "add.s32 %n, %n, -3; setp.ge.s32 %z, %n, -4;",
        "add.u32 %m, %m, 2; setp.le.u32 %z, %m, %n;"}) {
    const Loop loop{2, false, counter};
    CHECK(walks_own_rows(kernel(loop)));
    compare(loop);
  }
}

TEST_CASE("rows of neighbouring threads that lie side by side stay as they are") {
  const auto with_stride = [](const char* bytes) {
    return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %out, %d; .reg .b32 %t, %i; .reg .pred %z;
  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; ld.param.u32 %i, [in];
  mul.wide.u32 %d, %t, )" +
           std::string(bytes) + R"(; add.u64 %d, %d, %out;
LOOP:
  st.global.u32 [%d], %t; add.u64 %d, %d, 4; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 100;
  @%z bra LOOP;
  ret;
})";
  };
  CHECK(walks_own_rows(with_stride("400")));
  CHECK(!walks_own_rows(with_stride("4")));
  CHECK(!walks_own_rows(with_stride("16")));
}

TEST_CASE("what a loop has read in its last trip is not read again behind its stores") {
  const std::string text = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %d; .reg .b32 %t, %i, %n, %r<3>; .reg .pred %z;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, 0;
  ld.global.u32 %n, [%in]; mul.wide.u32 %d, %t, 400; add.u64 %d, %d, %out;
LOOP:
  ld.global.u32 %r0, [%d]; mul.lo.u32 %r1, %r0, 3; shr.u32 %r2, %r1, 5; st.global.u32 [%d], %r1;
  add.u64 %d, %d, 4; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, %n;
  @%z bra LOOP;
  add.u32 %r2, %r2, %r0; mul.wide.u32 %d, %t, 400; add.u64 %d, %d, %out;
  st.global.u32 [%d+396], %r2;
  ret;
})";
  LoadedModule module(text, gangs_of(16));
  REQUIRE(module.kernel("k").facts.gang_lanes == 16);
  for (const std::uint32_t trips : {1u, 7u, 32u, 99u}) {
    const auto run = [&](bool thread_by_thread) {
      module.thread_by_thread = thread_by_thread;
      std::vector<std::uint32_t> out(threads * row_words);
      for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = i * 747796405u;
      module.run("k", {1}, {threads}, &trips, out.data());
      return out;
    };
    CHECK(run(false) == run(true));
  }
}

namespace {

/// A row of `out` and of `in` for each thread, of elements of a type, walked by a counter.
struct Walk {
  const char* type;     ///< of an element in memory
  unsigned bytes;       ///< an element has
  unsigned copies;      ///< of the body, as if unrolled
  int step;             ///< elements from one to the next
  const char* counter;  ///< of what type it is
  const char* index;    ///< how a row's index becomes 64 bits
};

/// Thread t's element j of out becomes 3 * in[j] + j + out[j], for some of 64 j.
std::string kernel(const Walk& walk) {
  const std::string counter = walk.counter;
  const std::string bits = counter.substr(1);
  const int all = walk.step * static_cast<int>(walk.copies);
  const std::string value = walk.bytes == 8 ? "64" : walk.bytes == 4 ? "32" : "16";
  const std::string type = std::string(walk.type);
  std::string body;
  for (unsigned copy = 0; copy < walk.copies; ++copy) {
    const std::string at =
        "+" + std::to_string(static_cast<int>(copy) * walk.step * static_cast<int>(walk.bytes)) +
        "]";
    body += "ld.global." + type + " %v0, [%c" + at + "; ld.global." + type + " %v1, [%d" + at +
            "; mul.lo.u" + value + " %v0, %v0, 3; add.u" + value + " %v0, %v0, %v1; add.s" + bits +
            " %j, %i, " + std::to_string(static_cast<int>(copy) * walk.step) + "; cvt.u" + value +
            ".u" + bits + " %v1, %j; add.u" + value + " %v0, %v0, %v1; st.global." + type + " [%d" +
            at + ", %v0;\n";
  }
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %c, %d, %x; .reg .b32 %t, %s, %r; .reg .pred %z;
  .reg .b)" +
         bits + " %i, %j, %n; .reg .b" + value + R"( %v<2>;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
  ld.global.u)" +
         bits + " %i, [%in]; ld.global.u" + bits + R"( %n, [%in+8]; add.u64 %in, %in, 64;
  mul.lo.u32 %s, %t, 96; add.u32 %s, %s, 16;
LOOP:
)" + (bits == "64" ? "cvt.u32.u64 %r, %i;" : "mov.b32 %r, %i;") +
         "add.u32 %t, %s, %r; " + walk.index + " %x, %t, " + std::to_string(walk.bytes) + R"(;
  add.u64 %c, %in, %x; add.u64 %d, %out, %x;
)" + body +
         "add.s" + bits + " %i, %i, " + std::to_string(all) + "; setp." +
         (all > 0 ? "lt." : "gt.") + counter + R"( %z, %i, %n;
  @%z bra LOOP;
  ret;
})";
}

void compare(const Walk& walk) {
  const std::string text = kernel(walk);
  CHECK_MESSAGE(walks_own_rows(text), plan_of(text));
  // The block is whole gangs: no form for a rest of one is compiled, which nothing here would run.
  auto options = gangs_of(16);
  options.forms = Forms(Form::Gangs) | Form::Threads;
  static_assert(threads % 16 == 0);
  LoadedModule module(text, options);
  REQUIRE(module.kernel("k").facts.gang_lanes == 16);
  const bool up = walk.step > 0;
  for (const std::uint64_t elements : {1u, 2u, 7u, 16u, 33u, 60u}) {
    const auto run = [&](bool thread_by_thread) {
      module.thread_by_thread = thread_by_thread;
      std::vector<std::uint64_t> in(8 + threads * 96), out(threads * 96);
      for (std::uint64_t i = 0; i < in.size(); ++i) in[i] = i * 0x9e3779b97f4a7c15u;
      in[0] = up ? 0 : elements;
      in[1] = up ? elements : 3;
      module.run("k", {1}, {threads}, in.data(), out.data());
      return out;
    };
    CHECK_MESSAGE(run(false) == run(true), elements << " elements: " << text);
  }
}

}  // namespace

TEST_CASE("rows are walked in vectors whatever their elements, counters and directions") {
  for (const auto& [type, bytes] : {std::pair{"u8", 1u}, {"u16", 2u}, {"u32", 4u}, {"u64", 8u}}) {
    for (const char* counter : {"s32", "u32", "s64", "u64"}) {
      for (const int step : {1, -1, 2}) {
        if (step < 0 && counter[0] == 'u') continue;
        for (const unsigned copies : {1u, 2u, 4u}) {
          for (const char* index : {"mul.wide.u32", "mul.wide.s32"})
            compare({type, bytes, copies, step, counter, index});
        }
      }
    }
  }
}

TEST_CASE("the plan says why a row stays in lanes") {
  const std::string text = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %out, %d; .reg .b32 %t, %i, %s, %r; .reg .pred %z;
  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %i, 0; mov.u32 %s, 0;
  mul.wide.u32 %d, %t, 400; add.u64 %d, %d, %out;
LOOP:
  ld.global.u32 %r, [%d]; mad.lo.u32 %s, %s, %s, %r; st.global.u32 [%d], %s;
  add.u64 %d, %d, 4; add.u32 %i, %i, 1; setp.lt.u32 %z, %i, 100;
  @%z bra LOOP;
  ret;
})";
  CHECK(!walks_own_rows(text));
  CHECK(plan_of(text).find("stays in lanes: what it stores goes from trip to trip") !=
        std::string::npos);
}
