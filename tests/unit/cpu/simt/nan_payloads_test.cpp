// SPDX-License-Identifier: MIT
// NaNs that loops carry: what is computed has the GPU's own NaN, what is only moved keeps its bits.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t threads = 256, numbers = 512;
constexpr std::uint32_t canonical_nan = 0x7fffffff;

/// Thread i begins with %f1 = `start` and does `body` i % 5 times with the next number in %f2, from
/// in[i] on. Then `end`, with the address of out[i] in %rd3.
std::string kernel(const std::string& start, const std::string& body, const std::string& end) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in) {
  .reg .b64 %rd<9>; .reg .b32 %r<12>; .reg .pred %p<4>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd3, %rd1, %rd3;
  rem.u32 %r2, %r1, 5; mov.u32 %r3, 0;)" +
         start + "AGAIN: setp.ge.u32 %p1, %r3, %r2; @%p1 bra DONE; ld.global.f32 %f2, [%rd4];" +
         body + "add.u64 %rd4, %rd4, 4; add.u32 %r3, %r3, 1; bra AGAIN; DONE:" + end + "ret; }";
}

/// Numbers with NaNs of all kinds among them.
std::vector<float> mixed() {
  std::vector<float> in(numbers);
  for (std::uint32_t i = 0; i < numbers; ++i) {
    in[i] = static_cast<float>(i % 13);
    if (i % 11 == 3) in[i] = std::bit_cast<float>(0x7fc00000u + i);
    if (i % 17 == 5) in[i] = std::bit_cast<float>(0xffc00000u + i);
    if (i % 29 == 7) in[i] = std::numeric_limits<float>::infinity();
  }
  return in;
}

/// `expected` gives the bits for the first number and how many there are.
void check(const std::string& text,
           const std::function<std::uint32_t(const float*, std::uint32_t)>& expected) {
  const std::vector<float> in = mixed();
  for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
    for (const bool alone : {false, true}) {
      Options options;
      options.gang_lanes = lanes;
      LoadedModule module(text, options);
      module.thread_by_thread = alone;
      std::vector<std::uint32_t> out(threads, 7);
      module.run("k", {1}, {threads}, out.data(), in.data());
      for (std::uint32_t i = 0; i < threads; ++i)
        CHECK_MESSAGE(out[i] == expected(&in[i], i % 5), lanes << " lanes, thread " << i);
    }
  }
}

std::uint32_t computed(float value) {
  return std::isnan(value) ? canonical_nan : std::bit_cast<std::uint32_t>(value);
}

float sum_of_squares(const float* in, std::uint32_t count, float sum = 0) {
  for (std::uint32_t k = 0; k < count; ++k) sum = std::fma(in[k], in[k], sum);
  return sum;
}

const char* const squares = "fma.rn.f32 %f1, %f2, %f2, %f1;";
const char* const zero = "mov.f32 %f1, 0f00000000;";
const char* const store = "st.global.f32 [%rd3], %f1;";

}  // namespace

TEST_CASE("a sum that met a NaN ends as the one NaN of computed values") {
  check(kernel(zero, squares, store),
        [](const float* in, std::uint32_t count) { return computed(sum_of_squares(in, count)); });
}

TEST_CASE("what a loop of no trips leaves alone keeps its payload") {
  check(kernel("ld.global.f32 %f1, [%rd4+64];", squares, store),
        [](const float* in, std::uint32_t count) {
          return count == 0 ? std::bit_cast<std::uint32_t>(in[16])
                            : computed(sum_of_squares(in, count, in[16]));
        });
  check(kernel("mov.f32 %f1, 0f7FC01234;", squares, store),
        [](const float*, std::uint32_t count) { return count == 0 ? 0x7fc01234u : canonical_nan; });
}

TEST_CASE("the bits behind a loop are the canonical ones in every way to look at them") {
  check(kernel(zero, squares, "mov.b32 %r4, %f1; st.global.u32 [%rd3], %r4;"),
        [](const float* in, std::uint32_t count) { return computed(sum_of_squares(in, count)); });
  check(kernel(zero, squares, "neg.f32 %f1, %f1; st.global.f32 [%rd3], %f1;"),
        [](const float* in, std::uint32_t count) { return computed(-sum_of_squares(in, count)); });
  check(kernel(zero, squares,
               "setp.gt.u32 %p2, %r2, 2; selp.f32 %f1, %f1, 0f7FC01234, %p2;"
               "mov.b32 %r4, %f1; st.global.u32 [%rd3], %r4;"),
        [](const float* in, std::uint32_t count) {
          return count > 2 ? computed(sum_of_squares(in, count)) : 0x7fc01234u;
        });
}

TEST_CASE("registers that hold the bits of a sum, and those of numbers") {
  const std::string moves = "fma.rn.f32 %f2, %f2, %f2, %f1; mov.b32 %r6, %f2; mov.b32 %f1, %r6;";
  const std::string end = "mov.b32 %r7, %f1; st.global.u32 [%rd3], %r7;";
  check(kernel("mov.u32 %r6, 0; mov.b32 %f1, %r6;", moves, "st.global.u32 [%rd3], %r6;"),
        [](const float* in, std::uint32_t count) { return computed(sum_of_squares(in, count)); });
  check(kernel("mov.u32 %r6, 0x7fc00777; mov.b32 %f1, %r6;", moves, end),
        [](const float*, std::uint32_t count) { return count == 0 ? 0x7fc00777u : canonical_nan; });
  check(kernel("ld.global.u32 %r6, [%rd4+64]; mov.b32 %f1, %r6;", moves, end),
        [](const float* in, std::uint32_t count) {
          return count == 0 ? std::bit_cast<std::uint32_t>(in[16])
                            : computed(sum_of_squares(in, count, in[16]));
        });
  check(
      kernel("mov.u32 %r6, 0; mov.b32 %f1, %r6;", moves,
             "add.u32 %r6, %r6, 1; st.global.u32 [%rd3], %r6;"),
      [](const float* in, std::uint32_t count) { return computed(sum_of_squares(in, count)) + 1; });
}

TEST_CASE("sums of sums, a bound on every trip, and what each trip stores") {
  const std::string inner =
      "mov.u32 %r5, 0; INNER: ld.global.f32 %f4, [%rd4]; fma.rn.f32 %f1, %f4, %f2, %f1;"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra INNER;";
  check(kernel(zero, inner, store), [](const float* in, std::uint32_t count) {
    float sum = 0;
    for (std::uint32_t k = 0; k < 3 * count; ++k) sum = std::fma(in[k / 3], in[k / 3], sum);
    return computed(sum);
  });
  // A maximum with a number is that number again.
  check(kernel(zero, std::string(squares) + "max.f32 %f1, %f1, 0f3F800000;", store),
        [](const float* in, std::uint32_t count) {
          float sum = 0;
          for (std::uint32_t k = 0; k < count; ++k)
            sum = std::fmax(std::fma(in[k], in[k], sum), 1.0f);
          return computed(sum);
        });
  check(kernel(zero, std::string(squares) + store, "st.global.f32 [%rd3], %f1;"),
        [](const float* in, std::uint32_t count) { return computed(sum_of_squares(in, count)); });
}
