// SPDX-License-Identifier: MIT
// Kernels too long to compile as they stand: what is repeated in them is shared, they wait in time
// that grows with their length, and they compute what short ones do.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"
#include "unit/cpu/kernel_run.h"

namespace {

namespace jit = pycuda::cpu::jit;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::testing::vectors;

constexpr std::uint32_t threads = 64;

/// A kernel whose threads do `step` to %x so many times, one after the other or in a loop.
std::string kernel(const std::string& step, std::size_t times, bool in_loop) {
  std::string text = R"(
.visible .entry k(.param .u64 data) {
  .shared .align 16 .b32 s[64];
  .reg .b32 %t, %v, %w, %x, %y, %z, %i, %row, %here, %there; .reg .b64 %a, %d; .reg .pred %p;
  ld.param.u64 %a, [data]; mov.u32 %t, %tid.x; mul.wide.u32 %d, %t, 4; add.u64 %a, %a, %d;
  ld.global.u32 %x, [%a]; mov.u32 %here, s; mad.lo.u32 %here, %t, 4, %here;
  and.b32 %row, %t, 15; mov.u32 %y, s; mad.lo.u32 %row, %row, 16, %y;
  st.shared.u32 [%here], %x; bar.sync 0; xor.b32 %there, %here, 4; mov.u32 %y, 0x01020304; mov.u32 %i, 0;
)";
  if (in_loop) text += "AGAIN:\n";
  for (std::size_t i = 0; i < (in_loop ? 1 : times); ++i) text += step + "\n";
  if (in_loop)
    text +=
        "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, " + std::to_string(times) + "; @%p bra AGAIN;\n";
  return text + "st.global.u32 [%a], %x; ret;\n}\n";
}

std::vector<std::uint32_t> results(const std::string& text) {
  LoadedModule module(text, vectors(false));
  std::vector<std::uint32_t> data(threads);
  for (std::uint32_t i = 0; i < threads; ++i) data[i] = 0x3c003800 + i * 2654435761u;
  module.run("k", {1, 1, 1}, {threads, 1, 1}, data.data());
  return data;
}

std::size_t code_bytes(const std::string& text) {
  const auto parsed = pycuda::cpu::ptx::parse(module_of(text));
  REQUIRE(parsed);
  const auto compiled = jit::compile_module(*parsed, vectors(false));
  REQUIRE(compiled);
  return compiled->object.size();
}

/// `jumps` places that all jump to one, where `jumps` variables are read that each may have set.
std::string jumps_to_one_place(std::size_t jumps) {
  std::string body, sum;
  for (std::size_t i = 0; i < jumps; ++i) {
    const std::string number = std::to_string(i);
    body += ".reg .b32 %n" + number + "; mov.u32 %n" + number + ", %y;\n";
    sum += "xor.b32 %x, %x, %n" + number + ";\n";
  }
  for (std::size_t i = 0; i < jumps; ++i) {
    const std::string number = std::to_string(i);
    body += "mad.lo.u32 %x, %x, 5, " + number + "; add.u32 %n" + number + ", %x, " + number +
            "; setp.eq.u32 %p, %x, " + std::to_string(3 * i) + "; @%p bra OUT;\n";
  }
  return kernel(body + "OUT: bar.sync 0;\n" + sum, 1, false);
}

struct Case {
  const char* step;
  std::size_t times;
  std::size_t most_bytes;  ///< of code, for each further time
};

/// One after the other, of which a loop would say little: each has dozens of instructions.
constexpr Case cases[] = {
    {"tanh.approx.f16x2 %x, %x; add.u32 %x, %x, %t;", 1200, 60},
    {"vavrg4.s32.s32.s32.sat %x, %x, %y, %x;", 1200, 60},
    {"sin.approx.f32 %x, %x; add.u32 %x, %x, %t;", 1200, 60},
    {"st.shared.u32 [%here], %x; bar.sync 0; ld.shared.u32 %z, [%there]; bar.sync 0;"
     "mad.lo.u32 %x, %x, 3, %z;",
     400, 400},
    {"shfl.sync.bfly.b32 %z, %x, 5, 31, 0xffffffff; mad.lo.u32 %x, %x, 3, %z;", 700, 400},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%v, %w, %y, %z}, [%row];"
     "mad.lo.u32 %x, %x, 3, %w; xor.b32 %x, %x, %z;",
     200, 400},
};

}  // namespace

TEST_CASE("a long kernel computes what a loop does") {
  for (const Case& each : cases) {
    CAPTURE(each.step);
    CHECK(results(kernel(each.step, each.times, false)) ==
          results(kernel(each.step, each.times, true)));
  }
}

TEST_CASE("each further instruction of a long kernel is little code") {
  for (const Case& each : cases) {
    CAPTURE(each.step);
    const std::size_t once = code_bytes(kernel(each.step, each.times, false));
    const std::size_t twice = code_bytes(kernel(each.step, 2 * each.times, false));
    CHECK(twice - once < each.times * each.most_bytes);
  }
}

TEST_CASE("code for many jumps to one place grows with their number") {
  constexpr std::uint32_t jumps = 500;
  const std::vector<std::uint32_t> found = results(jumps_to_one_place(jumps));
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    std::uint32_t x = 0x3c003800 + thread * 2654435761u;
    std::vector<std::uint32_t> numbers(jumps, 0x01020304);
    for (std::uint32_t i = 0; i < jumps; ++i) {
      x = x * 5 + i;
      numbers[i] = x + i;
      if (x == 3 * i) break;
    }
    for (const std::uint32_t number : numbers) x ^= number;
    CHECK(found[thread] == x);
  }
  const std::size_t once = code_bytes(jumps_to_one_place(800));
  const std::size_t twice = code_bytes(jumps_to_one_place(1600));
  CHECK(twice < 3 * once);
}
