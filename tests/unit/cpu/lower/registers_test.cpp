// SPDX-License-Identifier: MIT
// Registers: written once or often, before or after they are read.
#include <array>
#include <cstdint>
#include <string>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

TEST_CASE("a register that is read before its only write is zero, then what was written") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %out; .reg .b32 %late, %i, %sum; .reg .pred %p;
  ld.param.u64 %out, [out];
  mov.u32 %i, 0; mov.u32 %sum, 0;
LOOP:
  mad.lo.u32 %sum, %sum, 10, %late;
  add.u32 %late, %i, 1;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 4;
  @%p bra LOOP;
  st.global.u32 [%out], %sum;
  st.global.u32 [%out+4], %late;
  ret;
}
)");
  std::array<std::uint32_t, 2> out{};
  module.run("k", {1}, {1}, out.data());
  CHECK(out[0] == 123);
  CHECK(out[1] == 4);
}

TEST_CASE("a register whose only write is under a condition keeps zero without it") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b64 %out, %a; .reg .b32 %x, %y, %n, %t; .reg .pred %p;
  ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  setp.lt.u32 %p, %t, %n;
  @%p mov.u32 %x, 7;
  @!%p bra JOIN;
  mov.u32 %y, 5;
JOIN:
  mad.lo.u32 %x, %x, 10, %y;
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out;
  st.global.u32 [%a], %x;
  ret;
}
)");
  std::array<std::uint32_t, 64> out{};
  module.run("k", {1}, {64}, out.data(), 40u);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(out[i] == (i < 40 ? 75u : 0u));
}

TEST_CASE("registers of code that is never reached may depend on themselves") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %out; .reg .b32 %x, %y, %never;
  ld.param.u64 %out, [out];
  mov.u32 %x, 3;
  bra END;
DEAD:
  add.u32 %y, %y, %x;
  add.u32 %never, %y, 1;
  bra DEAD;
END:
  add.u32 %x, %x, %y;
  st.global.u32 [%out], %x;
  ret;
}
)");
  std::uint32_t out = 0;
  module.run("k", {1}, {1}, &out);
  CHECK(out == 3);
}

TEST_CASE("registers that are parameters and results of functions, and parts of vectors") {
  LoadedModule module(R"(
.func (.reg .u32 %r) twice(.reg .u32 %x) {
  add.u32 %r, %x, %x;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b64 %out; .reg .b32 %a, %b; .reg .v2 .u32 %pair;
  ld.param.u64 %out, [out];
  mov.u32 %a, 21;
  call (%b), twice, (%a);
  mov.u32 %pair.x, %b;
  mov.u32 %pair.y, %a;
  st.global.v2.u32 [%out], %pair;
  ret;
}
)");
  alignas(8) std::uint32_t out[2] = {};
  module.run("k", {1}, {1}, &out[0]);
  CHECK(out[0] == 42);
  CHECK(out[1] == 21);
}

TEST_CASE("a kernel with thousands of registers across thousands of blocks compiles") {
  // With a variable in memory for each of them LLVM takes time that grows with their product.
  constexpr int steps = 3000;
  std::string body = ".visible .entry k(.param .u64 out) {\n  .reg .b64 %out; .reg .b32 %acc, %r<" +
                     std::to_string(steps + 1) + ">; .reg .pred %p<" + std::to_string(steps) +
                     ">;\n  ld.param.u64 %out, [out]; mov.u32 %r0, %tid.x; mov.u32 %acc, 0;\n";
  std::uint32_t expected = 0, value = 0;
  for (int i = 0; i < steps; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    body += "  mad.lo.u32 %r" + next + ", %r" + n + ", 1664525, 1013904223;\n  setp.gt.u32 %p" + n +
            ", %r" + next + ", 2147483647;\n  @%p" + n + " xor.b32 %acc, %acc, %r" + next + ";\n";
    value = value * 1664525u + 1013904223u;
    if (value > 2147483647u) expected ^= value;
  }
  LoadedModule module(body + "  st.global.u32 [%out], %acc;\n  ret;\n}\n");
  std::uint32_t out = 0;
  module.run("k", {1}, {1}, &out);
  CHECK(out == expected);
}
