// SPDX-License-Identifier: MIT
// Copies between devices, of boxes in streams and of rows with any pitch; fills of 16 bits.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <numeric>

#include "driver/driver.h"

using namespace driver_test;

namespace {

using Words = std::array<std::uint32_t, 16>;

Words counting() {
  Words words{};
  std::iota(words.begin(), words.end(), 1u);
  return words;
}

Words read(CUdeviceptr memory) {
  Words words{};
  REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), memory, sizeof words) == CUDA_SUCCESS);
  return words;
}

/// The 16 words as 2 x 2 x 4.
template <class Copy>
Copy whole_box(const Words& from, CUdeviceptr to) {
  Copy box{};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = from.data();
  box.srcPitch = box.dstPitch = 16;
  box.srcHeight = box.dstHeight = 2;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = to;
  box.WidthInBytes = 16;
  box.Height = box.Depth = 2;
  return box;
}

class OwnStream {
 public:
  OwnStream() { REQUIRE(CU(cuStreamCreate)(&handle_, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS); }
  ~OwnStream() { CHECK(CU(cuStreamDestroy_v2)(handle_) == CUDA_SUCCESS); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator CUstream() const { return handle_; }
  void finish() const { REQUIRE(CU(cuStreamSynchronize)(handle_) == CUDA_SUCCESS); }

 private:
  CUstream handle_ = nullptr;
};

}  // namespace

TEST_CASE("a box is copied in a stream") {
  const CurrentContext context;
  const OwnStream stream;
  const Words words = counting();
  const DeviceBlock block(sizeof words);
  auto box = whole_box<CUDA_MEMCPY3D>(words, block.address());
  CHECK(CU(cuMemcpy3DAsync_v2)(&box, stream) == CUDA_SUCCESS);
  stream.finish();
  CHECK(read(block.address()) == words);
  CHECK(CU(cuMemcpy3DAsync_v2)(nullptr, stream) == CUDA_ERROR_INVALID_VALUE);
  box.srcPitch = 8;  // rows that are shorter than what is copied of them
  CHECK(CU(cuMemcpy3DAsync_v2)(&box, stream) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a box is copied from context to context") {
  const CurrentContext context;
  const OwnStream stream;
  const Words words = counting();
  const DeviceBlock first(sizeof words), second(sizeof words);
  REQUIRE(CU(cuMemcpyHtoD_v2)(first.address(), words.data(), sizeof words) == CUDA_SUCCESS);
  auto box = whole_box<CUDA_MEMCPY3D_PEER>(words, second.address());
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = first.address();
  box.srcContext = box.dstContext = context.handle();
  CHECK(CU(cuMemcpy3DPeer)(&box) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(read(second.address()) == words);
  REQUIRE(CU(cuMemsetD8_v2)(second.address(), 0, sizeof words) == CUDA_SUCCESS);
  box.Depth = 1;
  CHECK(CU(cuMemcpy3DPeerAsync)(&box, stream) == CUDA_SUCCESS);
  stream.finish();
  CHECK(read(second.address())[7] == 8);
  CHECK(read(second.address())[8] == 0);
  // NVIDIA's driver reads the description without a look at the pointer.
  if (is_cpu_driver()) CHECK(CU(cuMemcpy3DPeer)(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("bytes are copied from context to context in a stream") {
  const CurrentContext context;
  const OwnStream stream;
  const Words words = counting();
  const DeviceBlock first(sizeof words), second(sizeof words);
  REQUIRE(CU(cuMemcpyHtoD_v2)(first.address(), words.data(), sizeof words) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyPeerAsync)(second.address(), context.handle(), first.address(), context.handle(),
                              sizeof words, stream) == CUDA_SUCCESS);
  stream.finish();
  CHECK(read(second.address()) == words);
  if (is_cpu_driver())
    CHECK(CU(cuMemcpyPeerAsync)(second.address(), nullptr, first.address(), context.handle(), 4,
                                stream) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("rows of any pitch are copied") {
  const CurrentContext context;
  const Words words = counting();
  const DeviceBlock block(256);
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = words.data();
  rows.srcPitch = 13;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = block.address();
  rows.dstPitch = 16;
  rows.WidthInBytes = 4;
  rows.Height = 4;
  REQUIRE(CU(cuMemsetD8_v2)(block.address(), 0, 256) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpy2DUnaligned_v2)(&rows) == CUDA_SUCCESS);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(words.data());
  const Words found = read(block.address());
  for (std::size_t row = 0; row < 4; ++row) CHECK((found.at(4 * row) & 0xff) == bytes[13 * row]);
  CHECK(CU(cuMemcpy2DUnaligned_v2)(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("memory is filled with numbers of 16 bits in a stream") {
  const CurrentContext context;
  const OwnStream stream;
  const DeviceBlock block(sizeof(Words));
  REQUIRE(CU(cuMemsetD8_v2)(block.address(), 0, sizeof(Words)) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD16Async)(block.address(), 0x1234, 3, stream) == CUDA_SUCCESS);
  stream.finish();
  CHECK(read(block.address())[0] == 0x12341234u);
  CHECK(read(block.address())[1] == 0x1234u);
  CHECK(CU(cuMemsetD16Async)(block.address() + 1, 0, 1, stream) == CUDA_ERROR_INVALID_VALUE);
}
