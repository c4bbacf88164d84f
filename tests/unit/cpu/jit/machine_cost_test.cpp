// SPDX-License-Identifier: MIT
// What is estimated before code is made bounds the code that is made, whatever kernels consist of.
#include "cpu/jit/machine_cost.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cpu/jit/compile.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/parser.h"
#include "unit/cpu/kernel_run.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

struct Estimated {
  std::uint64_t cost = 0;
  std::uint64_t bytes = 0;  ///< of the object file
};

/// A kernel that does `step` so often, each time with what it did before. %N is the step's number.
std::string repeated(const std::string& step, unsigned times) {
  std::string body = R"(.visible .entry k(.param .u64 out) {
  .reg .pred %p; .reg .b16 %h; .reg .b32 %t, %x, %y; .reg .b64 %o, %a, %b, %c;
  .shared .align 4 .b8 place[8192]; .reg .f32 %f, %g; .reg .f64 %e, %k;
  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 8; add.u64 %a, %o, %a;
  ld.global.u64 %c, [%a]; cvt.u32.u64 %x, %c; mov.u32 %y, %x; mov.b32 %f, %x; mov.f32 %g, %f;
  mov.b64 %e, %c; mov.f64 %k, %e;
)";
  for (unsigned i = 0; i < times; ++i) {
    std::string one = step;
    for (auto at = one.find("%N"); at != std::string::npos; at = one.find("%N"))
      one.replace(at, 2, std::to_string(i + 1));
    body += one + "\n";
  }
  return pycuda::cpu::testing::module_of(body + R"(
  st.global.u64 [%a], %c; st.global.u32 [%a+8192], %x; st.global.f32 [%a+16384], %f;
  st.global.f64 [%a+24576], %e; ret;
})");
}

Estimated estimate(const std::string& text, jit::Options options) {
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  Estimated found;
  options.background = [](const std::function<void()>&) { return false; };
  options.before_emission = [&](std::uint64_t cost) { found.cost = cost; };
  const auto compiled = jit::compile_module(*parsed, options);
  REQUIRE(compiled);
  found.bytes = compiled->object.size();
  return found;
}

/// Thrown where the cost is known, so that no code is made.
struct Known {
  std::uint64_t cost;
};

std::uint64_t estimate_alone(const std::string& text) {
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.background = [](const std::function<void()>&) { return false; };
  options.before_emission = [](std::uint64_t cost) { throw Known{cost}; };
  try {
    static_cast<void>(jit::compile_module(*parsed, options));
  } catch (const Known& known) {
    return known.cost;
  }
  FAIL("no cost was estimated");
  return 0;
}

const std::vector<std::string> steps = {
    "mad.lo.u32 %x, %x, %y, %N;",
    "mul.lo.u64 %c, %c, %N; xor.b64 %c, %c, %N;",
    "mul.hi.u64 %c, %c, %N; add.u64 %c, %c, %N;",
    "div.u32 %x, %x, %y; add.u32 %x, %x, %N;",
    "rem.u64 %c, %N, %c; add.u64 %c, %c, %N;",
    "add.rn.f32 %f, %f, %g; mul.rn.f32 %f, %f, %g;",
    "div.rn.f64 %e, %e, %k; add.f64 %e, %e, %k;",
    "sqrt.rn.f32 %f, %f;",
    "sin.approx.f32 %f, %f;",
    "and.b32 %t, %x, 4092; cvt.u64.u32 %b, %t; add.u64 %b, %b, %o; ld.global.u32 %y, [%b];"
    "add.u32 %x, %x, %y;",
    "and.b32 %t, %x, 4095; cvt.u64.u32 %b, %t; add.u64 %b, %b, %o; ld.global.u8 %h, [%b];"
    "cvt.u32.u16 %y, %h; add.u32 %x, %x, %y;",
    "and.b32 %t, %x, 4092; cvt.u64.u32 %b, %t; add.u64 %b, %b, %o; st.global.u32 [%b], %x;"
    "mad.lo.u32 %x, %x, %y, %N;",
    "setp.lt.u32 %p, %x, %N; @%p mul.lo.u32 %x, %x, %y; @!%p add.u32 %x, %x, %N;",
    "popc.b32 %y, %x; add.u32 %x, %x, %y; shl.b32 %x, %x, %y;",
    "cvt.rzi.s64.f64 %c, %e; cvt.rn.f64.u64 %e, %c;",
    "shfl.sync.bfly.b32 %y, %x, 1, 31, -1; add.u32 %x, %x, %y;",
};

}  // namespace

TEST_CASE("the machine code of a kernel is as long as was estimated, within a factor") {
  constexpr unsigned times = 100;
  // An instruction has six bytes or so: five times as many, or an eighth, since a division counts
  // for the time that it takes: most of all one of doubles, without AVX-512 twice that. An object
  // file has some bytes around the code.
  constexpr double of_instruction = 6, most = 5;
  constexpr double around = 4000;
  for (const std::string& step : steps) {
    for (const bool vectors : {true, false}) {
      CAPTURE(step);
      CAPTURE(vectors);
      const Estimated found =
          estimate(repeated(step, times), pycuda::cpu::testing::vectors(vectors));
      CAPTURE(found.cost);
      CAPTURE(found.bytes);
      const double estimated = of_instruction * static_cast<double>(found.cost);
      const auto bytes = static_cast<double>(found.bytes);
      CHECK(bytes < most * estimated + around);
      const double least = step.starts_with("div.rn.f64") ? 1.0 / 16 : 1.0 / 8;
      CHECK(bytes > least * estimated);
    }
  }
}

TEST_CASE("what is done lane by lane becomes loops where there is much of it") {
  const std::string step =
      "and.b32 %t, %x, 4092; mov.u32 %y, place; add.u32 %t, %t, %y; atom.shared.add.u32 %x, [%t], "
      "%x;";
  const auto cost = [&](unsigned times) { return estimate_alone(repeated(step, times)); };
  constexpr unsigned few = 20, many = 150, ten = 10;
  const std::uint64_t of_ten_more = cost(few + ten) - cost(few);
  CHECK((cost(many + ten) - cost(many)) * 2 < of_ten_more);
}
