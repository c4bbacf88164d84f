// SPDX-License-Identifier: MIT
// Many copies, prefetches and discards by one call.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

class TestStream {
 public:
  TestStream() { REQUIRE(CU(cuStreamCreate)(&handle_, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS); }
  ~TestStream() { CU(cuStreamDestroy_v2)(handle_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  operator CUstream() const { return handle_; }

 private:
  CUstream handle_ = nullptr;
};

CUmemcpyAttributes in_order(CUmemcpySrcAccessOrder order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM) {
  CUmemcpyAttributes made{};
  made.srcAccessOrder = order;
  return made;
}

CUdeviceptr address_of(void* host) { return reinterpret_cast<CUdeviceptr>(host); }

/// A batch of copies with one set of attributes.
struct Copies {
  std::vector<CUdeviceptr> to, from;
  std::vector<std::size_t> bytes;
  std::vector<CUmemcpyAttributes> attributes{in_order()};
  std::vector<std::size_t> indices{0};

  CUresult run(CUstream stream) {
    return CU(cuMemcpyBatchAsync_v2)(to.data(), from.data(), bytes.data(), to.size(),
                                     attributes.data(), indices.data(), indices.size(), stream);
  }
};

}  // namespace

TEST_CASE("a batch copies between host and device in the stream's order") {
  const CurrentContext context;
  const TestStream stream;
  const DeviceBlock first(256), second(256);
  std::vector<unsigned> source(64), target(64, 0);
  for (unsigned i = 0; i < 64; ++i) source[i] = i;
  CU(cuMemsetD32Async)(second.address(), 9, 64, stream);
  Copies in{{first.address(), first.address() + 128, second.address()},
            {address_of(source.data()), address_of(source.data() + 32), address_of(source.data())},
            {128, 128, 64}};
  in.attributes = {in_order(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL), in_order()};
  in.indices = {0, 2};
  CHECK(in.run(stream) == CUDA_SUCCESS);
  Copies out{{address_of(target.data()), address_of(target.data() + 32)},
             {first.address() + 128, second.address()},
             {128, 128}};
  CHECK(out.run(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  for (unsigned i = 0; i < 64; ++i) {
    CAPTURE(i);
    CHECK(target[i] == (i < 32 ? i + 32 : i < 48 ? i - 32 : 9));
  }
}

TEST_CASE("wrong batches of copies are refused as a whole") {
  const CurrentContext context;
  const TestStream stream;
  const DeviceBlock block(256);
  unsigned source[2] = {1, 2};
  CU(cuMemsetD32_v2)(block.address(), 0, 64);
  const Copies good{
      {block.address(), block.address() + 4}, {address_of(source), address_of(source + 1)}, {4, 4}};
  const auto refused = [&](const char* what, auto&& change) {
    CAPTURE(what);
    Copies bad = good;
    change(bad);
    CHECK(bad.run(stream) == CUDA_ERROR_INVALID_VALUE);
  };
  refused("no attributes", [](Copies& c) { c.indices.clear(); });
  refused("more attributes than copies", [](Copies& c) {
    c.attributes.assign(3, in_order());
    c.indices = {0, 1, 2};
  });
  refused("the first is not 0", [](Copies& c) { c.indices = {1}; });
  refused("numbers that do not grow", [](Copies& c) {
    c.attributes.assign(2, in_order());
    c.indices = {0, 0};
  });
  refused("no order", [](Copies& c) { c.attributes = {CUmemcpyAttributes{}}; });
  refused("an unknown order",
          [](Copies& c) { c.attributes = {in_order(outside<CUmemcpySrcAccessOrder>(4))}; });
  refused("unknown flags", [](Copies& c) { c.attributes[0].flags = 2; });
  refused("no bytes", [](Copies& c) { c.bytes[1] = 0; });
  refused("address 0", [](Copies& c) { c.to[1] = 0; });
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  unsigned word = 9;
  CHECK(CU(cuMemcpyDtoH_v2)(&word, block.address(), 4) == CUDA_SUCCESS);
  // NVIDIA's driver does what comes before the copy that it refuses.
  if (is_cpu_driver()) CHECK(word == 0);
  Copies right = good;
  CHECK(right.run(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(right.run(stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a batch copies boxes, also to arrays and from them") {
  const CurrentContext context;
  const TestStream stream;
  const DeviceBlock from(1024), to(1024);
  std::vector<unsigned char> bytes(1024), back(1024, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  CU(cuMemcpyHtoD_v2)(from.address(), bytes.data(), bytes.size());
  CU(cuMemsetD8_v2)(to.address(), 0, 1024);
  CUDA_ARRAY3D_DESCRIPTOR descriptor{4, 2, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUarray array = nullptr;
  REQUIRE(CU(cuArray3DCreate_v2)(&array, &descriptor) == CUDA_SUCCESS);

  CUDA_MEMCPY3D_BATCH_OP box{};
  box.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  box.src.type = box.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  box.src.op.ptr.ptr = from.address();
  box.src.op.ptr.rowLength = 16;
  box.src.op.ptr.layerHeight = 4;
  box.dst.op.ptr.ptr = to.address();
  box.dst.op.ptr.rowLength = 32;
  box.dst.op.ptr.layerHeight = 8;
  box.extent = {10, 3, 2};
  CUDA_MEMCPY3D_BATCH_OP into = box;
  into.dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
  into.dst.op.array = {array, {0, 0, 0}};
  into.extent = {4, 2, 1};
  into.src.op.ptr.rowLength = 8;
  CUDA_MEMCPY3D_BATCH_OP operations[] = {box, into};
  CHECK(CU(cuMemcpy3DBatchAsync_v2)(2, operations, 0, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyDtoH_v2)(back.data(), to.address(), back.size()) == CUDA_SUCCESS);
  std::size_t wrong = 0;
  for (std::size_t z = 0; z < 2; ++z) {
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 10; ++x)
        wrong += back[(z * 8 + y) * 32 + x] != bytes[(z * 4 + y) * 16 + x];
    }
  }
  CHECK(wrong == 0);
  CHECK(back[10] == 0);
  CHECK(back[3 * 32] == 0);
  unsigned char texels[32] = {};
  CHECK(CU(cuMemcpyAtoH_v2)(texels, array, 0, 16) == CUDA_SUCCESS);
  CHECK(std::memcmp(texels, bytes.data(), 16) == 0);

  const auto refused = [&](const char* what, auto&& change) {
    CAPTURE(what);
    CUDA_MEMCPY3D_BATCH_OP bad = box;
    change(bad);
    CHECK(CU(cuMemcpy3DBatchAsync_v2)(1, &bad, 0, stream) == CUDA_ERROR_INVALID_VALUE);
  };
  refused("no depth", [](auto& b) { b.extent.depth = 0; });
  refused("rows that are too short", [](auto& b) { b.src.op.ptr.rowLength = 8; });
  refused("no kind", [](auto& b) { b.src.type = outside<CUmemcpy3DOperandType>(0); });
  refused("no order", [](auto& b) { b.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID; });
  CHECK(CU(cuMemcpy3DBatchAsync_v2)(1, &box, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpy3DBatchAsync_v2)(1, nullptr, 0, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuArrayDestroy)(array) == CUDA_SUCCESS);
}

TEST_CASE("managed ranges are prefetched and discarded in batches") {
  const CurrentContext context;
  const TestStream stream;
  int concurrent = 0;
  CU(cuDeviceGetAttribute)(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0);
  REQUIRE(concurrent == 1);
  const std::size_t bytes = std::size_t{4} << 20;
  CUdeviceptr ranges[2] = {};
  for (CUdeviceptr& range : ranges)
    REQUIRE(CU(cuMemAllocManaged)(&range, bytes, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS);
  std::size_t sizes[] = {bytes, bytes}, indices[] = {0, 1};
  CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, {CU_MEM_LOCATION_TYPE_HOST, 0}};
  const auto prefetch = CU(cuMemPrefetchBatchAsync);
  CHECK(prefetch(ranges, sizes, 2, places, indices, 2, 0, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  const auto last_place = [&](CUdeviceptr range) {
    int place = -9;
    CHECK(CU(cuMemRangeGetAttribute)(&place, sizeof place,
                                     CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, range,
                                     bytes) == CUDA_SUCCESS);
    return place;
  };
  CHECK(last_place(ranges[0]) == 0);
  CHECK(last_place(ranges[1]) == CU_DEVICE_CPU);
  CHECK(prefetch(ranges, sizes, 2, places, indices, 2, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(prefetch(ranges, sizes, 2, places, indices, 0, 0, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(prefetch(ranges, sizes, 2, places, indices, 2, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);

  // What was discarded is anything until it is written again.
  const auto discard = CU(cuMemDiscardBatchAsync);
  CHECK(CU(cuMemsetD32Async)(ranges[0], 5, bytes / 4, stream) == CUDA_SUCCESS);
  CHECK(discard(ranges, sizes, 2, 0, stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32Async)(ranges[0], 6, bytes / 4, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(reinterpret_cast<unsigned*>(ranges[0])[bytes / 4 - 1] == 6);
  CHECK(discard(ranges, sizes, 2, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemDiscardAndPrefetchBatchAsync)(ranges, sizes, 2, places, indices, 1, 0, stream) ==
        CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  const DeviceBlock block(4096);
  CUdeviceptr device = block.address();
  std::size_t size = 4096;
  CHECK(discard(&device, &size, 1, 0, stream) == CUDA_ERROR_INVALID_VALUE);
  for (CUdeviceptr range : ranges) CHECK(CU(cuMemFree_v2)(range) == CUDA_SUCCESS);
}
