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

}  // namespace

bool driver_test::play_process_scenario(const std::string& name) {
  if (name == "devices") {
    play_devices();
  } else if (name == "fork") {
    play_fork();
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
