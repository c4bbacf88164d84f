// SPDX-License-Identifier: MIT
// Texels beside the place of a fetch: offsets in texels, gathers from cubes; and what istypep says
// of pointers.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/texture_probe.h"

using namespace driver_test;

namespace {

constexpr unsigned normalized = CU_TRSF_NORMALIZED_COORDINATES;

/// The texel of a line of `size` that `index` means under normalized coordinates; -1 for the
/// border.
int repeated(int index, int size, CUaddress_mode mode) {
  if (mode != CU_TR_ADDRESS_MODE_MIRROR) return addressed(index, size, mode);
  const int in_pair = (index % (2 * size) + 2 * size) % (2 * size);
  return in_pair < size ? in_pair : 2 * size - 1 - in_pair;
}

/// A fetch of one dimension whose offset the thread reads from %l.
constexpr const char* fetch_beside = "tex.1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x}], {%l};";

}  // namespace

TEST_CASE("an offset moves a fetch by texels, whatever is beyond the edge") {
  const CurrentContext context;
  const TestArray array(shape(8, 0, 0, CU_AD_FORMAT_FLOAT));
  const std::vector<float> texels = counting(8);
  array.fill(texels.data(), 4);
  std::vector<At> places;
  for (int offset = -8; offset < 8; ++offset) {
    for (float x = -2.5f + 1.0f / 64; x < 2.5f; x += 0.15625f)
      places.push_back(at(x, 0, 0, static_cast<std::uint32_t>(offset)));
  }
  for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_WRAP,
                                    CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER}) {
    CAPTURE(static_cast<int>(mode));
    const TestTexture texture(resource_of(array),
                              description(mode, CU_TR_FILTER_MODE_POINT, normalized));
    const auto results = probe(fetch_beside, texture.handle(), places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double position = double{std::bit_cast<float>(places[i].x)} * 8;
      const int index = repeated(
          static_cast<int>(std::floor(position)) + static_cast<std::int32_t>(places[i].layer), 8,
          mode);
      CAPTURE(position);
      CHECK(results[i].real(0) == (index < 0 ? 0 : texels[static_cast<std::size_t>(index)]));
    }
  }
}

TEST_CASE("a filtered fetch with an offset has the weights of one without") {
  const CurrentContext context;
  const TestArray array(shape(8, 8, 0, CU_AD_FORMAT_FLOAT));
  const std::vector<float> texels = counting(64);
  array.fill(texels.data(), 4);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
  const std::vector<At> places = {at(3.25f, 4.75f), at(3.0f, 3.5f), at(4.125f, 3.0625f)};
  const std::vector<At> moved = {at(5.25f, 3.75f), at(5.0f, 2.5f), at(6.125f, 2.0625f)};
  const auto beside = probe("tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], {2, -1};",
                            texture.handle(), places);
  const auto there =
      probe("tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];", texture.handle(), moved);
  for (std::size_t i = 0; i < places.size(); ++i) CHECK(beside[i].real(0) == there[i].real(0));
}

TEST_CASE("offsets work with integers, levels, gradients, layers and volumes") {
  const CurrentContext context;
  const CUDA_TEXTURE_DESC plain = description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT);
  SUBCASE("texels by number; of an offset four bits count") {
    const TestArray array(shape(16, 4, 0, CU_AD_FORMAT_FLOAT));
    array.fill(counting(64).data(), 4);
    const TestTexture texture(resource_of(array), plain);
    const auto read = [&](const std::string& offsets) {
      return probe("tex.2d.v4.f32.s32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], " + offsets + ";",
                   texture.handle(), {At{0, 8, 1, 0}})[0]
          .real(0);
    };
    CHECK(read("{-3, 2}") == 3 * 16 + 5 + 1);
    CHECK(read("{7, -8, %x, %x}") == 15 + 1);
    CHECK(read("{9, 0}") == 16 + 1 + 1);
  }
  SUBCASE("levels and gradients") {
    const TestArray array(shape(5, 3, 0, CU_AD_FORMAT_FLOAT));
    array.fill(counting(15).data(), 4);
    const TestTexture texture(resource_of(array), plain);
    for (const char* fetch :
         {"tex.level.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], %z, {2, 1};",
          "tex.grad.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], {%z, %z}, {%z, %z}, {2, "
          "1};",
          "tex.base.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], {2, 1};"}) {
      CHECK(probe(fetch, texture.handle(), {at(1.5f, 0.5f, 0)})[0].real(0) == 9);
    }
  }
  SUBCASE("layers, which an offset does not change") {
    const TestArray array(shape(4, 2, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED));
    array.fill(counting(24).data(), 4);
    const TestTexture texture(resource_of(array), plain);
    const auto results =
        probe("tex.a2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%l, %x, %y, %y}], {2, -1};",
              texture.handle(), {at(1.5f, 1.5f, 0, 1), at(0.5f, 1.5f, 0, 2)});
    CHECK(results[0].real(0) == 12);
    CHECK(results[1].real(0) == 19);
  }
  SUBCASE("three dimensions, with a fourth element that only fills the vector") {
    const TestArray array(shape(2, 3, 4, CU_AD_FORMAT_FLOAT));
    array.fill(counting(24).data(), 4);
    const TestTexture texture(resource_of(array), plain);
    const auto results =
        probe("tex.3d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y, %z, %z}], {1, -1, 2, 5};",
              texture.handle(), {at(0.5f, 2.5f, 1.5f)});
    CHECK(results[0].real(0) == 3 * 6 + 2 + 1 + 1);
  }
  SUBCASE("gathers") {
    const TestArray array(shape(4, 4, 0, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_TEXTURE_GATHER));
    array.fill(counting(32).data(), 8);
    const TestTexture texture(resource_of(array),
                              description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
    const auto results =
        probe("tld4.g.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], {1, -1};",
              texture.handle(), {at(2, 2)});
    // Texels (2, 1), (3, 1), (3, 0), (2, 0); each has channels 2 n + 1 and 2 n + 2.
    const float expected[] = {14, 16, 8, 6};
    for (int i = 0; i < 4; ++i) CHECK(results[0].real(i) == expected[i]);
  }
}

TEST_CASE("a gather from a cube gives four texels of the face") {
  const CurrentContext context;
  const CUDA_TEXTURE_DESC smooth =
      description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, normalized);
  SUBCASE("one cube") {
    const TestArray array(shape(2, 2, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP));
    array.fill(counting(24).data(), 4);
    const TestTexture texture(resource_of(array), smooth);
    const auto results =
        probe("tld4.r.cube.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y, %z, %z}];",
              texture.handle(), {at(1, 0, 0), at(0, -1, 0), at(0, 0, 1)});
    // In the middle of a face of two by two texels: below left and right, above right and left.
    const float faces[] = {1, 13, 17};
    for (std::size_t i = 0; i < 3; ++i) {
      const float expected[] = {faces[i] + 2, faces[i] + 3, faces[i] + 1, faces[i]};
      for (int k = 0; k < 4; ++k) CHECK(results[i].real(k) == expected[k]);
    }
  }
  SUBCASE("one of several") {
    const TestArray array(
        shape(2, 2, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
    array.fill(counting(48).data(), 4);
    const TestTexture texture(resource_of(array), smooth);
    const auto results =
        probe("tld4.r.acube.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%l, %x, %y, %z}];",
              texture.handle(), {at(0, 0, -1, 1)});
    const float expected[] = {47, 48, 46, 45};
    for (int k = 0; k < 4; ++k) CHECK(results[0].real(k) == expected[k]);
  }
}

TEST_CASE("a fetch says that its texels have memory") {
  const CurrentContext context;
  const TestArray array(shape(5, 3, 0, CU_AD_FORMAT_FLOAT));
  array.fill(counting(15).data(), 4);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  const auto results = probe(
      ".reg .pred %q;\ntex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}|%q, [%t, {%x, %y}];\n"
      "selp.u32 %v1, 1, 0, %q;",
      texture.handle(), {at(1.5f, 2.5f)});
  CHECK(results[0].real(0) == 12);
  CHECK(results[0].bits[1] == 1);
}

TEST_CASE("pointers to references are told from other numbers") {
  const CurrentContext context;
  const TestArray array(shape(4, 0, 0, CU_AD_FORMAT_FLOAT));
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  const auto ask = [&](const std::string& pointer) {
    const std::string head = ".global .texref image;\n.global .surfref surface;\n";
    const std::string code = ".reg .pred %q<3>;\n" + pointer +
                             "istypep.texref %q0, %t;\nistypep.surfref %q1, %t;\n"
                             "istypep.samplerref %q2, %t;\nselp.u32 %v0, 1, 0, %q0;\n"
                             "selp.u32 %v1, 1, 0, %q1;\nselp.u32 %v2, 1, 0, %q2;\n";
    const LoadedModule module(probe_text(code, head).c_str());
    const Fetched answer = probe(module, texture.handle(), {at(0)})[0];
    return answer.bits[0] | answer.bits[1] << 1 | answer.bits[2] << 2;
  };
  CHECK(ask("mov.u64 %t, image;\n") == 1);
  CHECK(ask("mov.u64 %t, surface;\n") == 2);
  CHECK(ask("mov.u64 %t, 5;\n") == 0);
  CHECK(ask("") == 0);  // the number of an object is no variable's
}
