// SPDX-License-Identifier: MIT
// Several devices in one process, and a process that forks. How many devices the CPU driver has is
// chosen by the environment when it starts, so each scenario has a process of its own.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/driver.h"
#include "driver/kernels.h"
#include "sanitizers.h"

using namespace driver_test;

namespace {

void say(const char* what, long long value) { std::printf("%s %lld\n", what, value); }

CUcontext context_on(CUdevice device) {
  CUcontext context = nullptr;
  say("create", CU(cuCtxCreate_v2)(&context, 0, device));
  return context;
}

size_t free_bytes_on(CUcontext context) {
  size_t free = 0, total = 0;
  CU(cuCtxSetCurrent)(context);
  CU(cuMemGetInfo_v2)(&free, &total);
  return free;
}

void play_devices() {
  setenv("PYCUDA_CPU_DEVICES", "4", 1);
  initialise();
  int count = 0, access = 0;
  CU(cuDeviceGetCount)(&count);
  say("count", count);
  const CUcontext first = context_on(0);
  const CUcontext last = context_on(3);
  say("access", CU(cuDeviceCanAccessPeer)(&access, 0, 3));
  say("can", access);
  CU(cuDeviceCanAccessPeer)(&access, 3, 3);
  say("itself", access);

  const size_t before = free_bytes_on(last);
  constexpr size_t bytes = size_t{16} << 20;
  CUdeviceptr here = 0, there = 0;
  CU(cuCtxSetCurrent)(first);
  say("alloc", CU(cuMemAlloc_v2)(&here, bytes));
  say("memory is separate", free_bytes_on(last) == before);
  say("alloc", CU(cuMemAlloc_v2)(&there, bytes));
  say("memory is taken", free_bytes_on(last) <= before - bytes);
  int ordinal = -1;
  CU(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there);
  say("ordinal", ordinal);

  CU(cuCtxSetCurrent)(first);
  say("enable", CU(cuCtxEnablePeerAccess)(last, 0));
  say("enable again", CU(cuCtxEnablePeerAccess)(last, 0));
  say("enable itself", CU(cuCtxEnablePeerAccess)(first, 0));
  CU(cuMemsetD32_v2)(here, 41, bytes / 4);
  say("peer copy", CU(cuMemcpyPeer)(there, last, here, first, bytes));
  // A kernel of the first device writes to the memory of the last.
  const LoadedModule module(kernels_ptx);
  CUdeviceptr to = there;
  unsigned value = 42;
  void* parameters[] = {&to, &value};
  CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  say("synchronize", CU(cuCtxSynchronize)());
  unsigned words[2] = {};
  CU(cuCtxSetCurrent)(last);
  CU(cuMemcpyDtoH_v2)(&words[0], there, 8);
  say("stored", words[0]);
  say("copied", words[1]);
  CU(cuCtxSetCurrent)(first);
  say("disable", CU(cuCtxDisablePeerAccess)(last));
  say("disable again", CU(cuCtxDisablePeerAccess)(last));
}

void play_fork() {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4);
  CU(cuCtxSynchronize)();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    CUdeviceptr memory = 0;
    const CUresult result = CU(cuMemAlloc_v2)(&memory, 4);
    const CUresult synchronised = CU(cuCtxSynchronize)();
    _exit(result == CUDA_ERROR_NOT_INITIALIZED && synchronised == CUDA_ERROR_NOT_INITIALIZED ? 0
                                                                                             : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  say("child", status);
  say("parent", CU(cuMemsetD32_v2)(block.address(), 1, 1));
  say("parent", CU(cuCtxSynchronize)());
}

// Counts for ever: nothing but the time limit ends it.
constexpr const char* endless_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry endless(.param .u64 to)
{
  .reg .u64 %rd1;
  .reg .u32 %r1;
  .reg .pred %p;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, 1;
again:
  mad.lo.u32 %r1, %r1, 1664525, 1013904223;
  or.b32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra again;
  st.global.u32 [%rd1], %r1;
  ret;
}

// Every thread waits for a value that nobody stores.
.visible .entry waiting(.param .u64 to)
{
  .reg .u64 %rd1;
  .reg .u32 %r1;
  .reg .pred %p;
  ld.param.u64 %rd1, [to];
  bar.sync 0;
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.ne.u32 %p, %r1, 12345;
  @%p bra again;
  ret;
}
)";

void play_timeout(const char* kernel) {
  setenv("PYCUDA_CPU_TIMEOUT", "0.3", 1);
  {
    const CurrentContext context;
    const LoadedModule module(endless_ptx);
    const DeviceBlock block(4);
    CUdeviceptr to = block.address();
    void* parameters[] = {&to};
    CU(cuMemsetD32_v2)(to, 0, 1);
    say("launch", CU(cuLaunchKernel)(module.function(kernel), 3, 1, 1, 64, 1, 1, 0, nullptr,
                                     parameters, nullptr));
    say("synchronize", CU(cuCtxSynchronize)());
    say("again", CU(cuCtxSynchronize)());
  }
  const CurrentContext context;
  const DeviceBlock block(4);
  say("next context", CU(cuMemsetD32_v2)(block.address(), 1, 1));
}

void play_memory_limit() {
  constexpr size_t limit = size_t{64} << 20;
  setenv("PYCUDA_CPU_DEVICES", "2", 1);
  setenv("PYCUDA_CPU_MEMORY", std::to_string(limit).c_str(), 1);
  initialise();
  for (const CUdevice device : {0, 1}) {
    const CUcontext context = context_on(device);
    size_t free = 0, total = 0;
    CU(cuMemGetInfo_v2)(&free, &total);
    say("total", static_cast<long long>(total >> 20));
    CUdeviceptr first = 0, second = 0;
    say("too much", CU(cuMemAlloc_v2)(&first, limit + 1));
    say("most", CU(cuMemAlloc_v2)(&first, limit * 3 / 4));
    say("beyond", CU(cuMemAlloc_v2)(&second, limit / 2));
    say("free", CU(cuMemFree_v2)(first));
    say("after free", CU(cuMemAlloc_v2)(&second, limit / 2));
    say("free", CU(cuMemFree_v2)(second));
    CU(cuCtxDestroy_v2)(context);
  }
}

}  // namespace

bool driver_test::play_process_scenario(const std::string& name) {
  if (name == "devices") {
    play_devices();
  } else if (name == "fork") {
    play_fork();
  } else if (name == "endless" || name == "waiting") {
    play_timeout(name.c_str());
  } else if (name == "memory_limit") {
    play_memory_limit();
  } else {
    return false;
  }
  return true;
}

TEST_CASE("devices have memory of their own, copy to one another and see one another's memory") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("devices") ==
        "count 4\ncreate 0\ncreate 0\naccess 0\ncan 1\nitself 0\nalloc 0\nmemory is separate 1\n"
        "alloc 0\nmemory is taken 1\nordinal 3\nenable 0\nenable again 704\nenable itself 217\n"
        "peer copy 0\nsynchronize 0\nstored 42\ncopied 41\ndisable 0\ndisable again 705\n");
}

TEST_CASE("the child of a fork is told that it has no driver, and the parent goes on") {
  CHECK(run_scenario("fork") == "child 0\nparent 0\nparent 0\n");
}

TEST_CASE("a loop without end is ended by the time limit, and the process lives") {
  if (!is_cpu_driver() || pycuda::testing::thread_sanitizer) return;
  for (const char* kernel : {"endless", "waiting"}) {
    CAPTURE(kernel);
    CHECK(run_scenario(kernel) == "launch 0\nsynchronize 702\nagain 702\nnext context 0\n");
  }
}

TEST_CASE("each device has as much memory as it is given") {
  if (!is_cpu_driver()) return;
  const std::string one =
      "create 0\ntotal 64\ntoo much 2\nmost 0\nbeyond 2\nfree 0\nafter free 0\nfree 0\n";
  CHECK(run_scenario("memory_limit") == one + one);
}
