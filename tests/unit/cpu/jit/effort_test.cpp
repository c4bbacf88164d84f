// SPDX-License-Identifier: MIT
// Kernels of odd shapes: compiling them ends soon, where all of LLVM would take minutes.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <string>

#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

std::string kernel(const std::string& body) {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .b64 %out, %a; .reg .b32 %n, %i, %x, %z, %t, %c<512>; .reg .pred %p;
  ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %i, %tid.x; mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %out; mov.u32 %x, %i;
)" + body +
         "\nst.global.u32 [%a], %x; ret; }\n";
}

/// Whether compiling takes the least effort, whose time grows with the kernel's length alone. That
/// is decided by counting; a clock would say something else on another machine.
bool takes_least_effort(const std::string& text) {
  const auto parsed = ptx::parse(text);
  REQUIRE(parsed);
  bool takes_more = false;
  jit::Options options;
  options.background = [](const std::function<void()>&) { return false; };
  options.before_code = [&] { takes_more = true; };  // with more effort alone
  REQUIRE(jit::compile_module(*parsed, options));
  return !takes_more;
}

}  // namespace

TEST_CASE("a kernel of a few instructions takes more than the least effort") {
  CHECK(!takes_least_effort(kernel("mad.lo.u32 %x, %x, %n, 7;")));
}

TEST_CASE("hundreds of loops one after the other take the least effort") {
  std::string body;
  for (std::size_t i = 0; i < 800; ++i) {
    const std::string number = std::to_string(i);
    body += "mov.u32 %z, 0; H" + number + ": mad.lo.u32 %x, %x, %z, " + number +
            "; add.u32 %z, %z, 1; setp.lt.u32 %p, %z, %n; @%p bra H" + number + ";\n";
  }
  CHECK(takes_least_effort(kernel(body)));
}

TEST_CASE("hundreds of barriers take the least effort") {
  std::string body = ".shared .b32 s;\n";
  for (std::size_t i = 0; i < 400; ++i)
    body += "st.shared.u32 [s], %x; bar.sync 0; ld.shared.u32 %t, [s]; add.u32 %x, %x, %t;\n";
  CHECK(takes_least_effort(kernel(body)));
}

TEST_CASE("jumps among hundreds of labels take the least effort") {
  std::string body = "mov.u32 %z, 300;\n";
  constexpr std::size_t labels = 400;
  for (std::size_t i = 0; i < labels; ++i) {
    body += "L" + std::to_string(i) +
            ": sub.u32 %z, %z, 1; setp.eq.u32 %p, %z, 0; @%p bra DONE; mad.lo.u32 %x, %x, 5, " +
            std::to_string(i) + "; and.b32 %t, %x, 4; setp.eq.u32 %p, %t, 0; @%p bra L" +
            std::to_string(i * i * 31 % labels) + ";\n";
  }
  CHECK(takes_least_effort(kernel(body + "DONE:")));
}
