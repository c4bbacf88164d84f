// SPDX-License-Identifier: MIT
#include "driver/texture_probe.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace driver_test {

At at(float x, float y, float z, std::uint32_t layer) {
  return {layer, std::bit_cast<std::uint32_t>(x), std::bit_cast<std::uint32_t>(y),
          std::bit_cast<std::uint32_t>(z)};
}

float Fetched::real(int i) const { return std::bit_cast<float>(bits[i]); }

CUDA_ARRAY3D_DESCRIPTOR shape(std::size_t width, std::size_t height, std::size_t depth,
                              CUarray_format format, unsigned channels, unsigned flags) {
  return {width, height, depth, format, channels, flags};
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TestArray::TestArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) : descriptor_(descriptor) {
  REQUIRE(CU(cuArray3DCreate_v2)(&handle_, &descriptor_) == CUDA_SUCCESS);
}

TestArray::~TestArray() { CHECK(CU(cuArrayDestroy)(handle_) == CUDA_SUCCESS); }

void TestArray::fill(const void* texels, std::size_t texel_bytes) const {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = handle_;
  copy.WidthInBytes = copy.srcPitch = descriptor_.Width * texel_bytes;
  copy.Height = copy.srcHeight = descriptor_.Height != 0 ? descriptor_.Height : 1;
  copy.Depth = descriptor_.Depth != 0 ? descriptor_.Depth : 1;
  REQUIRE(CU(cuMemcpy3D_v2)(&copy) == CUDA_SUCCESS);
}

std::vector<unsigned char> TestArray::read(std::size_t texel_bytes) const {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = handle_;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.WidthInBytes = copy.dstPitch = descriptor_.Width * texel_bytes;
  copy.Height = copy.dstHeight = descriptor_.Height != 0 ? descriptor_.Height : 1;
  copy.Depth = descriptor_.Depth != 0 ? descriptor_.Depth : 1;
  std::vector<unsigned char> texels(copy.WidthInBytes * copy.Height * copy.Depth);
  copy.dstHost = texels.data();
  REQUIRE(CU(cuMemcpy3D_v2)(&copy) == CUDA_SUCCESS);
  return texels;
}

TestTexture::TestTexture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& description) {
  REQUIRE(CU(cuTexObjectCreate)(&handle_, &resource, &description, nullptr) == CUDA_SUCCESS);
}

TestTexture::~TestTexture() { CHECK(CU(cuTexObjectDestroy)(handle_) == CUDA_SUCCESS); }

CUDA_RESOURCE_DESC resource_of(const TestArray& array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array.handle();
  return resource;
}

CUDA_TEXTURE_DESC description(CUaddress_mode mode, CUfilter_mode filter, unsigned flags) {
  CUDA_TEXTURE_DESC description{};
  for (CUaddress_mode& axis : description.addressMode) axis = mode;
  description.filterMode = filter;
  description.flags = flags;
  return description;
}

std::string probe_text(const std::string& instruction, const std::string& head) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + head + R"(
.visible .entry probe(.param .u64 object, .param .u64 places, .param .u64 results, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %i, %n, %l, %x, %y, %z, %v<4>;
  .reg .b64 %t, %in, %out, %offset;
  mov.u32 %i, %tid.x;
  ld.param.u32 %n, [n];
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  ld.param.u64 %t, [object];
  ld.param.u64 %in, [places];
  ld.param.u64 %out, [results];
  mul.wide.u32 %offset, %i, 16;
  add.s64 %in, %in, %offset;
  add.s64 %out, %out, %offset;
  ld.global.v4.b32 {%l, %x, %y, %z}, [%in];
  mov.b32 %v0, 0;
  mov.b32 %v1, 0;
  mov.b32 %v2, 0;
  mov.b32 %v3, 0;
  )" + instruction +
         R"(
  st.global.v4.b32 [%out], {%v0, %v1, %v2, %v3};
  ret;
}
)";
}

std::vector<Fetched> probe(const LoadedModule& module, std::uint64_t object,
                           const std::vector<At>& places) {
  const std::size_t bytes = places.size() * sizeof(At);
  const DeviceBlock in(bytes), out(bytes);
  REQUIRE(CU(cuMemcpyHtoD_v2)(in.address(), places.data(), bytes) == CUDA_SUCCESS);
  CUdeviceptr from = in.address(), to = out.address();
  auto count = static_cast<unsigned>(places.size());
  void* arguments[] = {&object, &from, &to, &count};
  REQUIRE(CU(cuLaunchKernel)(module.function("probe"), 1, 1, 1, count, 1, 1, 0, nullptr, arguments,
                             nullptr) == CUDA_SUCCESS);
  std::vector<Fetched> results(places.size());
  REQUIRE(CU(cuMemcpyDtoH_v2)(results.data(), to, bytes) == CUDA_SUCCESS);
  return results;
}

std::vector<Fetched> probe(const std::string& instruction, std::uint64_t object,
                           const std::vector<At>& places) {
  const LoadedModule module(probe_text(instruction).c_str());
  return probe(module, object, places);
}

Between between(double position) {
  const double fixed = std::floor((position - 0.5) * 256 + 0.5);
  const int first = static_cast<int>(std::floor(fixed / 256));
  return {first, first + 1, fixed / 256 - first};
}

int addressed(int index, int size, CUaddress_mode mode) {
  if (index >= 0 && index < size) return index;
  if (mode == CU_TR_ADDRESS_MODE_BORDER) return -1;
  if (mode == CU_TR_ADDRESS_MODE_WRAP) return ((index % size) + size) % size;
  return index < 0 ? 0 : size - 1;
}

}  // namespace driver_test
