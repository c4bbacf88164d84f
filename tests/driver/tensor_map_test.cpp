// SPDX-License-Identifier: MIT
// Tensor maps: what is encoded and refused, and which elements copies by them bring where. Devices
// before compute capability 9.0 have none of it.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

bool has_tensor_maps() {
  int value = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 0) ==
          CUDA_SUCCESS);
  return value != 0;
}

constexpr unsigned width = 20, height = 10, depth = 6;
constexpr std::uint64_t row_stride = 96, plane_stride = row_stride * height;

/// A volume of 32-bit numbers, of which each says where it is; rows have 16 bytes more.
struct Volume {
  DeviceBlock memory{plane_stride * depth};
  Volume() {
    std::vector<unsigned> all(plane_stride * depth / 4, ~0u);
    for (unsigned z = 0; z < depth; ++z)
      for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x)
          all[(z * plane_stride + y * row_stride) / 4 + x] = at(x, y, z);
    REQUIRE(CU(cuMemcpyHtoD_v2)(memory.address(), all.data(), all.size() * 4) == CUDA_SUCCESS);
  }
  static unsigned at(int x, int y, int z) {
    const bool inside = x >= 0 && x < static_cast<int>(width) && y >= 0 &&
                        y < static_cast<int>(height) && z >= 0 && z < static_cast<int>(depth);
    return inside ? 1000000u + static_cast<unsigned>(z * 10000 + y * 100 + x) : 0;
  }
};

/// What a map of the volume is encoded with.
struct Request {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  cuuint32_t rank = 3;
  std::array<cuuint64_t, 6> sizes{width, height, depth, 1, 1, 1};
  std::array<cuuint64_t, 5> strides{row_stride, plane_stride, plane_stride* depth,
                                    plane_stride* depth, plane_stride* depth};
  std::array<cuuint32_t, 6> box{8, 4, 2, 1, 1, 1};
  std::array<cuuint32_t, 6> steps{1, 1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

CUresult encode(CUtensorMap* map, CUdeviceptr address, const Request& request) {
  return CU(cuTensorMapEncodeTiled)(
      map, request.type, request.rank, reinterpret_cast<void*>(address), request.sizes.data(),
      request.strides.data(), request.box.data(), request.steps.data(), request.interleave,
      request.swizzle, request.promotion, request.fill);
}

/// `load` brings a box of 3 dimensions to shared memory and writes down 2048 bytes of that; `store`
/// fills shared memory with numbers from 1 on and sends it, or adds it.
const char* const copies_ptx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry load(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y, .param .u32 z,
                     .param .u32 bytes, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<6>;
  .shared .align 1024 .b8 box[4096];
  .shared .align 8 .b64 bar;
  mov.b64 %d1, map; cvta.param.u64 %d1, %d1;
  ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; ld.param.u32 %r3, [z]; ld.param.u32 %r4, [bytes];
  ld.param.u64 %d2, [out]; cvta.to.global.u64 %d2, %d2;
  mov.u32 %r5, box; mov.u32 %r6, bar;
  mbarrier.init.shared::cta.b64 [%r6], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 %d3, [%r6], %r4;
  cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%d1, {%r1, %r2, %r3}], [%r6];
again:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r6], 0;
  @!%p1 bra again;
  mov.u32 %r7, 0;
copy:
  add.u32 %r8, %r5, %r7;
  ld.shared.u32 %r9, [%r8];
  cvt.u64.u32 %d4, %r7; add.u64 %d4, %d2, %d4;
  st.global.u32 [%d4], %r9;
  add.u32 %r7, %r7, 4;
  setp.lt.u32 %p2, %r7, 2048;
  @%p2 bra copy;
  ret;
}
.visible .entry store(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y, .param .u32 z,
                      .param .u32 adds)
{
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<6>;
  .shared .align 1024 .b8 box[1024];
  mov.b64 %d1, map; cvta.param.u64 %d1, %d1;
  ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; ld.param.u32 %r3, [z]; ld.param.u32 %r4, [adds];
  mov.u32 %r5, box;
  mov.u32 %r7, 0;
fill:
  add.u32 %r8, %r5, %r7;
  shr.u32 %r9, %r7, 2; add.u32 %r9, %r9, 1;
  st.shared.u32 [%r8], %r9;
  add.u32 %r7, %r7, 4;
  setp.lt.u32 %p2, %r7, 1024;
  @%p2 bra fill;
  fence.proxy.async;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%d1, {%r1, %r2, %r3}], [%r5];
  @!%p1 cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%d1, {%r1, %r2, %r3}], [%r5];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
)";

/// The words of a box of so many bytes that was loaded at (x, y, z), as far as `end`.
std::vector<unsigned> loaded(const LoadedModule& module, CUtensorMap& map, int x, int y, int z,
                             unsigned bytes, unsigned end = 0) {
  const DeviceBlock block(2048);
  CUdeviceptr out = block.address();
  void* parameters[] = {&map, &x, &y, &z, &bytes, &out};
  REQUIRE(CU(cuLaunchKernel)(module.function("load"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                             nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  std::vector<unsigned> words((end != 0 ? end : bytes) / 4);
  REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), out, words.size() * 4) == CUDA_SUCCESS);
  return words;
}

void stored(const LoadedModule& module, CUtensorMap& map, int x, int y, int z, unsigned adds) {
  void* parameters[] = {&map, &x, &y, &z, &adds};
  REQUIRE(CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                             nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
}

/// The box at (x, y, z), as it lies without a swizzle.
std::vector<unsigned> expected(int x, int y, int z, int columns, int rows, int planes,
                               int row_step = 1) {
  std::vector<unsigned> words;
  for (int k = 0; k < planes; ++k)
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < columns; ++i) words.push_back(Volume::at(x + i, y + j * row_step, z + k));
  return words;
}

}  // namespace

TEST_CASE("a tensor map brings the box at any coordinates, with zeros outside of the tensor") {
  const CurrentContext context;
  if (!has_tensor_maps()) return;
  const Volume volume;
  const LoadedModule module(copies_ptx);
  alignas(64) CUtensorMap map;
  REQUIRE(encode(&map, volume.memory.address(), {}) == CUDA_SUCCESS);
  for (const auto& [x, y, z] :
       {std::array{0, 0, 0}, {8, 3, 2}, {-4, -1, -1}, {16, 8, 5}, {100, 0, 0}})
    CHECK(loaded(module, map, x, y, z, 256) == expected(x, y, z, 8, 4, 2));
}

TEST_CASE("a tensor map can leave out rows") {
  const CurrentContext context;
  if (!has_tensor_maps()) return;
  const Volume volume;
  const LoadedModule module(copies_ptx);
  alignas(64) CUtensorMap map;
  Request request;
  request.steps[1] = 2;
  REQUIRE(encode(&map, volume.memory.address(), request) == CUDA_SUCCESS);
  CHECK(loaded(module, map, 4, 3, 2, 128) == expected(4, 3, 2, 8, 2, 2, 2));
}

TEST_CASE("a swizzle exchanges units of 16 bytes by the number of their row") {
  const CurrentContext context;
  if (!has_tensor_maps()) return;
  const Volume volume;
  const LoadedModule module(copies_ptx);
  for (const auto& [swizzle, mask] : {std::pair{CU_TENSOR_MAP_SWIZZLE_32B, 0x10u},
                                      {CU_TENSOR_MAP_SWIZZLE_64B, 0x30u},
                                      {CU_TENSOR_MAP_SWIZZLE_128B, 0x70u}}) {
    // Rows that are shorter than what is swizzled lie as far apart as if they were not.
    const unsigned span = mask + 0x10, rows = 8;
    for (const unsigned columns : {span / 4, span / 8}) {
      alignas(64) CUtensorMap map;
      Request request;
      request.box = {columns, rows, 1, 1, 1, 1};
      request.swizzle = swizzle;
      REQUIRE(encode(&map, volume.memory.address(), request) == CUDA_SUCCESS);
      const std::vector<unsigned> got =
          loaded(module, map, 4, 1, 3, columns * 4 * rows, span * rows);
      for (unsigned y = 0; y < rows; ++y)
        for (unsigned x = 0; x < columns; ++x) {
          const unsigned at = y * span + x * 4;
          CAPTURE(mask);
          CAPTURE(at);
          CHECK(got[(at ^ (at >> 3 & mask)) / 4] ==
                Volume::at(static_cast<int>(4 + x), static_cast<int>(1 + y), 3));
        }
    }
  }
}

TEST_CASE("a box is written where it is in the tensor, or added there") {
  const CurrentContext context;
  if (!has_tensor_maps()) return;
  const Volume volume;
  const LoadedModule module(copies_ptx);
  alignas(64) CUtensorMap map;
  REQUIRE(encode(&map, volume.memory.address(), {}) == CUDA_SUCCESS);
  stored(module, map, 16, 7, 4, 0);
  stored(module, map, 0, 0, 0, 1);
  std::vector<unsigned> words(plane_stride * depth / 4);
  REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), volume.memory.address(), words.size() * 4) ==
          CUDA_SUCCESS);
  for (int z = 0; z < static_cast<int>(depth); ++z)
    for (int y = 0; y < static_cast<int>(height); ++y)
      for (int x = 0; x < static_cast<int>(width); ++x) {
        unsigned wanted = Volume::at(x, y, z);
        if (x >= 16 && y >= 7 && z >= 4)
          wanted = static_cast<unsigned>(x - 16 + 8 * (y - 7 + 4 * (z - 4))) + 1;
        if (x < 8 && y < 4 && z < 2) wanted += static_cast<unsigned>(x + 8 * (y + 4 * z)) + 1;
        REQUIRE(words[(static_cast<unsigned>(z) * plane_stride +
                       static_cast<unsigned>(y) * row_stride) /
                          4 +
                      static_cast<unsigned>(x)] == wanted);
      }
  CHECK(words[width] == ~0u);  // between the rows
}

TEST_CASE("a kernel makes one map into another") {
  const CurrentContext context;
  int major = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) ==
          CUDA_SUCCESS);
  if (major != 9) return;  // its code runs on its own architecture alone
  const Volume first, second;
  Request wanted;
  wanted.sizes = {16, 8, 4, 1, 1, 1};
  wanted.strides[0] = 2 * row_stride;
  wanted.strides[1] = 2 * plane_stride;
  wanted.box = {4, 2, 3, 1, 1, 1};
  wanted.steps = {1, 2, 1, 1, 1, 1};
  wanted.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  alignas(64) CUtensorMap before{}, after{}, found{};
  REQUIRE(encode(&before, first.memory.address(), Request{}) == CUDA_SUCCESS);
  REQUIRE(encode(&after, second.memory.address(), wanted) == CUDA_SUCCESS);
  const LoadedModule module(R"(
.version 8.5
.target sm_90a
.address_size 64
.visible .entry change(.param .u64 from, .param .u64 to, .param .u64 address, .param .u32 height)
{
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;
  .shared .align 128 .b8 map[128];
  ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to]; ld.param.u64 %d3, [address];
  ld.param.u32 %r1, [height];
  mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2;
  mov.u32 %r4, map; add.u32 %r5, %r4, %r3;
  cvt.u64.u32 %d4, %r3; add.u64 %d4, %d1, %d4;
  ld.global.u32 %r6, [%d4];
  st.shared.u32 [%r5], %r6;
  bar.warp.sync 0xffffffff;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra done;
  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r4], %d3;
  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r4], 2;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 0, 16;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 1, %r1;
  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 2, 4;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r4], 0, 192;
  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r4], 1, 1920;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 0, 4;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 1, 2;
  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 2, 3;
  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r4], 1, 2;
  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r4], 2;
  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r4], 0;
  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r4], 1;
  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r4], 0;
done:
  bar.warp.sync 0xffffffff;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d2], [%r4], 128;
  ret;
}
)");
  const DeviceBlock maps(256);
  CUdeviceptr from = maps.address(), to = from + 128, address = second.memory.address();
  unsigned rows = 8;
  REQUIRE(CU(cuMemcpyHtoD_v2)(from, &before, 128) == CUDA_SUCCESS);
  void* parameters[] = {&from, &to, &address, &rows};
  REQUIRE(CU(cuLaunchKernel)(module.function("change"), 1, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                             nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoH_v2)(&found, to, 128) == CUDA_SUCCESS);
  const LoadedModule copies(copies_ptx);
  for (const auto& [x, y, z] : {std::array{0, 0, 0}, {12, 4, 0}, {-4, -1, -1}})
    CHECK(loaded(copies, found, x, y, z, 48) == loaded(copies, after, x, y, z, 48));
  if (!is_cpu_driver())
    return;  // its maps have words besides, which instructions leave as they were
  CHECK(std::memcmp(&found, &after, sizeof after) == 0);
  rows = 0;  // no tensor has such a dimension
  REQUIRE(CU(cuLaunchKernel)(module.function("change"), 1, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_CASE("maps of images have corners, channels and pixels") {
  const CurrentContext context;
  const DeviceBlock memory(1 << 16);
  const Request request;
  const std::array<cuuint64_t, 4> sizes{64, 8, 8, 2}, strides{256, 2048, 16384, 0};
  const std::array<int, 2> lower{-1, -1}, upper{-1, -1};
  CUtensorMap map{};
  const auto encode_image = [&](cuuint32_t rank, const int* corner, cuuint32_t channels,
                                cuuint32_t pixels) {
    return CU(cuTensorMapEncodeIm2col)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, reinterpret_cast<void*>(memory.address()),
        sizes.data(), strides.data(), corner, upper.data(), channels, pixels, request.steps.data(),
        request.interleave, request.swizzle, request.promotion, request.fill);
  };
  if (!has_tensor_maps()) {
    CHECK(encode_image(4, lower.data(), 32, 64) == CUDA_ERROR_NOT_SUPPORTED);
    return;
  }
  CHECK(encode_image(4, lower.data(), 32, 64) == CUDA_SUCCESS);
  CHECK(encode_image(2, lower.data(), 32, 64) == CUDA_ERROR_INVALID_VALUE);
  if (is_cpu_driver())  // NVIDIA's crashes
    CHECK(encode_image(4, nullptr, 32, 64) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode_image(4, lower.data(), 0, 64) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode_image(4, lower.data(), 32, 2000) == CUDA_ERROR_INVALID_VALUE);
  const std::array<int, 2> far{-300, 0};
  CHECK(encode_image(4, far.data(), 32, 64) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("maps of rows of pixels have ends, channels, pixels and a mode") {
  const CurrentContext context;
  const DeviceBlock memory(1 << 16);
  const Request request;
  const std::array<cuuint64_t, 4> sizes{64, 8, 8, 2}, strides{256, 2048, 16384, 0};
  CUtensorMap map{};
  const auto encode_row = [&](cuuint32_t rank, int lower, cuuint32_t channels, cuuint32_t pixels,
                              CUtensorMapIm2ColWideMode mode) {
    return CU(cuTensorMapEncodeIm2colWide)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, reinterpret_cast<void*>(memory.address()),
        sizes.data(), strides.data(), lower, 0, channels, pixels, request.steps.data(),
        request.interleave, mode, request.swizzle, request.promotion, request.fill);
  };
  constexpr auto by_pixels = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W;
  constexpr auto fixed = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
  if (!has_tensor_maps()) {
    CHECK(encode_row(4, -1, 32, 64, by_pixels) == CUDA_ERROR_NOT_SUPPORTED);
    return;
  }
  if (!is_cpu_driver()) return;  // devices before 10.0 have no copies by such maps
  CHECK(encode_row(4, -1, 32, 64, by_pixels) == CUDA_SUCCESS);
  CHECK(encode_row(4, -1, 32, 0, fixed) == CUDA_SUCCESS);
  CHECK(encode_row(2, -1, 32, 64, by_pixels) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode_row(4, -1, 0, 64, by_pixels) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode_row(4, -1, 32, 2000, by_pixels) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode_row(4, 40000, 32, 64, by_pixels) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a map's address can be replaced") {
  const CurrentContext context;
  if (!has_tensor_maps()) return;
  const Volume volume;
  const LoadedModule module(copies_ptx);
  const DeviceBlock elsewhere(plane_stride * depth);
  alignas(64) CUtensorMap map;
  REQUIRE(encode(&map, elsewhere.address(), {}) == CUDA_SUCCESS);
  REQUIRE(CU(cuTensorMapReplaceAddress)(&map, reinterpret_cast<void*>(volume.memory.address())) ==
          CUDA_SUCCESS);
  CHECK(loaded(module, map, 4, 2, 3, 256) == expected(4, 2, 3, 8, 4, 2));
  CHECK(CU(cuTensorMapReplaceAddress)(&map, reinterpret_cast<void*>(volume.memory.address() + 8)) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("maps that no copy could use are refused") {
  const CurrentContext context;
  if (!has_tensor_maps()) return;
  const DeviceBlock block(1 << 16);
  const CUdeviceptr address = block.address();
  alignas(64) CUtensorMap maps[2];
  const auto with = [&](auto change) {
    Request request;
    change(request);
    return encode(maps, address, request);
  };
  CHECK(with([](Request&) {}) == CUDA_SUCCESS);
  CHECK(with([](Request& r) { r.rank = 0; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.rank = 6; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.sizes[1] = 0; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.sizes[1] = (cuuint64_t{1} << 32) + 1; }) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.strides[0] = 88; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.strides[0] = cuuint64_t{1} << 40; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.box[0] = 0; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.box[1] = 257; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.box[0] = 6; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.steps[1] = 0; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.steps[1] = 9; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) {
          r.box[0] = 16;
          r.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
        }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(maps, address + 8, {}) == CUDA_ERROR_INVALID_VALUE);
  CHECK(encode(nullptr, address, {}) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request& r) { r.box[0] = r.box[1] = 256; }) == CUDA_ERROR_INVALID_VALUE);
}
