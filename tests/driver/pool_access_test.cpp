// SPDX-License-Identifier: MIT
// Which device may copy the memory of another device's pool. How many devices the CPU driver has is
// chosen when it starts, so the scenario has a process of its own. Elsewhere it takes two devices
// with peer access. The codes of copies with streams are what cuda.core's tests ask of NVIDIA's
// driver; those of other copies and fills are to be recorded.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr std::size_t bytes = 1024;

void say(const char* what, long long value) {
  std::printf("%s %lld\n", what, value);
  std::fflush(stdout);
}

CUmemAccessDesc access_of(CUdevice device, CUmemAccess_flags flags) {
  CUmemAccessDesc made{};
  made.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  made.location.id = device;
  made.flags = flags;
  return made;
}

void say_access(CUmemoryPool pool) {
  for (CUdevice device = 0; device < 2; ++device) {
    CUmemAccess_flags flags{};
    CUmemAccessDesc asked = access_of(device, flags);
    CU(cuMemPoolGetAccess)(&flags, pool, &asked.location);
    say("access", flags);
  }
}

/// All that device 0 does with `theirs`, a block of a pool of device 1.
void say_copies(CUdeviceptr mine, CUdeviceptr theirs, CUstream stream) {
  say("to", CU(cuMemcpyAsync)(theirs, mine, bytes, stream));
  say("from", CU(cuMemcpyAsync)(mine, theirs, bytes, stream));
  CU(cuStreamSynchronize)(stream);
}

/// Whether the other copies and fills all give this code.
bool others_give(CUresult expected, CUdeviceptr mine, CUdeviceptr theirs, CUstream stream) {
  if (!is_cpu_driver()) return true;  // to be recorded on a GPU
  unsigned char host[64] = {};
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = theirs;
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  box.dstDevice = mine;
  box.WidthInBytes = 16;
  box.srcPitch = box.dstPitch = 32;
  box.Height = 4;
  std::size_t sizes[] = {bytes}, first[] = {0};
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  const bool all = CU(cuMemcpyDtoDAsync_v2)(mine, theirs, bytes, stream) == expected &&
                   CU(cuMemcpyDtoH_v2)(host, theirs, sizeof host) == expected &&
                   CU(cuMemcpyHtoD_v2)(theirs, host, sizeof host) == expected &&
                   CU(cuMemcpy)(mine, theirs, bytes) == expected &&
                   CU(cuMemsetD8Async)(theirs, 3, bytes, stream) == expected &&
                   CU(cuMemcpy2DAsync_v2)(&box, stream) == expected &&
                   CU(cuMemcpyBatchAsync_v2)(&mine, &theirs, sizes, 1, &attributes, first, 1,
                                             stream) == expected;
  CU(cuStreamSynchronize)(stream);
  return all;
}

void play() {
  setenv("PYCUDA_CPU_DEVICES", "2", 1);
  initialise();
  CUcontext contexts[2] = {};
  for (CUdevice device = 0; device < 2; ++device) CU(cuCtxCreate_v2)(&contexts[device], 0, device);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 1;
  CUmemoryPool pool = nullptr;
  say("create", CU(cuMemPoolCreate)(&pool, &properties));
  CUdeviceptr theirs = 0, mine = 0;
  say("allocate", CU(cuMemAllocFromPoolAsync)(&theirs, bytes, pool, nullptr));
  CU(cuMemsetD8Async)(theirs, 7, bytes, nullptr);
  CU(cuCtxSynchronize)();

  CU(cuCtxSetCurrent)(contexts[0]);
  CU(cuMemAlloc_v2)(&mine, bytes);
  CUstream stream = nullptr;
  CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING);
  say_access(pool);
  say_copies(mine, theirs, stream);
  say("others refuse", others_give(CUDA_ERROR_INVALID_VALUE, mine, theirs, stream));
  // Copies between contexts use each end in its own one.
  say("peer", CU(cuMemcpyPeerAsync)(mine, contexts[0], theirs, contexts[1], bytes, stream));
  CU(cuStreamSynchronize)(stream);

  const CUmemAccessDesc all[] = {access_of(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
                                 access_of(1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)};
  say("allow", CU(cuMemPoolSetAccess)(pool, all, 2));
  say_access(pool);
  say_copies(mine, theirs, stream);
  say("others take it", others_give(CUDA_SUCCESS, mine, theirs, stream));

  const CUmemAccessDesc wrong[] = {access_of(0, CU_MEM_ACCESS_FLAGS_PROT_NONE),
                                   access_of(1, CU_MEM_ACCESS_FLAGS_PROT_NONE)};
  say("own one", CU(cuMemPoolSetAccess)(pool, wrong, 2) == CUDA_ERROR_INVALID_DEVICE);
  say("forbid", CU(cuMemPoolSetAccess)(pool, wrong, 1));
  say_access(pool);
  say_copies(mine, theirs, stream);

  // The current context counts, not the stream's.
  CU(cuCtxSetCurrent)(contexts[1]);
  say_copies(mine, theirs, stream);
  CU(cuCtxSetCurrent)(contexts[0]);

  // Its blocks are as they were when the pool is destroyed first.
  say("destroy", CU(cuMemPoolDestroy)(pool));
  say_copies(mine, theirs, stream);
  say("free", CU(cuMemFreeAsync)(theirs, stream));
  say("synchronize", CU(cuStreamSynchronize)(stream));
}

}  // namespace

bool driver_test::play_pool_access_scenario(const std::string& name) {
  if (name != "pool_access") return false;
  play();
  return true;
}

TEST_CASE("a device copies the memory of another device's pool once it was given access") {
  if (!is_cpu_driver()) {
    initialise();
    int devices = 0, peers = 0;
    REQUIRE(CU(cuDeviceGetCount)(&devices) == CUDA_SUCCESS);
    if (devices >= 2) CHECK(CU(cuDeviceCanAccessPeer)(&peers, 0, 1) == CUDA_SUCCESS);
    if (peers == 0) {
      MESSAGE("needs two devices with peer access");
      return;
    }
  }
  CHECK(run_scenario("pool_access") ==
        "create 0\nallocate 0\naccess 0\naccess 3\nto 1\nfrom 1\nothers refuse 1\npeer 0\n"
        "allow 0\naccess 3\naccess 3\nto 0\nfrom 0\nothers take it 1\nown one 1\nforbid 0\n"
        "access 0\naccess 3\nto 1\nfrom 1\nto 0\nfrom 0\ndestroy 0\nto 1\nfrom 1\nfree "
        "0\nsynchronize 0\n");
}
