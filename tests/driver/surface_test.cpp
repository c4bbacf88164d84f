// SPDX-License-Identifier: MIT
// Arrays and copies to and from them, surfaces, and references that a module declares.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "driver/texture_probe.h"

using namespace driver_test;

namespace {

constexpr unsigned surface_flag = CUDA_ARRAY3D_SURFACE_LDST;

template <class Value>
std::vector<Value> counting(std::size_t count) {
  std::vector<Value> values(count);
  std::iota(values.begin(), values.end(), Value{1});
  return values;
}

class TestSurface {
 public:
  explicit TestSurface(const TestArray& array) {
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    REQUIRE(CU(cuSurfObjectCreate)(&handle_, &resource) == CUDA_SUCCESS);
  }
  ~TestSurface() { CHECK(CU(cuSurfObjectDestroy)(handle_) == CUDA_SUCCESS); }
  TestSurface(const TestSurface&) = delete;
  TestSurface& operator=(const TestSurface&) = delete;
  CUsurfObject handle() const { return handle_; }

 private:
  CUsurfObject handle_ = 0;
};

}  // namespace

TEST_CASE("arrays tell their shape; impossible ones are refused") {
  const CurrentContext context;
  const CUDA_ARRAY3D_DESCRIPTOR wanted{8, 4, 2, CU_AD_FORMAT_UNSIGNED_INT16, 2, surface_flag};
  const TestArray array(wanted);
  CUDA_ARRAY3D_DESCRIPTOR told{};
  REQUIRE(CU(cuArray3DGetDescriptor_v2)(&told, array.handle()) == CUDA_SUCCESS);
  CHECK(told.Width == 8);
  CHECK(told.Height == 4);
  CHECK(told.Depth == 2);
  CHECK(told.Format == CU_AD_FORMAT_UNSIGNED_INT16);
  CHECK(told.NumChannels == 2);
  CHECK(told.Flags == surface_flag);
  CUarray made = nullptr;
  const auto refused = [&](CUDA_ARRAY3D_DESCRIPTOR d) {
    return CU(cuArray3DCreate_v2)(&made, &d) == CUDA_ERROR_INVALID_VALUE;
  };
  CHECK(refused({0, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0}));
  CHECK(refused({4, 4, 0, CU_AD_FORMAT_FLOAT, 3, 0}));
  CHECK(refused({4, 5, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}));
  CHECK(refused({4, 4, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP}));
  CHECK(refused({1u << 30, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0}));
  const CUDA_ARRAY_DESCRIPTOR plain{16, 0, CU_AD_FORMAT_FLOAT, 1};
  REQUIRE(CU(cuArrayCreate_v2)(&made, &plain) == CUDA_SUCCESS);
  CUDA_ARRAY_DESCRIPTOR plain_told{};
  REQUIRE(CU(cuArrayGetDescriptor_v2)(&plain_told, made) == CUDA_SUCCESS);
  CHECK(plain_told.Width == 16);
  CHECK(plain_told.Height == 0);
  CHECK(CU(cuArrayDestroy)(made) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(CU(cuArrayDestroy)(made) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("boxes are copied between arrays and memory") {
  const CurrentContext context;
  const TestArray array({6, 5, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0});
  const auto texels = counting<unsigned char>(6 * 5 * 4);
  array.fill(texels.data(), 4);
  CHECK(array.read(4) == texels);
  // Texels (1, 2) to (3, 3) to a device block with rows of 32 bytes.
  const DeviceBlock block(64);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array.handle();
  copy.srcXInBytes = 4;
  copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = block.address();
  copy.dstPitch = 32;
  copy.WidthInBytes = 12;
  copy.Height = 2;
  REQUIRE(CU(cuMemcpy2D_v2)(&copy) == CUDA_SUCCESS);
  unsigned char rows[64];
  REQUIRE(CU(cuMemcpyDtoH_v2)(rows, block.address(), 64) == CUDA_SUCCESS);
  CHECK(std::memcmp(rows, &texels[2 * 24 + 4], 12) == 0);
  CHECK(std::memcmp(rows + 32, &texels[3 * 24 + 4], 12) == 0);
  copy.Height = 4;  // beyond the last row
  CHECK(CU(cuMemcpy2D_v2)(&copy) == CUDA_ERROR_INVALID_VALUE);
  copy.Height = 2;
  copy.srcXInBytes = 16;  // beyond the end of the row
  CHECK(CU(cuMemcpy2D_v2)(&copy) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("runs of bytes are copied between arrays and memory") {
  const CurrentContext context;
  const TestArray first({16, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0});
  const TestArray second({16, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0});
  const auto bytes = counting<unsigned char>(16);
  REQUIRE(CU(cuMemcpyHtoA_v2)(first.handle(), 0, bytes.data(), 16) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyAtoA_v2)(second.handle(), 8, first.handle(), 4, 8) == CUDA_SUCCESS);
  const DeviceBlock block(16);
  REQUIRE(CU(cuMemcpyAtoD_v2)(block.address(), second.handle(), 8, 8) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoA_v2)(second.handle(), 0, block.address(), 8) == CUDA_SUCCESS);
  unsigned char read[16];
  REQUIRE(CU(cuMemcpyAtoH_v2)(read, second.handle(), 0, 16) == CUDA_SUCCESS);
  for (int i = 0; i < 16; ++i) CHECK(read[i] == 5 + i % 8);
  CHECK(CU(cuMemcpyAtoH_v2)(read, second.handle(), 8, 16) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("surfaces are read and written by byte and row") {
  const CurrentContext context;
  const TestArray array({4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, surface_flag});
  const auto texels = counting<std::uint32_t>(12);
  array.fill(texels.data(), 4);
  const TestSurface surface(array);
  const auto read = probe(
      "suld.b.2d.b32.zero %v0, [%t, {%x, %y}];\n"
      "suld.b.2d.b32.clamp %v1, [%t, {%x, %y}];",
      surface.handle(),
      {At{0, 8, 1, 0}, At{0, 16, 1, 0}, At{0, 0xfffffff8u, 2, 0}, At{0, 0, 9, 0}});
  const std::uint32_t zero[] = {7, 0, 0, 0};
  const std::uint32_t clamped[] = {7, 8, 9, 9};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(read[i].bits[0] == zero[i]);
    CHECK(read[i].bits[1] == clamped[i]);
  }
  probe("add.u32 %v0, %x, 100;\nsust.b.2d.b32.zero [%t, {%x, %y}], %v0;", surface.handle(),
        {At{0, 4, 2, 0}, At{0, 64, 2, 0}});
  std::vector<std::uint32_t> after(12);
  const auto bytes = array.read(4);
  std::memcpy(after.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < 12; ++i) CHECK(after[i] == (i == 9 ? 104 : texels[i]));
}

TEST_CASE("a surface tells its width and height in texels") {
  const CurrentContext context;
  const TestArray array({4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, surface_flag});
  const TestSurface surface(array);
  const auto told = probe("suq.width.b32 %v0, [%t];\nsuq.height.b32 %v1, [%t];", surface.handle(),
                          {At{0, 0, 0, 0}});
  CHECK(told[0].bits[0] == 4);
  CHECK(told[0].bits[1] == 3);
}

TEST_CASE("surface accesses are vectors of up to 16 bytes, in layers and slices") {
  const CurrentContext context;
  const TestArray array({2, 2, 3, CU_AD_FORMAT_FLOAT, 4, surface_flag | CUDA_ARRAY3D_LAYERED});
  const TestSurface surface(array);
  probe(
      "mov.b32 %v0, %x;\nmov.b32 %v1, %y;\nmov.b32 %v2, %l;\nmov.b32 %v3, 77;\n"
      "sust.b.a2d.v4.b32.trap [%t, {%l, %x, %y, %y}], {%v0, %v1, %v2, %v3};",
      surface.handle(), {At{2, 16, 1, 0}, At{0, 0, 0, 0}});
  const auto read = probe("suld.b.a2d.v4.b32.trap {%v0, %v1, %v2, %v3}, [%t, {%l, %x, %y, %y}];",
                          surface.handle(), {At{2, 16, 1, 0}, At{1, 16, 1, 0}});
  CHECK(read[0].bits[0] == 16);
  CHECK(read[0].bits[1] == 1);
  CHECK(read[0].bits[2] == 2);
  CHECK(read[0].bits[3] == 77);
  CHECK(read[1].bits[3] == 0);
}

TEST_CASE("reductions change texels where threads meet") {
  const CurrentContext context;
  // Sixty lanes at three texels, with the values 1 to 60.
  std::vector<At> places;
  for (std::uint32_t i = 0; i < 60; ++i) places.push_back({i + 1, i % 3 * 4, 0, 0});
  const auto reduced = [&](const std::string& instruction, std::uint32_t start,
                           CUarray_format format) {
    const TestArray array({4, 1, 0, format, 1, surface_flag});
    const std::vector<std::uint32_t> texels(4, start);
    array.fill(texels.data(), 4);
    const TestSurface surface(array);
    probe("shr.u32 %z, %x, 2;\nneg.s32 %v0, %l;\n" + instruction, surface.handle(), places);
    std::vector<std::uint32_t> after(4);
    std::memcpy(after.data(), array.read(4).data(), 16);
    CHECK(after[3] == start);
    return std::vector<std::uint32_t>(after.begin(), after.begin() + 3);
  };
  const auto unsigned_texels = [&](const std::string& instruction, std::uint32_t start) {
    return reduced(instruction, start, CU_AD_FORMAT_UNSIGNED_INT32);
  };
  using Texels = std::vector<std::uint32_t>;
  // 1 + 4 + ... + 58, 2 + ... + 59, 3 + ... + 60.
  const Texels sums = {590, 610, 630};
  for (const char* form : {"b.add.2d.u32", "b.add.2d.s32"}) {
    const std::string words(form);
    CHECK(unsigned_texels("sured." + words + ".trap [%t, {%x, %y}], %l;", 100) ==
          Texels{690, 710, 730});
  }
  CHECK(unsigned_texels("sured.p.add.2d.b32.trap [%t, {%z, %y}], %l;", 0) == sums);
  CHECK(unsigned_texels("sured.b.min.2d.u32.trap [%t, {%x, %y}], %l;", 50) == Texels{1, 2, 3});
  CHECK(unsigned_texels("sured.b.max.2d.u32.trap [%t, {%x, %y}], %l;", 0) == Texels{58, 59, 60});
  const Texels lowest = {~57u, ~58u, ~59u};
  CHECK(unsigned_texels("sured.b.min.2d.s32.trap [%t, {%x, %y}], %v0;", 5) == lowest);
  CHECK(unsigned_texels("sured.b.min.2d.u32.trap [%t, {%x, %y}], %v0;", 5) == Texels{5, 5, 5});
  CHECK(unsigned_texels("sured.b.max.2d.s32.trap [%t, {%x, %y}], %v0;", 5) == Texels{5, 5, 5});
  CHECK(unsigned_texels("sured.b.or.2d.b32.trap [%t, {%x, %y}], %l;", 256) ==
        Texels{319, 319, 319});
  CHECK(unsigned_texels("sured.b.and.2d.b32.trap [%t, {%x, %y}], %v0;", 0xff) ==
        Texels{0xc0, 0xc0, 0xc0});
  // What sured.p compares is what the surface has.
  const std::string formatted = "sured.p.min.2d.b32.trap [%t, {%z, %y}], %v0;";
  CHECK(reduced(formatted, 5, CU_AD_FORMAT_SIGNED_INT32) == lowest);
  CHECK(unsigned_texels(formatted, 5) == Texels{5, 5, 5});
  CHECK(unsigned_texels("sured.p.or.2d.b32.trap [%t, {%z, %y}], %l;", 0) == Texels{63, 63, 63});
}

TEST_CASE("reductions of 64 bits, and outside") {
  const CurrentContext context;
  const TestArray array({2, 2, 2, CU_AD_FORMAT_UNSIGNED_INT32, 2, surface_flag});
  std::vector<std::uint64_t> texels(8, 0xffffffffu);
  array.fill(texels.data(), 8);
  const TestSurface surface(array);
  std::vector<At> places;
  for (std::uint32_t i = 0; i < 40; ++i) places.push_back({7, 8, 1, 1});
  const std::string wide = ".reg .b64 %w;\nmov.b64 %w, {%l, %l};\n";
  const auto after = [&](const std::string& instruction) {
    probe(wide + instruction, surface.handle(), places);
    std::memcpy(texels.data(), array.read(8).data(), 64);
    return texels[7];
  };
  const std::uint64_t seven = 0x0000000700000007;
  const std::uint64_t sum = 0xffffffff + 40 * seven;
  CHECK(after("sured.b.add.3d.u64.trap [%t, {%x, %y, %z, %z}], %w;") == sum);
  // The compiler of NVIDIA's 13.0 driver refuses these, ptxas 13.5 takes them.
  if (is_cpu_driver()) {
    CHECK(after("sured.b.min.3d.u64.clamp [%t, {%x, %y, %z, %z}], %w;") == seven);
    CHECK(after("sured.b.min.3d.s64.clamp [%t, {%x, %y, %z, %z}], -3;") == ~std::uint64_t{2});
    CHECK(after("sured.b.max.3d.s64.trap [%t, {%x, %y, %z, %z}], %w;") == seven);
    CHECK(after("shr.u32 %x, %x, 3;\nsured.p.max.3d.b64.trap [%t, {%x, %y, %z, %z}], -1;") ==
          ~std::uint64_t{0});
  }
  CHECK(texels[6] == 0xffffffffu);
  // Outside nothing happens, or what is nearest changes.
  const std::uint64_t before = texels[7];
  places.assign(40, At{1, 64, 1, 1});
  CHECK(after("sured.b.add.3d.u64.zero [%t, {%x, %y, %z, %z}], %w;") == before);
  CHECK(after("sured.b.add.3d.u64.clamp [%t, {%x, %y, %z, %z}], %w;") ==
        before + 40 * 0x0000000100000001);
}

TEST_CASE("reductions of 64 bits in rows of three texels of 32") {
  const CurrentContext context;
  const TestArray array({3, 2, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, surface_flag});
  std::vector<std::uint32_t> texels(6, 1);
  array.fill(texels.data(), 4);
  const TestSurface surface(array);
  const std::vector<At> places(40, At{7, 0, 1, 0});
  probe(".reg .b64 %w;\nmov.b64 %w, {%l, %l};\nsured.b.add.2d.u64.trap [%t, {%x, %y}], %w;",
        surface.handle(), places);
  std::memcpy(texels.data(), array.read(4).data(), 24);
  CHECK(texels == std::vector<std::uint32_t>{1, 1, 1, 281, 281, 1});
}

TEST_CASE("a surface access that traps outside ends the launch") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  {
    const TestArray plain({4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0});
    CUsurfObject refused = 0;
    const CUDA_RESOURCE_DESC resource = resource_of(plain);
    CHECK(CU(cuSurfObjectCreate)(&refused, &resource) == CUDA_ERROR_INVALID_VALUE);
  }
  const LoadedModule module(probe_text("suld.b.2d.b32.trap %v0, [%t, {%x, %y}];").c_str());
  CUarray array = nullptr;
  const CUDA_ARRAY3D_DESCRIPTOR shape{4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, surface_flag};
  REQUIRE(CU(cuArray3DCreate_v2)(&array, &shape) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC bound{};
  bound.res.array.hArray = array;
  CUsurfObject surface = 0;
  REQUIRE(CU(cuSurfObjectCreate)(&surface, &bound) == CUDA_SUCCESS);
  CUDA_RESOURCE_DESC told{};
  CHECK(CU(cuSurfObjectGetResourceDesc)(&told, surface) == CUDA_SUCCESS);
  CHECK(told.resType == CU_RESOURCE_TYPE_ARRAY);
  CHECK(told.res.array.hArray == array);
  CHECK(CU(cuSurfObjectGetResourceDesc)(nullptr, surface) == CUDA_ERROR_INVALID_VALUE);
  const At place{0, 16, 0, 0};
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&memory, 64) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyHtoD_v2)(memory, &place, sizeof place) == CUDA_SUCCESS);
  unsigned count = 1;
  void* arguments[] = {&surface, &memory, &memory, &count};
  REQUIRE(CU(cuLaunchKernel)(module.function("probe"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_CASE("references that a module declares are bound by name") {
  const CurrentContext context;
  const std::string text =
      probe_text("tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [picture, {%x, %y}];\n",
                 ".global .texref picture;\n.global .surfref board;\n");
  CUmodule raw = nullptr;
  if (CU(cuModuleLoadData)(&raw, text.c_str()) != CUDA_SUCCESS) {
    // Newer GPUs know no references any more; the CPU driver does.
    CHECK_FALSE(is_cpu_driver());
    return;
  }
  CHECK(CU(cuModuleUnload)(raw) == CUDA_SUCCESS);
  const LoadedModule module(text.c_str());
  CUtexref reference = nullptr;
  REQUIRE(CU(cuModuleGetTexRef)(&reference, module.handle(), "picture") == CUDA_SUCCESS);
  CHECK(CU(cuModuleGetTexRef)(&reference, module.handle(), "board") == CUDA_ERROR_NOT_FOUND);
  CUsurfref board = nullptr;
  REQUIRE(CU(cuModuleGetSurfRef)(&board, module.handle(), "board") == CUDA_SUCCESS);
  const TestArray array({4, 4, 0, CU_AD_FORMAT_FLOAT, 1, surface_flag});
  const auto texels = counting<float>(16);
  array.fill(texels.data(), 4);
  REQUIRE(CU(cuTexRefSetArray)(reference, array.handle(), CU_TRSA_OVERRIDE_FORMAT) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetAddressMode)(reference, 0, CU_TR_ADDRESS_MODE_CLAMP) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetAddressMode)(reference, 1, CU_TR_ADDRESS_MODE_CLAMP) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetFilterMode)(reference, CU_TR_FILTER_MODE_POINT) == CUDA_SUCCESS);
  CHECK(probe(module, 0, {at(2.5f, 1.5f)})[0].real(0) == 7);
  // Another binding counts from the next launch on.
  REQUIRE(CU(cuTexRefSetFilterMode)(reference, CU_TR_FILTER_MODE_LINEAR) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetFlags)(reference, CU_TRSF_NORMALIZED_COORDINATES) == CUDA_SUCCESS);
  CHECK(probe(module, 0, {at(0.5f, 0.5f)})[0].real(0) == 8.5f);
  CUarray bound = nullptr;
  REQUIRE(CU(cuTexRefGetArray)(&bound, reference) == CUDA_SUCCESS);
  CHECK(bound == array.handle());
  CUaddress_mode mode{};
  REQUIRE(CU(cuTexRefGetAddressMode)(&mode, reference, 1) == CUDA_SUCCESS);
  CHECK(mode == CU_TR_ADDRESS_MODE_CLAMP);
  CUfilter_mode filter{};
  REQUIRE(CU(cuTexRefGetFilterMode)(&filter, reference) == CUDA_SUCCESS);
  CHECK(filter == CU_TR_FILTER_MODE_LINEAR);
  unsigned flags = 0;
  REQUIRE(CU(cuTexRefGetFlags)(&flags, reference) == CUDA_SUCCESS);
  CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES);
  CUarray_format format{};
  int channels = 0;
  REQUIRE(CU(cuTexRefGetFormat)(&format, &channels, reference) == CUDA_SUCCESS);
  CHECK(format == CU_AD_FORMAT_FLOAT);
  CHECK(channels == 1);
  REQUIRE(CU(cuSurfRefSetArray)(board, array.handle(), 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuSurfRefGetArray)(&bound, board) == CUDA_SUCCESS);
  CHECK(bound == array.handle());
}

TEST_CASE("references are bound to plain memory") {
  const CurrentContext context;
  const std::string text = probe_text("tex.1d.v4.s32.s32 {%v0, %v1, %v2, %v3}, [numbers, {%x}];\n",
                                      ".global .texref numbers;\n");
  CUmodule raw = nullptr;
  if (CU(cuModuleLoadData)(&raw, text.c_str()) != CUDA_SUCCESS) {
    CHECK_FALSE(is_cpu_driver());
    return;
  }
  CHECK(CU(cuModuleUnload)(raw) == CUDA_SUCCESS);
  const LoadedModule module(text.c_str());
  CUtexref reference = nullptr;
  REQUIRE(CU(cuModuleGetTexRef)(&reference, module.handle(), "numbers") == CUDA_SUCCESS);
  const std::int32_t numbers[] = {-1, 2, -3, 4};
  const DeviceBlock block(sizeof numbers);
  REQUIRE(CU(cuMemcpyHtoD_v2)(block.address(), numbers, sizeof numbers) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetFormat)(reference, CU_AD_FORMAT_SIGNED_INT32, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuTexRefSetFlags)(reference, CU_TRSF_READ_AS_INTEGER) == CUDA_SUCCESS);
  std::size_t offset = 1;
  REQUIRE(CU(cuTexRefSetAddress_v2)(&offset, reference, block.address(), sizeof numbers) ==
          CUDA_SUCCESS);
  CHECK(offset == 0);
  CUdeviceptr address = 0;
  REQUIRE(CU(cuTexRefGetAddress_v2)(&address, reference) == CUDA_SUCCESS);
  CHECK(address == block.address());
  const auto results = probe(module, 0, {At{0, 0, 0, 0}, At{0, 3, 0, 0}, At{0, 4, 0, 0}});
  CHECK(static_cast<std::int32_t>(results[0].bits[0]) == -1);
  CHECK(static_cast<std::int32_t>(results[1].bits[0]) == 4);
  CHECK(results[2].bits[0] == 0);
}
