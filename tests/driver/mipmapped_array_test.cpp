// SPDX-License-Identifier: MIT
// Mipmapped arrays: their levels as arrays, and fetches from a level, between levels and by
// gradients.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "driver/texture_probe.h"

using namespace driver_test;

namespace {

constexpr unsigned normalized = CU_TRSF_NORMALIZED_COORDINATES;
constexpr const char* level_2d =
    "tex.level.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], %z;";

CUDA_ARRAY3D_DESCRIPTOR floats(std::size_t width, std::size_t height, std::size_t depth = 0,
                               unsigned flags = 0) {
  return {width, height, depth, CU_AD_FORMAT_FLOAT, 1, flags};
}

/// Every texel of level n is 100 * n, so that what is read says from where.
class Levels {
 public:
  Levels(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned count) {
    REQUIRE(CU(cuMipmappedArrayCreate)(&handle_, &descriptor, count) == CUDA_SUCCESS);
    for (unsigned i = 0; i < count; ++i) fill(i);
  }
  ~Levels() { CHECK(CU(cuMipmappedArrayDestroy)(handle_) == CUDA_SUCCESS); }
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;

  CUmipmappedArray handle() const { return handle_; }
  CUarray level(unsigned number) const {
    CUarray array = nullptr;
    REQUIRE(CU(cuMipmappedArrayGetLevel)(&array, handle_, number) == CUDA_SUCCESS);
    return array;
  }
  CUDA_ARRAY3D_DESCRIPTOR extents(unsigned number) const {
    CUDA_ARRAY3D_DESCRIPTOR found{};
    REQUIRE(CU(cuArray3DGetDescriptor_v2)(&found, level(number)) == CUDA_SUCCESS);
    return found;
  }
  CUDA_RESOURCE_DESC resource() const {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = handle_;
    return resource;
  }

 private:
  void fill(unsigned number) const {
    const CUDA_ARRAY3D_DESCRIPTOR shape = extents(number);
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = shape.Width * sizeof(float);
    copy.Height = std::max<std::size_t>(shape.Height, 1);
    copy.Depth = std::max<std::size_t>(shape.Depth, 1);
    const std::vector<float> texels(shape.Width * copy.Height * copy.Depth,
                                    100 * static_cast<float>(number));
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = level(number);
    REQUIRE(CU(cuMemcpy3D_v2)(&copy) == CUDA_SUCCESS);
  }

  CUmipmappedArray handle_ = nullptr;
};

CUDA_TEXTURE_DESC of_levels(CUfilter_mode between, float greatest, float least = 0,
                            float bias = 0) {
  CUDA_TEXTURE_DESC result =
      description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, normalized);
  result.mipmapFilterMode = between;
  result.mipmapLevelBias = bias;
  result.minMipmapLevelClamp = least;
  result.maxMipmapLevelClamp = greatest;
  return result;
}

void check_near(float got, double expected) {
  CAPTURE(expected);
  CHECK(std::fabs(got - expected) <= 0.5);
}

}  // namespace

TEST_CASE("surface objects take levels, whatever the array's flags") {
  const CurrentContext context;
  const Levels levels(floats(8, 8), 2);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = levels.level(1);
  CUsurfObject surface = 0;
  REQUIRE(CU(cuSurfObjectCreate)(&surface, &resource) == CUDA_SUCCESS);
  CHECK(CU(cuSurfObjectDestroy)(surface) == CUDA_SUCCESS);
}

TEST_CASE("each level of a mipmapped array has half the extents of the one before") {
  const CurrentContext context;
  SUBCASE("of two dimensions") {
    const Levels levels(floats(13, 6), 4);
    constexpr std::size_t expected[4][2] = {{13, 6}, {6, 3}, {3, 1}, {1, 1}};
    for (unsigned i = 0; i < 4; ++i) {
      CHECK(levels.extents(i).Width == expected[i][0]);
      CHECK(levels.extents(i).Height == expected[i][1]);
      CHECK(levels.extents(i).Depth == 0);
    }
    CUarray none = nullptr;
    CHECK(CU(cuMipmappedArrayGetLevel)(&none, levels.handle(), 4) == CUDA_ERROR_INVALID_VALUE);
  }
  SUBCASE("of three") {
    const Levels levels(floats(4, 8, 16), 5);
    CHECK(levels.extents(1).Depth == 8);
    CHECK(levels.extents(4).Width == 1);
    CHECK(levels.extents(4).Depth == 1);
  }
  SUBCASE("layers stay") {
    const Levels levels(floats(4, 4, 5, CUDA_ARRAY3D_LAYERED), 3);
    CHECK(levels.extents(2).Width == 1);
    CHECK(levels.extents(2).Depth == 5);
  }
}

TEST_CASE("the number of levels is cut to what the extents allow") {
  const CurrentContext context;
  const CUDA_ARRAY3D_DESCRIPTOR shape = floats(8, 2);
  CUmipmappedArray array = nullptr;
  REQUIRE(CU(cuMipmappedArrayCreate)(&array, &shape, 100) == CUDA_SUCCESS);
  CUarray level = nullptr;
  CHECK(CU(cuMipmappedArrayGetLevel)(&level, array, 3) == CUDA_SUCCESS);
  CHECK(CU(cuMipmappedArrayGetLevel)(&level, array, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMipmappedArrayDestroy)(array) == CUDA_SUCCESS);
  REQUIRE(CU(cuMipmappedArrayCreate)(&array, &shape, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMipmappedArrayGetLevel)(&level, array, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMipmappedArrayDestroy)(array) == CUDA_SUCCESS);
}

TEST_CASE("a fetch takes the level that it asks for, to the nearest") {
  const CurrentContext context;
  const Levels levels(floats(16, 16), 5);
  const TestTexture texture(levels.resource(), of_levels(CU_TR_FILTER_MODE_POINT, 10));
  const float asked[] = {-3, 0, 0.25f, 0.75f, 1, 2.25f, 2.75f, 4, 17};
  const double expected[] = {0, 0, 0, 100, 100, 200, 300, 400, 400};
  std::vector<At> places;
  for (const float level : asked) places.push_back(at(0.3f, 0.7f, level));
  const auto got = probe(level_2d, texture.handle(), places);
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(asked[i]);
    CHECK(got[i].real(0) == expected[i]);
  }
  const auto first = probe("tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];",
                           texture.handle(), {at(0.3f, 0.7f)});
  CHECK(first[0].real(0) == 0);
}

TEST_CASE("a filter blends neighbouring levels, within bounds and with a bias") {
  const CurrentContext context;
  const Levels levels(floats(16, 16), 5);
  const float asked[] = {0, 0.5f, 1.25f, 2, 3.75f, 9};
  std::vector<At> places;
  for (const float level : asked) places.push_back(at(0.5f, 0.5f, level));
  struct Case {
    float greatest, least, bias;
  };
  for (const Case& bounds : {Case{10, 0, 0}, Case{2.5f, 1.5f, 0}, Case{10, 0, 0.5f}}) {
    const TestTexture texture(
        levels.resource(),
        of_levels(CU_TR_FILTER_MODE_LINEAR, bounds.greatest, bounds.least, bounds.bias));
    const auto got = probe(level_2d, texture.handle(), places);
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(asked[i]);
      const double level =
          std::clamp<double>(asked[i] + bounds.bias, bounds.least, std::min(bounds.greatest, 4.0f));
      check_near(got[i].real(0), 100 * level);
    }
  }
}

TEST_CASE("gradients choose the level whose texels are as far apart") {
  const CurrentContext context;
  const Levels levels(floats(16, 8), 5);
  const TestTexture texture(levels.resource(), of_levels(CU_TR_FILTER_MODE_LINEAR, 10));
  // Texels of the first level are 1/16 apart in x, 1/8 in y.
  const At places[] = {at(0.0625f, 0), at(0.125f, 0), at(0.5f, 0.125f),
                       at(0, 0.25f),   at(0, 0),      at(0.0883883f, 0)};
  const double expected[] = {0, 100, 300, 100, 0, 50};
  const auto got = probe(
      "mov.b32 %i, 0; tex.grad.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%i, %i}], {%x, %i}, "
      "{%i, %y};",
      texture.handle(), std::vector<At>(std::begin(places), std::end(places)));
  for (std::size_t i = 0; i < got.size(); ++i) check_near(got[i].real(0), expected[i]);
}

TEST_CASE("levels of every geometry") {
  const CurrentContext context;
  const CUDA_TEXTURE_DESC how = of_levels(CU_TR_FILTER_MODE_POINT, 10);
  const std::vector<At> places{at(0.2f, 0.2f, 0.2f, 1)};
  const auto read = [&](const Levels& levels, const char* instruction) {
    const TestTexture texture(levels.resource(), how);
    return probe(instruction, texture.handle(), places)[0].real(0);
  };
  CHECK(read(Levels(floats(8, 0), 3),
             "tex.level.1d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x}], 0f40000000;") == 200);
  CHECK(read(Levels(floats(8, 8, 8), 3),
             "tex.level.3d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y, %z, %z}], 0f3f800000;") ==
        100);
  CHECK(read(Levels(floats(8, 8, 2, CUDA_ARRAY3D_LAYERED), 3),
             "tex.level.a2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%l, %x, %y, %y}], "
             "0f40000000;") == 200);
  CHECK(read(Levels(floats(8, 8, 6, CUDA_ARRAY3D_CUBEMAP), 3),
             "tex.level.cube.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y, %z, %z}], "
             "0f3f800000;") == 100);
}

TEST_CASE("a kernel asks how large a level is") {
  const CurrentContext context;
  const Levels levels(floats(16, 8), 3);
  const TestTexture texture(levels.resource(), of_levels(CU_TR_FILTER_MODE_POINT, 10));
  const auto got = probe("txq.level.width.b32 %v0, [%t], %l; txq.level.height.b32 %v1, [%t], %l;",
                         texture.handle(), {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}});
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(got[i].bits[0] == 16u >> i);
    CHECK(got[i].bits[1] == 8u >> i);
  }
}

TEST_CASE("a reference is bound to a mipmapped array and tells how it reads it") {
  const CurrentContext context;
  const Levels levels(floats(16, 16), 5);
  const LoadedModule module(
      probe_text("tex.level.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [picture, {%x, %y}], %z;",
                 ".global .texref picture;\n")
          .c_str());
  CUtexref reference = nullptr;
  REQUIRE(CU(cuModuleGetTexRef)(&reference, module.handle(), "picture") == CUDA_SUCCESS);
  CUmipmappedArray bound = nullptr;
  CHECK(CU(cuTexRefGetMipmappedArray)(&bound, reference) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(CU(cuTexRefSetMipmappedArray)(reference, levels.handle(), CU_TRSA_OVERRIDE_FORMAT) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetFlags)(reference, normalized) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetMipmapFilterMode)(reference, CU_TR_FILTER_MODE_LINEAR) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetMipmapLevelBias)(reference, 0.5f) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetMipmapLevelClamp)(reference, 1, 3) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefGetMipmappedArray)(&bound, reference) == CUDA_SUCCESS);
  CHECK(bound == levels.handle());
  if (is_cpu_driver())  // which filters alike in all directions
    CHECK(CU(cuTexRefSetMaxAnisotropy)(reference, 4) == CUDA_ERROR_NOT_SUPPORTED);
  CUfilter_mode filter = CU_TR_FILTER_MODE_POINT;
  REQUIRE(CU(cuTexRefGetMipmapFilterMode)(&filter, reference) == CUDA_SUCCESS);
  CHECK(filter == CU_TR_FILTER_MODE_LINEAR);
  float bias = 0, least = 0, greatest = 0;
  REQUIRE(CU(cuTexRefGetMipmapLevelBias)(&bias, reference) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefGetMipmapLevelClamp)(&least, &greatest, reference) == CUDA_SUCCESS);
  CHECK(bias == 0.5f);
  CHECK(least == 1);
  CHECK(greatest == 3);
  const auto got = probe(module, 0, {at(0, 0, 0), at(0, 0, 1.5f), at(0, 0, 9)});
  check_near(got[0].real(0), 100);
  check_near(got[1].real(0), 200);
  check_near(got[2].real(0), 300);
}

TEST_CASE("arrays that have their memory already require none") {
  const CurrentContext context;
  const Levels levels(floats(64, 64), 7);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needed{};
  CHECK(CU(cuMipmappedArrayGetMemoryRequirements)(&needed, levels.handle(), 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuArrayGetMemoryRequirements)(&needed, levels.level(1), 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMipmappedArrayGetMemoryRequirements)(nullptr, levels.handle(), 0) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("arrays with memory of their own have no tiles") {
  const CurrentContext context;
  const Levels levels(floats(64, 64), 7);
  CUDA_ARRAY_SPARSE_PROPERTIES tiles{};
  CHECK(CU(cuMipmappedArrayGetSparseProperties)(&tiles, levels.handle()) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("coordinates are normalized, whatever the flags say") {
  const CurrentContext context;
  const Levels levels(floats(8, 8), 3);
  CUDA_TEXTURE_DESC in_texels = of_levels(CU_TR_FILTER_MODE_POINT, 2);
  in_texels.flags = 0;
  in_texels.addressMode[0] = in_texels.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  const TestTexture texture(levels.resource(), in_texels);
  const auto got = probe(level_2d, texture.handle(), {at(0.9f, 0.9f, 1), at(2.5f, 1.5f, 1)});
  CHECK(got[0].real(0) == 100);
  CHECK(got[1].real(0) == 0);
}

TEST_CASE("the weight of a level has 8 bits, of which the rest is cut off") {
  const CurrentContext context;
  const Levels levels(floats(16, 16), 5);
  const TestTexture texture(levels.resource(), of_levels(CU_TR_FILTER_MODE_LINEAR, 10));
  const auto got = probe(level_2d, texture.handle(), {at(0.5f, 0.5f, 0.4f), at(0.5f, 0.5f, 0.6f)});
  CHECK(got[0].real(0) == 100 * 102 / 256.0f);
  CHECK(got[1].real(0) == 100 * 153 / 256.0f);
}

TEST_CASE("misuse of mipmapped arrays") {
  const CurrentContext context;
  const CUDA_ARRAY3D_DESCRIPTOR shape = floats(8, 8);
  const CUDA_ARRAY3D_DESCRIPTOR empty = floats(0, 8);
  CUmipmappedArray array = nullptr;
  CHECK(CU(cuMipmappedArrayCreate)(nullptr, &shape, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMipmappedArrayCreate)(&array, nullptr, 2) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMipmappedArrayCreate)(&array, &empty, 2) == CUDA_ERROR_INVALID_VALUE);
  const Levels levels(shape, 2);
  CHECK(CU(cuMipmappedArrayGetLevel)(nullptr, levels.handle(), 0) == CUDA_ERROR_INVALID_VALUE);
  SUBCASE("anisotropic filtering") {
    const CUDA_RESOURCE_DESC resource = levels.resource();
    CUDA_TEXTURE_DESC anisotropic = of_levels(CU_TR_FILTER_MODE_LINEAR, 10);
    anisotropic.maxAnisotropy = 16;
    CUtexObject texture = 0;
    if (is_cpu_driver()) {
      CHECK(CU(cuTexObjectCreate)(&texture, &resource, &anisotropic, nullptr) ==
            CUDA_ERROR_NOT_SUPPORTED);
    }
  }
  SUBCASE("bounds and levels that are no numbers") {
    const float none = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    for (const float bound : {none, infinite, -infinite}) {
      const TestTexture texture(levels.resource(),
                                of_levels(CU_TR_FILTER_MODE_LINEAR, bound, bound, bound));
      for (const Fetched& got :
           probe(level_2d, texture.handle(), {at(0, 0, none), at(0, 0, infinite), at(0, 0, 1)})) {
        CHECK((got.real(0) == 0 || got.real(0) == 100));
      }
    }
  }
  SUBCASE("a level is not freed alone") {
    if (is_cpu_driver()) CHECK(CU(cuArrayDestroy)(levels.level(1)) == CUDA_ERROR_INVALID_HANDLE);
  }
}
