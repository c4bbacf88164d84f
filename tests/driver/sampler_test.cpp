// SPDX-License-Identifier: MIT
// Samplers of their own, in modules for texmode_independent: these and not the textures say how
// they are read.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/texture_probe.h"

using namespace driver_test;

namespace {

/// `instruction` finds the texture in %t, or names one of the module's variables.
std::string independent(const std::string& instruction) {
  std::string text = probe_text(instruction, R"(
.global .texref image;
.global .samplerref nearest = { addr_mode_0 = clamp_to_border, filter_mode = nearest };
.global .samplerref smooth = { addr_mode_0 = clamp_to_edge, filter_mode = linear };
.global .samplerref texels = { addr_mode_0 = wrap, filter_mode = nearest,
                               force_unnormalized_coords = 1 };
.global .samplerref around = { addr_mode_0 = wrap, filter_mode = nearest };
)");
  const std::string target = ".target sm_75";
  return text.replace(text.find(target), target.size(), target + ", texmode_independent");
}

std::string fetch(const std::string& texture, const std::string& sampler) {
  return "tex.1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [" + texture + ", " + sampler + ", {%x}];";
}

}  // namespace

TEST_CASE("a sampler of its own says how any texture is read") {
  if (!is_cpu_driver()) return;  // a GPU's texture objects are samplers themselves
  const CurrentContext context;
  const TestArray array(shape(4, 0, 0, CU_AD_FORMAT_FLOAT));
  array.fill(counting(4).data(), 4);
  // Normalized, filtered and repeated at its edge, which only the first counts of.
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_LINEAR,
                                        CU_TRSF_NORMALIZED_COORDINATES));
  const auto read = [&](const std::string& instruction, float x) {
    const LoadedModule module(independent(instruction).c_str());
    return probe(module, texture.handle(), {at(x)})[0].real(0);
  };
  CHECK(read(fetch("%t", "nearest"), 0.3f) == 2);
  CHECK(read(fetch("%t", "nearest"), 1.3f) == 0);
  CHECK(read(fetch("%t", "smooth"), 0.25f) == 1.5f);
  CHECK(read(fetch("%t", "smooth"), 1.25f) == 4);
  CHECK(read(fetch("%t", "around"), 1.3f) == 2);
  // Texels do not wrap.
  CHECK(read(fetch("%t", "texels"), 2.5f) == 3);
  CHECK(read(fetch("%t", "texels"), 9.5f) == 4);
  CHECK(read(".reg .b64 %s;\nmov.u64 %s, nearest;\n" + fetch("%t", "%s"), 0.8f) == 4);
  CHECK(read("tex.level.1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, nearest, {%x}], %y;", 0.8f) == 4);
}

TEST_CASE("a texture reference and a sampler are two variables") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const TestArray array(shape(4, 0, 0, CU_AD_FORMAT_FLOAT));
  array.fill(counting(4).data(), 4);
  const LoadedModule module(independent(fetch("image", "smooth")).c_str());
  CUtexref reference = nullptr;
  REQUIRE(CU(cuModuleGetTexRef)(&reference, module.handle(), "image") == CUDA_SUCCESS);
  CHECK(CU(cuModuleGetTexRef)(&reference, module.handle(), "smooth") == CUDA_ERROR_NOT_FOUND);
  REQUIRE(CU(cuTexRefSetArray)(reference, array.handle(), CU_TRSA_OVERRIDE_FORMAT) == CUDA_SUCCESS);
  CHECK(probe(module, 0, {at(2)})[0].real(0) == 2.5f);
}

TEST_CASE("pointers to samplers are told from others, and nothing else is one") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const std::string ask =
      ".reg .b64 %s;\n.reg .pred %q<2>;\nmov.u64 %s, smooth;\n"
      "istypep.samplerref %q0, %s;\nistypep.texref %q1, %s;\n"
      "selp.u32 %v0, 1, 0, %q0;\nselp.u32 %v1, 1, 0, %q1;\n";
  const LoadedModule module(independent(ask).c_str());
  const Fetched answer = probe(module, 0, {at(0)})[0];
  CHECK(answer.bits[0] == 1);
  CHECK(answer.bits[1] == 0);
}
