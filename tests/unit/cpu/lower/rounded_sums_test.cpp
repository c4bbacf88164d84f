// SPDX-License-Identifier: MIT
// Sums and products that are not rounded to nearest.
#include <cmath>
#include <string>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;

TEST_CASE("zeros have the sign that their rounding gives them") {
  LoadedModule module(R"(
    .visible .entry k(.param .u64 out, .param .f32 a, .param .f32 b) {
      .reg .f32 %a, %b, %f; .reg .b64 %out;
      ld.param.u64 %out, [out]; ld.param.f32 %a, [a]; ld.param.f32 %b, [b];
      mul.rz.f32 %f, %a, %b; st.global.f32 [%out], %f;
      mul.rm.f32 %f, %a, %b; st.global.f32 [%out+4], %f;
      mul.rp.f32 %f, %a, %b; st.global.f32 [%out+8], %f;
      sub.rz.f32 %f, %a, %a; st.global.f32 [%out+12], %f;
      sub.rm.f32 %f, %a, %a; st.global.f32 [%out+16], %f;
      sub.rp.f32 %f, %a, %a; st.global.f32 [%out+20], %f; ret; })");
  const auto signs_of = [&](float a, float b) {
    float out[6] = {9, 9, 9, 9, 9, 9};
    module.run("k", {1}, {1}, static_cast<float*>(out), a, b);
    std::string signs;
    for (const float zero : out) {
      CHECK(zero == 0);
      signs += std::signbit(zero) ? '-' : '+';
    }
    return signs;
  };
  CHECK(signs_of(0.0f, 3.0f) == "++++-+");
  CHECK(signs_of(-0.0f, 3.0f) == "---+-+");
  CHECK(signs_of(2.0f, -0.0f) == "---+-+");
}
