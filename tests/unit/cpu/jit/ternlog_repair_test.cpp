// SPDX-License-Identifier: MIT
// Three-input logic under a mask: the forms that LLVM's AVX-512 selection gives a wrong table.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t threads = 64;

/// `lane ? ((a & c) | (b & ~c)) : kept`, with one or several uses of c (an operand in memory or in
/// a register) and `kept` one of a and b.
struct Form {
  bool keeps_a;
  bool constant_once;
  unsigned bits;
};

std::uint64_t constant_of(unsigned bits) {
  return bits == 32 ? 0x7fffffffull : 0x7fffffffffffffffull;
}

std::string kernel_of(const Form& form) {
  const std::string t = std::to_string(form.bits), bytes = std::to_string(form.bits / 8);
  const std::string c = std::to_string(constant_of(form.bits));
  const std::string inverse =
      std::to_string(form.bits == 32 ? 0x80000000ull : 0x8000000000000000ull);
  const std::string kept = form.keeps_a ? "%a" : "%b";
  const std::string logic = "and.b" + t + " %x, %a, " + c + "; and.b" + t + " %y, %b, " + inverse +
                            "; or.b" + t + " %x, %x, %y; selp.b" + t + " %x, %x, " + kept +
                            ", %p;\n";
  std::string body =
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .b64 %in, %out, %at; .reg .b32 %i; .reg .pred %p; .reg .b" +
      t +
      " %a, %b, %m, %x, %y, %z;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x;\n"
      "mul.wide.u32 %at, %i, " +
      bytes +
      "; add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n"
      "ld.global.b" +
      t + " %m, [%in]; setp.lt.s" + t +
      " %p, %m, 5;\n"
      "ld.global.b" +
      t + " %b, [%in+" + std::to_string(threads * form.bits / 8) +
      "];\n"
      "ld.global.b" +
      t + " %a, [%in+" + std::to_string(2 * threads * form.bits / 8) + "];\n" + logic +
      "st.global.b" + t + " [%out], %x;\n";
  if (!form.constant_once) {
    body += "and.b" + t + " %z, %m, " + c + "; add.u" + t + " %z, %z, %b; st.global.b" + t +
            " [%out+" + std::to_string(threads * form.bits / 8) + "], %z;\n";
  }
  return body + "ret;\n}\n";
}

template <class Word>
void check(const Form& form) {
  LoadedModule module(kernel_of(form));
  CHECK_MESSAGE(module.kernel("k").facts.gang_lanes != 0, module.kernel("k").facts.scalar_reason);
  std::vector<Word> in(3 * threads), out(2 * threads), expected(threads), found(threads);
  for (std::uint32_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<Word>((i + 1) * 0x9e3779b97f4a7c15ull ^ (i << 13));
  const auto c = static_cast<Word>(constant_of(form.bits));
  for (std::uint32_t i = 0; i < threads; ++i) {
    const Word m = in[i], b = in[threads + i], a = in[2 * threads + i];
    const bool lane = static_cast<std::make_signed_t<Word>>(m) < 5;
    expected[i] = lane ? Word((a & c) | (b & Word(~c))) : form.keeps_a ? a : b;
  }
  // Full gangs take memory operands where a gang's rest takes masked loads and constants.
  for (const std::uint32_t count : {threads, 40u, 7u}) {
    std::fill(out.begin(), out.end(), Word{0});
    module.run("k", Dim3{1}, Dim3{count}, in.data(), out.data());
    found.assign(out.begin(), out.begin() + threads);
    std::fill(expected.begin() + count, expected.end(), Word{0});
    CHECK(found == expected);
  }
}

}  // namespace

TEST_CASE("a choice by bits under a mask, in every order of its operands") {
  for (const bool keeps_a : {true, false}) {
    for (const bool constant_once : {true, false}) {
      CAPTURE(keeps_a);
      CAPTURE(constant_once);
      check<std::uint32_t>({keeps_a, constant_once, 32});
      check<std::uint64_t>({keeps_a, constant_once, 64});
    }
  }
}

TEST_CASE("isnan(y) ? y : copysign(y, x) in a loop, of which fmodf is made") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %at; .reg .b32 %i, %n, %k, %w; .reg .f32 %x, %y, %z; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %i, %tid.x;
  mul.wide.u32 %at, %i, 4; add.u64 %in, %in, %at; add.u64 %out, %out, %at; mov.u32 %k, 0;
LOOP:
  ld.global.f32 %x, [%in]; ld.global.b32 %w, [%in+256];
  and.b32 %w, %w, 0x7fffffff; mov.b32 %y, %w;
  copysign.f32 %z, %x, %y; setp.nan.f32 %p, %y, %y; selp.f32 %z, %y, %z, %p;
  st.global.f32 [%out], %z;
  add.u64 %in, %in, 512; add.u64 %out, %out, 256; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n;
  @%p bra LOOP;
  ret;
})");
  constexpr std::uint32_t trips = 5;
  std::vector<std::uint32_t> in(2 * threads * trips), out(threads * trips), expected(out.size());
  for (std::uint32_t i = 0; i < in.size(); ++i) {
    in[i] = (i + 1) * 2654435761u;
    if (i % 7 == 0) in[i] |= 0x7fc00000;
  }
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const std::uint32_t at = i / threads * 2 * threads + i % threads;
    const std::uint32_t x = in[at], y = in[at + threads] & 0x7fffffff;
    expected[i] = y > 0x7f800000 ? y : (x & 0x80000000) | y;
  }
  module.run("k", Dim3{1}, Dim3{threads}, in.data(), out.data(), trips);
  CHECK(out == expected);
}
