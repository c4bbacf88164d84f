// SPDX-License-Identifier: MIT
// Kernels that leave flushing to the processor: the bits that code for each flush gives, above all
// where a result lies just below the least normal number and rounds up to it.
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

constexpr std::uint32_t results = 8;

/// Products and sums of three numbers that depend on each other, in `trips` rounds; all of them are
/// stored.
std::string chain(bool is_mixed) {
  return std::string(R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 trips) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<20>; .reg .f64 %fd<2>; .reg .pred %p;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r4, [n]; ld.param.u32 %r5, [trips];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r1, %r3, %r2, %r1;
  setp.ge.u32 %p, %r1, %r4; @%p ret;
  mul.wide.u32 %rd3, %r1, 12; add.u64 %rd1, %rd1, %rd3;
  mul.wide.u32 %rd3, %r1, 32; add.u64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];
  mov.u32 %r6, 0;
again:
  mul.ftz.f32 %f4, %f1, %f2;
  fma.rn.ftz.f32 %f5, %f1, %f2, %f3;
  mul.ftz.f32 %f6, %f4, %f1;
  fma.rn.ftz.f32 %f7, %f4, %f3, %f5;
  add.ftz.f32 %f8, %f7, %f6;
  neg.ftz.f32 %f9, %f8;
  fma.rn.ftz.f32 %f10, %f9, %f1, %f4;
  max.ftz.f32 %f11, %f10, %f3;
  add.u32 %r6, %r6, 1;
  setp.ge.u32 %p, %r6, %r5;
  @%p bra done;
  mov.f32 %f1, %f5; mov.f32 %f3, %f10;
  bra again;
done:
)") +
         (is_mixed
              ? "  cvt.f64.f32 %fd1, %f4; add.f64 %fd1, %fd1, %fd1; cvt.rn.f32.f64 %f11, %fd1;\n"
              : "") +
         R"(
  st.global.f32 [%rd2], %f4; st.global.f32 [%rd2+4], %f5; st.global.f32 [%rd2+8], %f6;
  st.global.f32 [%rd2+12], %f7; st.global.f32 [%rd2+16], %f8; st.global.f32 [%rd2+20], %f9;
  st.global.f32 [%rd2+24], %f10; st.global.f32 [%rd2+28], %f11; ret;
}
)";
}

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Triples of any sort; with products near 2^-126; with one that rounds up to it.
std::vector<float> numbers(std::uint32_t count) {
  std::mt19937 generator(17);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  std::vector<float> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t sort = random() % 8;
    if (sort < 2) {
      for (int k = 0; k < 3; ++k) all.push_back(from_bits(random()));
      continue;
    }
    const std::uint32_t exponent = 1 + random() % 126;
    const std::uint32_t mantissa = sort == 2 ? 0x7fffff : random() & 0x7fffff;
    const std::uint32_t other = sort == 2 ? 0 : sort == 3 ? 0x800000 - mantissa : random();
    const std::uint32_t signs = random();
    all.push_back(from_bits((signs & 0x80000000u) | exponent << 23 | mantissa));
    all.push_back(from_bits((signs << 1 & 0x80000000u) |
                            (127 - exponent + (sort == 2 ? 0 : random() % 3)) << 23 |
                            (other & 0x7fffff)));
    all.push_back(from_bits(sort < 6 ? signs << 2 & 0x80000000u
                                     : (signs << 2 & 0x80000000u) | random() % 0x1000000));
  }
  return all;
}

std::vector<std::uint32_t> run(LoadedModule& module, const std::vector<float>& in,
                               std::uint32_t trips) {
  const auto n = static_cast<std::uint32_t>(in.size() / 3);
  std::vector<std::uint32_t> out(std::size_t{n} * results);
  module.run("k", {(n + 255) / 256}, {256}, in.data(), out.data(), n, trips);
  return out;
}

}  // namespace

TEST_CASE("what the processor flushes has the bits that code gives it") {
  const std::vector<float> in = numbers(40000);
  for (const bool is_mixed : {false, true}) {
    CAPTURE(is_mixed);
    auto in_code = vectors(false);
    in_code.processor_flushes = false;
    LoadedModule exact(chain(is_mixed), in_code);
    CHECK_FALSE(exact.kernel("k").facts.processor_flushes);
    for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
      LoadedModule gangs(chain(is_mixed), gangs_of(lanes));
      CHECK(gangs.kernel("k").facts.processor_flushes == !is_mixed);
      for (const std::uint32_t trips : {1u, 2u, 5u}) {
        const auto expected = run(exact, in, trips);
        CHECK(run(gangs, in, trips) == expected);
      }
    }
    LoadedModule threads(chain(is_mixed), vectors(false));
    CHECK(run(threads, in, 3) == run(exact, in, 3));
  }
}

TEST_CASE("a product that rounds up to the least normal number is a zero of its sign") {
  // (1 - 2^-24) * 2^-126, in one lane of many.
  std::vector<float> in(3 * 192, 1.0f);
  in[3 * 37] = -from_bits(0x3f7fffff);
  in[3 * 37 + 1] = 0x1p-126f;
  in[3 * 37 + 2] = -0.0f;
  LoadedModule gangs(chain(false), gangs_of(64));
  const auto out = run(gangs, in, 1);
  CHECK(out[results * 37] == 0x80000000u);
  CHECK(out[results * 37 + 1] == 0x80000000u);
  CHECK(out[results * 36] == 0x3f800000u);
}
