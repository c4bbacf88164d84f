// SPDX-License-Identifier: MIT
// Textures that show a part of an array, or its texels as others of the same size.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "driver/texture_probe.h"

using namespace driver_test;

namespace {

CUDA_RESOURCE_VIEW_DESC whole(std::size_t width, std::size_t height, std::size_t depth = 0) {
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = width;
  view.height = height;
  view.depth = depth;
  return view;
}

class Viewed {
 public:
  Viewed(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& description,
         const CUDA_RESOURCE_VIEW_DESC& view) {
    REQUIRE(CU(cuTexObjectCreate)(&handle_, &resource, &description, &view) == CUDA_SUCCESS);
  }
  ~Viewed() { CHECK(CU(cuTexObjectDestroy)(handle_) == CUDA_SUCCESS); }
  Viewed(const Viewed&) = delete;
  Viewed& operator=(const Viewed&) = delete;
  CUtexObject handle() const { return handle_; }

 private:
  CUtexObject handle_ = 0;
};

const CUDA_TEXTURE_DESC plain =
    description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);

}  // namespace

TEST_CASE("texels are seen as others of the same size") {
  const CurrentContext context;
  const TestArray array({4, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0});
  std::vector<std::uint32_t> texels(8);
  std::iota(texels.begin(), texels.end(), 0x04030201u);
  array.fill(texels.data(), 4);
  CUDA_RESOURCE_VIEW_DESC view = whole(4, 2);
  view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  const Viewed texture(resource_of(array), plain, view);
  const auto found = probe("tex.2d.v4.u32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];",
                           texture.handle(), {at(0.5f, 0.5f), at(2.5f, 1.5f)});
  CHECK(found[0].bits[0] == 0x04030201u);
  CHECK(found[1].bits[0] == 0x04030207u);
  CUDA_RESOURCE_VIEW_DESC told{};
  REQUIRE(CU(cuTexObjectGetResourceViewDesc)(&told, texture.handle()) == CUDA_SUCCESS);
  CHECK(told.format == CU_RES_VIEW_FORMAT_UINT_1X32);
  CHECK(told.width == 4);
}

TEST_CASE("some layers of an array are a texture") {
  const CurrentContext context;
  const TestArray array({4, 2, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED});
  std::vector<float> texels(24);
  std::iota(texels.begin(), texels.end(), 1.0f);
  array.fill(texels.data(), 4);
  CUDA_RESOURCE_VIEW_DESC view = whole(4, 2, 3);
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  view.firstLayer = 1;
  view.lastLayer = 2;
  const Viewed texture(resource_of(array), plain, view);
  const auto found = probe("tex.a2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%l, %x, %y, %y}];",
                           texture.handle(), {at(0.5f, 0.5f, 0, 0), at(0.5f, 0.5f, 0, 1)});
  CHECK(found[0].real(0) == 9);
  CHECK(found[1].real(0) == 17);
}

TEST_CASE("some levels of an array are a texture") {
  const CurrentContext context;
  CUmipmappedArray levels = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR shape{8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  REQUIRE(CU(cuMipmappedArrayCreate)(&levels, &shape, 4) == CUDA_SUCCESS);
  for (unsigned number = 0; number < 4; ++number) {
    CUarray level = nullptr;
    REQUIRE(CU(cuMipmappedArrayGetLevel)(&level, levels, number) == CUDA_SUCCESS);
    const std::vector<float> texels(64 >> (2 * number), static_cast<float>(number));
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = CU_MEMORYTYPE_HOST;
    rows.srcHost = texels.data();
    rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    rows.dstArray = level;
    rows.WidthInBytes = rows.srcPitch = 32u >> number;
    rows.Height = 8u >> number;
    REQUIRE(CU(cuMemcpy2D_v2)(&rows) == CUDA_SUCCESS);
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = levels;
  CUDA_TEXTURE_DESC settings = description(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
                                           CU_TRSF_NORMALIZED_COORDINATES);
  settings.maxMipmapLevelClamp = 9;
  CUDA_RESOURCE_VIEW_DESC view = whole(8, 8);
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 2;
  {
    const Viewed texture(resource, settings, view);
    const auto found =
        probe("tex.level.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}], %z;", texture.handle(),
              {at(0.5f, 0.5f, 0), at(0.5f, 0.5f, 1), at(0.5f, 0.5f, 7)});
    CHECK(found[0].real(0) == 1);
    CHECK(found[1].real(0) == 2);
    CHECK(found[2].real(0) == 2);
  }
  CUtexObject none = 0;
  view.lastMipmapLevel = 4;
  if (is_cpu_driver()) {  // NVIDIA's driver takes levels that the array does not have
    CHECK(CU(cuTexObjectCreate)(&none, &resource, &settings, &view) == CUDA_ERROR_INVALID_VALUE);
  }
  CHECK(CU(cuMipmappedArrayDestroy)(levels) == CUDA_SUCCESS);
}

TEST_CASE("a view that its array does not have is refused") {
  const CurrentContext context;
  const TestArray array({4, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0});
  const CUDA_RESOURCE_DESC resource = resource_of(array);
  const auto refuses = [&](auto change) {
    CUDA_RESOURCE_VIEW_DESC view = whole(4, 2);
    view.format = CU_RES_VIEW_FORMAT_UINT_4X8;
    change(view);
    CUtexObject none = 0;
    return CU(cuTexObjectCreate)(&none, &resource, &plain, &view) == CUDA_ERROR_INVALID_VALUE;
  };
  using View = CUDA_RESOURCE_VIEW_DESC;
  CHECK(refuses([](View& view) { view.format = CU_RES_VIEW_FORMAT_FLOAT_4X32; }));
  CHECK(refuses([](View& view) { view.width = 3; }));
  CHECK(refuses([](View& view) { view.height = 0; }));
  CHECK(refuses([](View& view) { view.format = CU_RES_VIEW_FORMAT_NONE; }));
  CHECK(refuses([](View& view) { view.lastMipmapLevel = 1; }));
  CHECK(refuses([](View& view) { view.lastLayer = 1; }));
  CHECK(refuses([](View& view) { view.format = outside<CUresourceViewFormat>(99); }));
  if (!is_cpu_driver()) return;  // NVIDIA's driver takes a view of other memory
  const DeviceBlock block(4096);
  CUDA_RESOURCE_DESC linear{};
  linear.resType = CU_RESOURCE_TYPE_LINEAR;
  linear.res.linear = {block.address(), CU_AD_FORMAT_FLOAT, 1, 4096};
  const CUDA_RESOURCE_VIEW_DESC view = whole(4, 2);
  CUtexObject none = 0;
  CHECK(CU(cuTexObjectCreate)(&none, &linear, &plain, &view) == CUDA_ERROR_INVALID_VALUE);
}
