// SPDX-License-Identifier: MIT
// Kernels too long for the whole compiler have the bits of short ones.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

/// Of each two numbers a and b three differences, behind so many additions.
std::string differences_behind(unsigned additions) {
  std::string body = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %in, %out, %offset; .reg .b32 %i, %x; .reg .f64 %a, %b, %d;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x; mov.u32 %x, %i;
)";
  for (unsigned i = 0; i < additions; ++i) body += "  add.u32 %x, %x, %i;\n";
  body += R"(
  mul.wide.u32 %offset, %i, 16; add.u64 %in, %in, %offset; mul.wide.u32 %offset, %i, 32;
  add.u64 %out, %out, %offset;
  ld.global.f64 %a, [%in]; ld.global.f64 %b, [%in+8];
)";
  for (const std::string way : {"rz", "rm", "rp"}) {
    const std::string place = way == "rz" ? "" : way == "rm" ? "+8" : "+16";
    body += "  sub." + way + ".f64 %d, %a, %b; st.global.f64 [%out" + place + "], %d;\n";
  }
  return body + "  st.global.u32 [%out+24], %x; ret;\n}\n";
}

std::vector<std::uint64_t> results(unsigned additions, const std::vector<std::uint64_t>& in) {
  LoadedModule module(differences_behind(additions), vectors(false));
  std::vector<std::uint64_t> out(in.size() / 2 * 4);
  module.run("k", {1}, {static_cast<unsigned>(in.size() / 2)}, in.data(), out.data());
  for (std::size_t i = 3; i < out.size(); i += 4) {
    CHECK(static_cast<std::uint32_t>(out[i]) == (additions + 1) * (i / 4));
    out[i] = 0;
  }
  return out;
}

}  // namespace

TEST_CASE("differences in kernels of 30,000 instructions have the bits of those in short ones") {
  const std::uint64_t numbers[] = {0,
                                   0x8000000000000000,
                                   0x3ff0000000000001,
                                   0xbff3333333333333,
                                   0x7ff0000000000000,
                                   0x7ff8000000012345,
                                   0xfff8000000000001};
  std::vector<std::uint64_t> in;
  for (const std::uint64_t a : numbers) {
    for (const std::uint64_t b : numbers) in.insert(in.end(), {a, b});
  }
  CHECK(results(30'000, in) == results(10, in));
}
