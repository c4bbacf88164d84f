// SPDX-License-Identifier: MIT
// Kernels of many matrix products: how much code they become, and which forms they have to come.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

std::string products(std::size_t count) {
  std::string text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %out, %a; .reg .b32 %t, %x, %y; .reg .f64 %c, %d, %p, %q;
  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 16; add.u64 %a, %a, %out;
  ld.global.v2.f64 {%p, %q}, [%a]; mov.f64 %c, 0d0000000000000000; mov.f64 %d, %c;
)";
  for (std::size_t i = 0; i < count; ++i)
    text +=
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%c, %d}, {%p}, {%q}, {%c, %d}; "
        "add.f64 %p, %p, %d;\n";
  return text + "st.global.v2.f64 [%a], {%c, %d}; ret;\n}\n";
}

jit::Compiled compile(const std::string& text, bool vectors) {
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  jit::Options options;
  options.vectors = vectors;
  auto compiled = jit::compile_module(*parsed, options);
  REQUIRE(compiled);
  return std::move(*compiled);
}

jit::Compiled compile(std::size_t count, bool vectors) { return compile(products(count), vectors); }

}  // namespace

TEST_CASE("each further product is a call in code for single threads") {
  constexpr std::size_t few = 10, many = 60, most_bytes = 2000;
  const std::size_t bytes = compile(many, false).object.size() - compile(few, false).object.size();
  CHECK(bytes / (many - few) < most_bytes);
}

TEST_CASE("shuffles of products are no loads of single lanes") {
  constexpr std::size_t few = 2, many = 6, most_bytes = 12000;
  const jit::Compiled one = compile(few, true), other = compile(many, true);
  REQUIRE(one.kernels.at(0).gang_lanes == 32);
  REQUIRE(other.kernels.at(0).gang_lanes == 32);
  CHECK((other.object.size() - one.object.size()) / (many - few) < most_bytes);
}

TEST_CASE("hundreds of calls of a function with one shuffle are no reason against vectors") {
  std::string text = R"(
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) other(.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [a]; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; st.param.b32 [r], %r2; ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %a; .reg .b32 %t, %x;
  ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a; ld.global.u32 %x, [%a];
)";
  for (int i = 0; i < 150; ++i)
    text +=
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %x; call.uni (r), other, (a); "
        "ld.param.b32 %x, [r]; }\n";
  CHECK(compile(text + "st.global.u32 [%a], %x; ret;\n}\n", true).kernels.at(0).gang_lanes == 32);
}

TEST_CASE("a long kernel that accesses vectors of PTX has a vector form to come") {
  const jit::Compiled compiled = compile(200, true);
  CHECK(compiled.kernels.at(0).is_baseline);
  CHECK(compiled.kernels.at(0).scalar_reason.empty());
}
