// SPDX-License-Identifier: MIT
// Textures: addressing, filtering and conversion, each against the programming guide's formulas.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "driver/texture_probe.h"

using namespace driver_test;

namespace {

constexpr const char* fetch_1d = "tex.1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x}];";
constexpr const char* fetch_2d = "tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];";
constexpr unsigned normalized = CU_TRSF_NORMALIZED_COORDINATES;

/// A GPU may round its filtered sums differently.
void check_filtered(float got, double expected, double range) {
  if (is_cpu_driver()) {
    CHECK(got == static_cast<float>(expected));
  } else {
    CHECK(std::fabs(got - expected) <= range / 200);
  }
}

std::vector<At> line(float first, float last, int count) {
  std::vector<At> places;
  for (int i = 0; i < count; ++i)
    places.push_back(
        at(first + (last - first) * static_cast<float>(i) / static_cast<float>(count)));
  return places;
}

}  // namespace

TEST_CASE("an unfiltered fetch takes the texel that the coordinate lies in") {
  const CurrentContext context;
  const TestArray array(shape(5, 3, 0, CU_AD_FORMAT_FLOAT));
  const std::vector<float> texels = counting(15);
  array.fill(texels.data(), 4);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  std::vector<At> places;
  for (float y = -1.25f; y < 4; y += 0.5f) {
    for (float x = -1.25f; x < 7; x += 0.5f) places.push_back(at(x, y));
  }
  const auto results = probe(fetch_2d, texture.handle(), places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int x = addressed(static_cast<int>(std::floor(std::bit_cast<float>(places[i].x))), 5,
                            CU_TR_ADDRESS_MODE_CLAMP);
    const int y = addressed(static_cast<int>(std::floor(std::bit_cast<float>(places[i].y))), 3,
                            CU_TR_ADDRESS_MODE_CLAMP);
    CHECK(results[i].real(0) == texels[static_cast<std::size_t>(y * 5 + x)]);
  }
}

TEST_CASE("an unfiltered fetch keeps the bits of a number: the sign of zero, a NaN's payload") {
  const CurrentContext context;
  const TestArray array(shape(3, 0, 0, CU_AD_FORMAT_FLOAT));
  const std::vector<float> texels = {-0.0f, 0.0f, std::bit_cast<float>(0x7f812345u)};
  array.fill(texels.data(), 4);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  const auto results = probe(fetch_1d, texture.handle(), {at(0.5f), at(1.5f), at(2.5f)});
  CHECK(results[0].bits[0] == 0x80000000u);
  CHECK(results[1].bits[0] == 0);
  CHECK(results[2].bits[0] == 0x7f812345u);
}

TEST_CASE("a filtered fetch weighs its neighbours with eight bits") {
  const CurrentContext context;
  const TestArray array(shape(4, 4, 0, CU_AD_FORMAT_FLOAT));
  std::vector<float> texels(16);
  for (std::size_t i = 0; i < 16; ++i) texels[i] = static_cast<float>(i * i % 13) - 4;
  array.fill(texels.data(), 4);
  for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER}) {
    const TestTexture texture(resource_of(array), description(mode, CU_TR_FILTER_MODE_LINEAR));
    std::vector<At> places;
    for (float y = -0.875f; y < 5; y += 0.375f) {
      for (float x = -0.875f; x < 5; x += 0.21875f) places.push_back(at(x, y));
    }
    const auto results = probe(fetch_2d, texture.handle(), places);
    const auto texel = [&](int x, int y) {
      x = addressed(x, 4, mode);
      y = addressed(y, 4, mode);
      return x < 0 || y < 0 ? 0.0 : double{texels[static_cast<std::size_t>(y * 4 + x)]};
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Between x = between(std::bit_cast<float>(places[i].x));
      const Between y = between(std::bit_cast<float>(places[i].y));
      const double expected = (1 - x.weight) * (1 - y.weight) * texel(x.first, y.first) +
                              x.weight * (1 - y.weight) * texel(x.second, y.first) +
                              (1 - x.weight) * y.weight * texel(x.first, y.second) +
                              x.weight * y.weight * texel(x.second, y.second);
      check_filtered(results[i].real(0), expected, 12);
    }
  }
}

TEST_CASE("infinities of both signs are filtered to the same NaN on every processor") {
  const CurrentContext context;
  const TestArray array(shape(2, 0, 0, CU_AD_FORMAT_FLOAT));
  const float infinity = std::numeric_limits<float>::infinity();
  const float texels[] = {infinity, -infinity};
  array.fill(texels, 4);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
  const auto results = probe(fetch_1d, texture.handle(), {at(1.0f)});
  CHECK(std::isnan(results[0].real(0)));
  if (is_cpu_driver()) CHECK(results[0].bits[0] == 0xffc00000u);
}

TEST_CASE("normalized coordinates are clamped, wrapped, mirrored or outside") {
  const CurrentContext context;
  const TestArray array(shape(8, 0, 0, CU_AD_FORMAT_FLOAT));
  const std::vector<float> texels = counting(8);
  array.fill(texels.data(), 4);
  // Multiples of 1/32 plus 1/64: never on a boundary between texels, where rounding decides.
  std::vector<At> places = line(-2.5f + 1.0f / 64, 2.5f + 1.0f / 64, 160);
  for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_WRAP,
                                    CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER}) {
    CAPTURE(static_cast<int>(mode));
    for (const CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
      CUDA_TEXTURE_DESC wanted = description(mode, filter, normalized);
      // A GPU filters between the rows of an array of one row too.
      wanted.addressMode[1] = wanted.addressMode[2] = CU_TR_ADDRESS_MODE_CLAMP;
      for (float& color : wanted.borderColor) color = -3;
      const TestTexture texture(resource_of(array), wanted);
      const auto results = probe(fetch_1d, texture.handle(), places);
      for (std::size_t i = 0; i < places.size(); ++i) {
        double x = std::bit_cast<float>(places[i].x);
        const double whole = std::floor(x);
        if (mode == CU_TR_ADDRESS_MODE_WRAP) x -= whole;
        if (mode == CU_TR_ADDRESS_MODE_MIRROR)
          x = std::fmod(whole, 2) == 0 ? x - whole : 1 - (x - whole);
        x *= 8;
        const auto texel = [&](int index) {
          const int found = addressed(index, 8, mode);
          return found < 0 ? -3.0 : double{texels[static_cast<std::size_t>(found)]};
        };
        CAPTURE(x);
        if (filter == CU_TR_FILTER_MODE_POINT) {
          CHECK(results[i].real(0) == texel(static_cast<int>(std::floor(x))));
        } else {
          const Between b = between(x);
          check_filtered(results[i].real(0),
                         (1 - b.weight) * texel(b.first) + b.weight * texel(b.second), 11);
        }
      }
    }
  }
}

TEST_CASE("unnormalized coordinates do not wrap") {
  const CurrentContext context;
  const TestArray array(shape(4, 0, 0, CU_AD_FORMAT_FLOAT));
  array.fill(counting(4).data(), 4);
  for (const CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR}) {
    const TestTexture texture(resource_of(array), description(mode, CU_TR_FILTER_MODE_POINT));
    const auto results = probe(fetch_1d, texture.handle(), {at(-2.5f), at(1.5f), at(9.5f)});
    CHECK(results[0].real(0) == 1);
    CHECK(results[1].real(0) == 2);
    CHECK(results[2].real(0) == 4);
  }
}

TEST_CASE("integers of 8 and 16 bits are read as fractions or as integers") {
  const CurrentContext context;
  const std::vector<At> places = {at(0.5f), at(1.5f), at(2.5f), at(3.5f)};
  const auto fetch = [&](CUarray_format format, const void* texels, std::size_t bytes,
                         unsigned flags) {
    const TestArray array(shape(4, 0, 0, format));
    array.fill(texels, bytes);
    const TestTexture texture(
        resource_of(array), description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, flags));
    return probe(flags == 0 ? fetch_1d : "tex.1d.v4.s32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x}];",
                 texture.handle(), places);
  };
  const std::uint8_t u8[] = {0, 1, 128, 255};
  const std::int8_t s8[] = {-128, -127, 5, 127};
  const std::uint16_t u16[] = {0, 1, 40000, 65535};
  const std::int16_t s16[] = {-32768, -32767, 77, 32767};
  const auto u8_real = fetch(CU_AD_FORMAT_UNSIGNED_INT8, u8, 1, 0);
  const auto s8_real = fetch(CU_AD_FORMAT_SIGNED_INT8, s8, 1, 0);
  const auto u16_real = fetch(CU_AD_FORMAT_UNSIGNED_INT16, u16, 2, 0);
  const auto s16_real = fetch(CU_AD_FORMAT_SIGNED_INT16, s16, 2, 0);
  const auto u8_whole = fetch(CU_AD_FORMAT_UNSIGNED_INT8, u8, 1, CU_TRSF_READ_AS_INTEGER);
  const auto s8_whole = fetch(CU_AD_FORMAT_SIGNED_INT8, s8, 1, CU_TRSF_READ_AS_INTEGER);
  const auto u16_whole = fetch(CU_AD_FORMAT_UNSIGNED_INT16, u16, 2, CU_TRSF_READ_AS_INTEGER);
  const auto s16_whole = fetch(CU_AD_FORMAT_SIGNED_INT16, s16, 2, CU_TRSF_READ_AS_INTEGER);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(u8_real[i].real(0) == doctest::Approx(u8[i] / 255.0));
    CHECK(s8_real[i].real(0) == doctest::Approx(std::fmax(s8[i] / 127.0, -1)));
    CHECK(u16_real[i].real(0) == doctest::Approx(u16[i] / 65535.0));
    CHECK(s16_real[i].real(0) == doctest::Approx(std::fmax(s16[i] / 32767.0, -1)));
    CHECK(u8_whole[i].bits[0] == u8[i]);
    CHECK(static_cast<std::int32_t>(s8_whole[i].bits[0]) == s8[i]);
    CHECK(u16_whole[i].bits[0] == u16[i]);
    CHECK(static_cast<std::int32_t>(s16_whole[i].bits[0]) == s16[i]);
  }
}

TEST_CASE("texels have one, two or four channels, of 16-bit floats too") {
  const CurrentContext context;
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7bff};  // 1, -2, 2^-24, 65504
  const float values[] = {1, -2, 5.9604644775390625e-8f, 65504};
  {
    const TestArray array(shape(2, 0, 0, CU_AD_FORMAT_HALF, 2));
    array.fill(halves, 4);
    const TestTexture texture(resource_of(array),
                              description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
    const auto results = probe(fetch_1d, texture.handle(), {at(0.5f), at(1.5f)});
    for (int i = 0; i < 4; ++i)
      CHECK(results[static_cast<std::size_t>(i / 2)].real(i % 2) == values[i]);
  }
  const std::uint32_t whole[] = {1, 0x80000000u, 0xffffffffu, 7};
  const TestArray array(shape(1, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 4));
  array.fill(whole, 16);
  const TestTexture texture(
      resource_of(array),
      description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER));
  const auto results =
      probe("tex.1d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x}];", texture.handle(), {at(0.5f)});
  for (int i = 0; i < 4; ++i) CHECK(results[0].bits[i] == whole[i]);
}

TEST_CASE("plain memory is read by number, and is zero outside") {
  const CurrentContext context;
  const DeviceBlock block(64);
  const std::vector<float> texels = counting(16);
  REQUIRE(CU(cuMemcpyHtoD_v2)(block.address(), texels.data(), 64) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = block.address();
  resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = 2;
  resource.res.linear.sizeInBytes = 64;
  const TestTexture texture(resource,
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  const auto results =
      probe("tex.1d.v4.f32.s32 {%v0, %v1, %v2, %v3}, [%t, {%x}];", texture.handle(),
            {At{0, 0, 0, 0}, At{0, 7, 0, 0}, At{0, 8, 0, 0}, At{0, 0xffffffffu, 0, 0}});
  CHECK(results[0].real(0) == 1);
  CHECK(results[0].real(1) == 2);
  CHECK(results[1].real(0) == 15);
  CHECK(results[1].real(1) == 16);
  CHECK(results[2].real(0) == 0);
  CHECK(results[3].real(1) == 0);
}

TEST_CASE("plain memory may be said to be more than is allocated") {
  const CurrentContext context;
  const DeviceBlock block(64);
  const std::vector<float> texels = counting(16);
  REQUIRE(CU(cuMemcpyHtoD_v2)(block.address(), texels.data(), 64) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = block.address();
  resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = 64 + 4096;
  const TestTexture texture(resource,
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  const auto results = probe("tex.1d.v4.f32.s32 {%v0, %v1, %v2, %v3}, [%t, {%x}];",
                             texture.handle(), {At{0, 0, 0, 0}, At{0, 15, 0, 0}});
  CHECK(results[0].real(0) == 1);
  CHECK(results[1].real(0) == 16);
}

TEST_CASE("rows with a pitch are a texture of two dimensions") {
  const CurrentContext context;
  const std::size_t pitch = 512;
  const DeviceBlock block(pitch * 3);
  std::vector<unsigned char> bytes(pitch * 3, 99);
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 5; ++x)
      bytes[y * pitch + x] = static_cast<unsigned char>(10 * y + x);
  }
  REQUIRE(CU(cuMemcpyHtoD_v2)(block.address(), bytes.data(), bytes.size()) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {block.address(), CU_AD_FORMAT_UNSIGNED_INT8, 1, 5, 3, pitch};
  const TestTexture texture(
      resource,
      description(CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER));
  const auto results = probe("tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];",
                             texture.handle(), {at(0.5f, 0.5f), at(4.5f, 2.5f), at(5.5f, 1.5f)});
  CHECK(results[0].bits[0] == 0);
  CHECK(results[1].bits[0] == 24);
  CHECK(results[2].bits[0] == 0);
}

TEST_CASE("textures have three dimensions, layers and faces") {
  const CurrentContext context;
  const CUDA_TEXTURE_DESC plain = description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT);
  SUBCASE("three dimensions, filtered in all") {
    const TestArray array(shape(2, 3, 4, CU_AD_FORMAT_FLOAT));
    array.fill(counting(24).data(), 4);
    const char* fetch = "tex.3d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y, %z, %z}];";
    const TestTexture texture(resource_of(array), plain);
    const auto results =
        probe(fetch, texture.handle(), {at(1.5f, 2.5f, 3.5f), at(0.5f, 1.5f, 2.5f)});
    CHECK(results[0].real(0) == 24);
    CHECK(results[1].real(0) == 15);
    const TestTexture smooth(resource_of(array),
                             description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
    // In the middle of eight texels: their mean.
    check_filtered(probe(fetch, smooth.handle(), {at(1, 1, 1)})[0].real(0), 5.5, 24);
  }
  SUBCASE("layers of one dimension") {
    const TestArray array(shape(4, 0, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED));
    array.fill(counting(12).data(), 4);
    const TestTexture texture(resource_of(array), plain);
    const auto results = probe("tex.a1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%l, %x}];",
                               texture.handle(), {at(1.5f, 0, 0, 2), at(0.5f, 0, 0, 9)});
    CHECK(results[0].real(0) == 10);
    CHECK(results[1].real(0) == 9);  // the last layer
  }
  SUBCASE("layers of two dimensions") {
    const TestArray array(shape(4, 2, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED));
    array.fill(counting(24).data(), 4);
    const TestTexture texture(resource_of(array), plain);
    const auto results = probe("tex.a2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%l, %x, %y, %y}];",
                               texture.handle(), {at(1.5f, 1.5f, 0, 1), at(3.5f, 0.5f, 0, 2)});
    CHECK(results[0].real(0) == 14);
    CHECK(results[1].real(0) == 20);
  }
  SUBCASE("the faces of a cube") {
    const TestArray array(shape(2, 2, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP));
    array.fill(counting(24).data(), 4);
    const TestTexture texture(resource_of(array), description(CU_TR_ADDRESS_MODE_CLAMP,
                                                              CU_TR_FILTER_MODE_POINT, normalized));
    const auto results =
        probe("tex.cube.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y, %z, %z}];", texture.handle(),
              {at(1, 0.5f, 0.5f), at(-1, 0.5f, 0.5f), at(0.5f, 1, 0.5f), at(0.5f, -1, 0.5f),
               at(0.5f, 0.5f, 1), at(0.5f, 0.5f, -1)});
    // (s, t) is (-z, -y), (z, -y), (x, z), (x, -z), (x, -y), (-x, -y): left or right, above or
    // below
    const float expected[] = {1, 6, 12, 14, 18, 21};
    for (std::size_t i = 0; i < 6; ++i) CHECK(results[i].real(0) == expected[i]);
  }
}

TEST_CASE("a gather gives one component of four texels") {
  const CurrentContext context;
  const TestArray array(shape(4, 4, 0, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_TEXTURE_GATHER));
  array.fill(counting(32).data(), 8);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
  const auto results = probe("tld4.g.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];",
                             texture.handle(), {at(2, 2)});
  // Texels (1, 2), (2, 2), (2, 1), (1, 1); each has channels 2 n + 1 and 2 n + 2.
  const float expected[] = {20, 22, 14, 12};
  for (int i = 0; i < 4; ++i) CHECK(results[0].real(i) == expected[i]);
}

TEST_CASE("levels and gradients choose the only level; queries answer") {
  const CurrentContext context;
  const TestArray array(shape(5, 3, 0, CU_AD_FORMAT_FLOAT));
  array.fill(counting(15).data(), 4);
  const TestTexture texture(resource_of(array),
                            description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT));
  const std::vector<At> places = {at(1.5f, 2.5f, 3)};
  CHECK(probe("tex.level.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], %z;", texture.handle(),
              places)[0]
            .real(0) == 12);
  CHECK(probe("tex.grad.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], {%z, %z}, {%z, %z};",
              texture.handle(), places)[0]
            .real(0) == 12);
  const auto size =
      probe("txq.width.b32 %v0, [%t];\ntxq.height.b32 %v1, [%t];", texture.handle(), places);
  CHECK(size[0].bits[0] == 5);
  CHECK(size[0].bits[1] == 3);
}

TEST_CASE("texture objects say what they were made of, and bad ones are refused") {
  const CurrentContext context;
  const TestArray array(shape(4, 4, 0, CU_AD_FORMAT_FLOAT));
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  const CUDA_TEXTURE_DESC wanted =
      description(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_LINEAR, normalized);
  const TestTexture texture(resource, wanted);
  CUDA_RESOURCE_DESC told{};
  REQUIRE(CU(cuTexObjectGetResourceDesc)(&told, texture.handle()) == CUDA_SUCCESS);
  CHECK(told.resType == CU_RESOURCE_TYPE_ARRAY);
  CHECK(told.res.array.hArray == array.handle());
  CUDA_TEXTURE_DESC description_told{};
  REQUIRE(CU(cuTexObjectGetTextureDesc)(&description_told, texture.handle()) == CUDA_SUCCESS);
  CHECK(description_told.addressMode[0] == CU_TR_ADDRESS_MODE_WRAP);
  CHECK(description_told.filterMode == CU_TR_FILTER_MODE_LINEAR);
  CHECK(description_told.flags == normalized);
  CUDA_RESOURCE_VIEW_DESC view{};
  // NVIDIA's documentation says the same; its driver returns success and describes nothing.
  const CUresult viewed = CU(cuTexObjectGetResourceViewDesc)(&view, texture.handle());
  if (is_cpu_driver()) CHECK(viewed == CUDA_ERROR_INVALID_VALUE);
  CHECK(view.width == 0);
  CUtexObject object = 0;
  CHECK(CU(cuTexObjectCreate)(nullptr, &resource, &wanted, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuTexObjectCreate)(&object, &resource, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  if (is_cpu_driver()) {
    CUDA_TEXTURE_DESC bad = wanted;
    bad.filterMode = outside<CUfilter_mode>(7);
    CHECK(CU(cuTexObjectCreate)(&object, &resource, &bad, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuTexObjectDestroy)(0x123456789) == CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_CASE("a fetch through a number that is no texture is a fault") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const LoadedModule module(probe_text(fetch_2d).c_str());
  const DeviceBlock block(64);
  CUdeviceptr memory = block.address();
  std::uint64_t object = 0x4242;
  unsigned count = 1;
  void* arguments[] = {&object, &memory, &memory, &count};
  REQUIRE(CU(cuLaunchKernel)(module.function("probe"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_ILLEGAL_ADDRESS);
}
