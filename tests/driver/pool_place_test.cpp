// SPDX-License-Identifier: MIT
// Pools of device memory, of page-locked and of managed memory, and the places that have them. The
// expected answers are those of an H200 with driver 580.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

CUmemLocation place(CUmemLocationType type, int id = 0) {
  CUmemLocation made{};
  made.type = type;
  made.id = id;
  return made;
}

struct Place {
  std::string name;
  CUmemAllocationType kind;
  CUmemLocation location;
};

const std::vector<Place>& places_with_pools() {
  static const std::vector<Place> all = {
      {"device", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_DEVICE)},
      {"host", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_HOST)},
      {"host node", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_HOST_NUMA)},
      {"managed", CU_MEM_ALLOCATION_TYPE_MANAGED, place(CU_MEM_LOCATION_TYPE_INVALID)},
      {"managed, device", CU_MEM_ALLOCATION_TYPE_MANAGED, place(CU_MEM_LOCATION_TYPE_DEVICE)},
      {"managed, host", CU_MEM_ALLOCATION_TYPE_MANAGED, place(CU_MEM_LOCATION_TYPE_HOST)},
      {"managed, host node", CU_MEM_ALLOCATION_TYPE_MANAGED,
       place(CU_MEM_LOCATION_TYPE_HOST_NUMA)}};
  return all;
}

template <class Value>
Value pointer_attribute(CUpointer_attribute name, CUdeviceptr address) {
  Value value{};
  CHECK(CU(cuPointerGetAttribute)(&value, name, address) == CUDA_SUCCESS);
  return value;
}

int attribute(CUdevice_attribute name) {
  int value = -1;
  CHECK(CU(cuDeviceGetAttribute)(&value, name, 0) == CUDA_SUCCESS);
  return value;
}

CUmemoryPool own_pool(const Place& where) {
  CUmemPoolProps properties{};
  properties.allocType = where.kind;
  properties.location = where.location;
  CUmemoryPool pool = nullptr;
  REQUIRE(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_SUCCESS);
  return pool;
}

}  // namespace

TEST_CASE("a device says that it has pools of host memory") {
  const CurrentContext context;
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) == 1);
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED) == 1);
  CHECK(attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED) == 1);
}

TEST_CASE("each kind of memory at each place has a default pool, which is current at first") {
  const CurrentContext context;
  for (const Place& where : places_with_pools()) {
    CAPTURE(where.name);
    CUmemLocation location = where.location;
    CUmemoryPool standard = nullptr, current = nullptr;
    REQUIRE(CU(cuMemGetDefaultMemPool)(&standard, &location, where.kind) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemGetMemPool)(&current, &location, where.kind) == CUDA_SUCCESS);
    CHECK(standard == current);
    CHECK(CU(cuMemPoolDestroy)(standard) == CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_CASE("a pool of one's own becomes the current one of its place, until it is destroyed") {
  const CurrentContext context;
  for (const Place& where : places_with_pools()) {
    CAPTURE(where.name);
    CUmemLocation location = where.location;
    const CUmemoryPool own = own_pool(where);
    CHECK(CU(cuMemSetMemPool)(&location, where.kind, own) == CUDA_SUCCESS);
    CUmemoryPool current = nullptr;
    CHECK(CU(cuMemGetMemPool)(&current, &location, where.kind) == CUDA_SUCCESS);
    CHECK(current == own);
    CHECK(CU(cuMemPoolDestroy)(own) == CUDA_SUCCESS);
    CHECK(CU(cuMemGetMemPool)(&current, &location, where.kind) == CUDA_SUCCESS);
    CHECK(current != own);
  }
}

TEST_CASE("memory of pools of the host and of managed memory is read by host and device") {
  const CurrentContext context;
  for (const Place& where : places_with_pools()) {
    if (where.kind == CU_MEM_ALLOCATION_TYPE_PINNED &&
        where.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
      continue;
    CAPTURE(where.name);
    const bool managed = where.kind == CU_MEM_ALLOCATION_TYPE_MANAGED;
    const CUmemoryPool pool = own_pool(where);
    CUdeviceptr memory = 0;
    REQUIRE(CU(cuMemAllocFromPoolAsync)(&memory, 1000, pool, nullptr) == CUDA_SUCCESS);
    CHECK(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory) ==
          (managed ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST));
    CHECK(pointer_attribute<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, memory) ==
          (managed ? 1u : 0u));
    CHECK(pointer_attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_HOST_POINTER, memory) == memory);
    CHECK(pointer_attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory) == pool);
    // A device has no access to a pool of pinned host memory before it is given some.
    const CUmemAccessDesc access{place(CU_MEM_LOCATION_TYPE_DEVICE),
                                 CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    if (!managed) REQUIRE(CU(cuMemPoolSetAccess)(pool, &access, 1) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemsetD8Async)(memory, 7, 1000, nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    const auto* bytes = reinterpret_cast<const unsigned char*>(memory);
    CHECK(bytes[0] == 7);
    CHECK(bytes[999] == 7);
    CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
    CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
  }
}

TEST_CASE("copies to and from the device take no memory of the host's pools") {
  const CurrentContext context;
  for (const Place& where : places_with_pools()) {
    CAPTURE(where.name);
    const bool of_host = where.kind == CU_MEM_ALLOCATION_TYPE_PINNED &&
                         where.location.type != CU_MEM_LOCATION_TYPE_DEVICE;
    const CUresult expected = of_host ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    const CUmemoryPool pool = own_pool(where);
    if (of_host) {
      const CUmemAccessDesc access{place(CU_MEM_LOCATION_TYPE_DEVICE),
                                   CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
      REQUIRE(CU(cuMemPoolSetAccess)(pool, &access, 1) == CUDA_SUCCESS);
    }
    CUdeviceptr memory = 0;
    REQUIRE(CU(cuMemAllocFromPoolAsync)(&memory, 64, pool, nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemsetD8Async)(memory, 7, 64, nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    std::vector<unsigned char> host(64);
    CHECK(CU(cuMemcpyDtoH_v2)(host.data(), memory, 64) == expected);
    CHECK(CU(cuMemcpyHtoD_v2)(memory, host.data(), 64) == expected);
    CHECK(CU(cuMemcpyDtoHAsync_v2)(host.data(), memory, 64, nullptr) == expected);
    CHECK(CU(cuMemcpyHtoDAsync_v2)(memory, host.data(), 64, nullptr) == expected);
    const DeviceBlock block(64);
    CHECK(CU(cuMemcpyDtoD_v2)(memory, block.address(), 64) == expected);
    CHECK(CU(cuMemcpyDtoD_v2)(block.address(), memory, 64) == expected);
    CHECK(CU(cuMemcpyPeer)(memory, context.handle(), block.address(), context.handle(), 64) ==
          expected);
    const bool managed = where.kind == CU_MEM_ALLOCATION_TYPE_MANAGED;
    const CUresult written = CU(cuStreamWriteValue32_v2)(nullptr, memory, 5, 0);
    if (of_host || managed) {
      CHECK(written == CUDA_ERROR_INVALID_VALUE);
    } else {
      // NVIDIA's driver takes the memory of a device's pool on some machines only.
      CHECK((written == CUDA_SUCCESS || (!is_cpu_driver() && written == CUDA_ERROR_INVALID_VALUE)));
    }
    REQUIRE(CU(cuMemsetD8Async)(memory, 8, 64, nullptr) == CUDA_SUCCESS);
    const auto address = reinterpret_cast<CUdeviceptr>(host.data());
    CHECK(CU(cuMemcpyAsync)(address, memory, 64, nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    CHECK(host == std::vector<unsigned char>(64, 8));
    host.assign(64, 9);
    CHECK(CU(cuMemcpy)(memory, address, 64) == CUDA_SUCCESS);
    host.assign(64, 0);
    CHECK(CU(cuMemcpy)(address, memory, 64) == CUDA_SUCCESS);
    CHECK(host == std::vector<unsigned char>(64, 9));
    CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
    CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
  }
}

TEST_CASE("places without pools are refused") {
  const CurrentContext context;
  const Place nowhere[] = {
      {"pinned, nowhere", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_INVALID)},
      {"device 99", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_DEVICE, 99)},
      {"managed, device 99", CU_MEM_ALLOCATION_TYPE_MANAGED,
       place(CU_MEM_LOCATION_TYPE_DEVICE, 99)},
      {"node 77", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_HOST_NUMA, 77)},
      {"no kind", CU_MEM_ALLOCATION_TYPE_INVALID, place(CU_MEM_LOCATION_TYPE_DEVICE)}};
  for (const Place& where : nowhere) {
    CAPTURE(where.name);
    CUmemLocation location = where.location;
    CUmemoryPool pool = nullptr;
    CHECK(CU(cuMemGetDefaultMemPool)(&pool, &location, where.kind) == CUDA_ERROR_INVALID_VALUE);
    CUmemPoolProps properties{};
    properties.allocType = where.kind;
    properties.location = location;
    CHECK(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_ERROR_INVALID_VALUE);
  }
  CUmemLocation current_node = place(CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  CUmemoryPool pool = nullptr;
  CHECK(CU(cuMemGetMemPool)(&pool, &current_node, CU_MEM_ALLOCATION_TYPE_PINNED) ==
        CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuMemGetMemPool)(&pool, nullptr, CU_MEM_ALLOCATION_TYPE_PINNED) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("cuMemAllocAsync takes from pools of the device's own memory only") {
  const CurrentContext context;
  CUmemoryPool before = nullptr, after = nullptr;
  REQUIRE(CU(cuDeviceGetMemPool)(&before, 0) == CUDA_SUCCESS);
  const CUmemoryPool host = own_pool(places_with_pools()[1]);
  CHECK(CU(cuDeviceSetMemPool)(0, host) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetMemPool)(&after, 0) == CUDA_SUCCESS);
  CHECK(after == before);
  CHECK(CU(cuMemPoolDestroy)(host) == CUDA_SUCCESS);
}

TEST_CASE("pools answer who has access, and read-only access is not supported") {
  const CurrentContext context;
  const CUmemoryPool host = own_pool(places_with_pools()[1]);
  CUmemLocation device = place(CU_MEM_LOCATION_TYPE_DEVICE);
  CUmemLocation of_host = place(CU_MEM_LOCATION_TYPE_HOST);
  CUmemAccess_flags flags{};
  CHECK(CU(cuMemPoolGetAccess)(&flags, host, &device) == CUDA_SUCCESS);
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  CHECK(CU(cuMemPoolGetAccess)(&flags, host, &of_host) == CUDA_SUCCESS);
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CUmemAccessDesc access{};
  access.location = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  CHECK(CU(cuMemPoolSetAccess)(host, &access, 1) == CUDA_ERROR_NOT_SUPPORTED);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK(CU(cuMemPoolSetAccess)(host, &access, 1) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolGetAccess)(&flags, host, &device) == CUDA_SUCCESS);
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  access.location = of_host;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  CHECK(CU(cuMemPoolSetAccess)(host, &access, 1) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuMemPoolDestroy)(host) == CUDA_SUCCESS);
}

TEST_CASE("what is captured allocates from pools of a device for this process alone") {
  const CurrentContext context;
  const Place shared = {"shared", CU_MEM_ALLOCATION_TYPE_PINNED,
                        place(CU_MEM_LOCATION_TYPE_DEVICE)};
  std::vector<Place> places = places_with_pools();
  places.push_back(shared);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& where = places[i];
    CAPTURE(where.name);
    CUmemPoolProps properties{};
    properties.allocType = where.kind;
    properties.location = where.location;
    const bool is_shared = i + 1 == places.size();
    if (is_shared) properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemoryPool pool = nullptr;
    REQUIRE(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_SUCCESS);
    const CUresult expected =
        where.location.type == CU_MEM_LOCATION_TYPE_INVALID               ? CUDA_ERROR_INVALID_VALUE
        : where.location.type != CU_MEM_LOCATION_TYPE_DEVICE || is_shared ? CUDA_ERROR_NOT_SUPPORTED
                                                                          : CUDA_SUCCESS;
    CUstream stream = nullptr;
    REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) ==
            CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    CHECK(CU(cuMemAllocFromPoolAsync)(&memory, 1000, pool, stream) == expected);
    CUgraph graph = nullptr;
    REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
    std::size_t nodes = 0;
    CHECK(CU(cuGraphGetNodes)(graph, nullptr, &nodes) == CUDA_SUCCESS);
    CHECK(nodes == (expected == CUDA_SUCCESS ? 1 : 0));
    if (nodes == 1) {
      CUgraphNode node = nullptr;
      CHECK(CU(cuGraphGetNodes)(graph, &node, &nodes) == CUDA_SUCCESS);
      CUDA_MEM_ALLOC_NODE_PARAMS params{};
      CHECK(CU(cuGraphMemAllocNodeGetParams)(node, &params) == CUDA_SUCCESS);
      CHECK(params.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
      CHECK(params.bytesize == 1000);
    }
    CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
    CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
    CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
  }
}

TEST_CASE("a graph's node allocates managed memory on a device, and none on the host") {
  const CurrentContext context;
  CUgraph graph = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
  params.poolProps.location = place(CU_MEM_LOCATION_TYPE_DEVICE);
  params.bytesize = 1000;
  CUgraphNode allocation = nullptr, fill = nullptr, release = nullptr;
  REQUIRE(CU(cuGraphAddMemAllocNode)(&allocation, graph, nullptr, 0, &params) == CUDA_SUCCESS);
  CUDA_MEM_ALLOC_NODE_PARAMS answered{};
  CHECK(CU(cuGraphMemAllocNodeGetParams)(allocation, &answered) == CUDA_SUCCESS);
  CHECK(answered.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED);
  CUDA_MEMSET_NODE_PARAMS set{};
  set.dst = params.dptr;
  set.value = 5;
  set.elementSize = 1;
  set.width = 1000;
  set.height = 1;
  REQUIRE(CU(cuGraphAddMemsetNode)(&fill, graph, &allocation, 1, &set, context.handle()) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuGraphAddMemFreeNode)(&release, graph, &fill, 1, params.dptr) == CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  const Place refused[] = {
      {"host", CU_MEM_ALLOCATION_TYPE_PINNED, place(CU_MEM_LOCATION_TYPE_HOST)},
      {"managed, host", CU_MEM_ALLOCATION_TYPE_MANAGED, place(CU_MEM_LOCATION_TYPE_HOST)},
      {"managed", CU_MEM_ALLOCATION_TYPE_MANAGED, place(CU_MEM_LOCATION_TYPE_INVALID)}};
  for (const Place& where : refused) {
    CAPTURE(where.name);
    params.poolProps.allocType = where.kind;
    params.poolProps.location = where.location;
    CHECK(CU(cuGraphAddMemAllocNode)(&allocation, graph, nullptr, 0, &params) ==
          CUDA_ERROR_NOT_SUPPORTED);
  }
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  CHECK(CU(cuGraphAddMemAllocNode)(&allocation, graph, nullptr, 0, &params) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
}
