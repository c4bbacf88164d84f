// SPDX-License-Identifier: MIT
// Faults of kernels. A GPU's driver gives the whole process up after one, so each has a process of
// its own.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

void say(const char* what, CUresult result) {
  std::printf("%s %d\n", what, static_cast<int>(result));
}

CUresult store_at(const LoadedModule& module, CUdeviceptr to) {
  unsigned value = 1;
  void* parameters[] = {&to, &value};
  return CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                            nullptr);
}

// The calls that a context with a fault answers with its error.
void say_sticky() {
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  size_t bytes = 0;
  say("synchronize", CU(cuCtxSynchronize)());
  say("again", CU(cuCtxSynchronize)());
  say("alloc", CU(cuMemAlloc_v2)(&memory, 4));
  say("stream", CU(cuStreamCreate)(&stream, 0));
  say("query", CU(cuStreamQuery)(nullptr));
  say("info", CU(cuMemGetInfo_v2)(&bytes, &bytes));
}

void after_store(CUdeviceptr offset_from_block, bool relative) {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4096);
  say("launch",
      store_at(module, relative ? block.address() + offset_from_block : offset_from_block));
  say_sticky();
  CUcontext current = nullptr;
  say("current", CU(cuCtxGetCurrent)(&current));
}

void play_assert() {
  const CurrentContext context;
  const LoadedModule module(asserting_ptx);
  say("launch", CU(cuLaunchKernel)(module.function("asserting"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                   nullptr, nullptr));
  say_sticky();
}

void play_trap() {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  say("launch", CU(cuLaunchKernel)(module.function("trapping"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                   nullptr, nullptr));
  say_sticky();
}

void play_uninitialised() {
  int count = 0;
  CUdeviceptr memory = 0;
  CUcontext current = nullptr;
  const char* text = nullptr;
  say("count", CU(cuDeviceGetCount)(&count));
  say("alloc", CU(cuMemAlloc_v2)(&memory, 4));
  say("current", CU(cuCtxGetCurrent)(&current));
  say("version", CU(cuDriverGetVersion)(&count));
  say("name", CU(cuGetErrorName)(CUDA_SUCCESS, &text));
}

using LastFault = CUresult(char*, size_t);

// Only for our driver: the place that the message of a launch's fault names.
void say_place(const char* kernel, unsigned blocks, unsigned threads, unsigned room,
               CUdeviceptr to_begin) {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4096);
  CUdeviceptr to = block.address() + to_begin;
  unsigned count = blocks * threads, value = 7;
  void* parameters[] = {&to, &count, &value};
  say(kernel, CU(cuLaunchKernel)(module.function(kernel), blocks, 1, 1, threads, 1, 1, room,
                                 nullptr, parameters, nullptr));
  say("synchronize", CU(cuCtxSynchronize)());
  char words[1024] = "";
  reinterpret_cast<LastFault*>(symbol("cuCpuGetLastFault"))(words, sizeof words);
  const std::string text = words;
  const auto begin = text.find("kernel ");
  std::printf("%s\n", begin == std::string::npos ? words : text.substr(begin).c_str());
}

// Vectors of threads, neighbouring blocks that may run as one, and threads that wait for others.
void play_threads() {
  say_place("fill", 20, 64, 0, 4 * 13);
  say_place("fill", 400, 8, 0, 4 * 2);
  say_place("reverse", 1, 256, 1024, 4096 - 4 * 205);
  say_place("store", 1, 256, 0, 4098);
}

// Only for our driver: the fault stays in its context.
void play_isolated() {
  const CurrentContext healthy;
  const LoadedModule module(kernels_ptx);
  const DeviceBlock block(4096);
  {
    const CurrentContext faulty;
    const LoadedModule other(kernels_ptx);
    store_at(other, 64);
    say("faulty", CU(cuCtxSynchronize)());
    char text[512] = "";
    say("text", reinterpret_cast<LastFault*>(symbol("cuCpuGetLastFault"))(text, sizeof text));
    std::printf("names the kernel %d\n", std::string(text).find("store") != std::string::npos);
  }
  say("launch", store_at(module, block.address()));
  say("healthy", CU(cuCtxSynchronize)());
}

std::string sticky(int code) {
  const std::string number = std::to_string(code);
  return "launch 0\nsynchronize " + number + "\nagain " + number + "\nalloc " + number +
         "\nstream " + number + "\nquery " + number + "\ninfo " + number + "\n";
}

}  // namespace

bool driver_test::play_scenario(const std::string& name) {
  if (name == "null") {
    after_store(16, false);
  } else if (name == "beyond") {
    after_store(CUdeviceptr{1} << 40, true);
  } else if (name == "misaligned") {
    after_store(2, true);
  } else if (name == "assert") {
    play_assert();
  } else if (name == "trap") {
    play_trap();
  } else if (name == "uninitialised") {
    play_uninitialised();
  } else if (name == "threads") {
    play_threads();
  } else if (name == "isolated") {
    play_isolated();
  } else if (!play_process_scenario(name) && !play_limit_scenario(name) &&
             !play_checked_scenario(name) && !play_long_kernel_scenario(name) &&
             !play_lazy_scenario(name) && !play_graph_scenario(name) &&
             !play_conditional_scenario(name) && !play_ipc_scenario(name) &&
             !play_virtual_memory_scenario(name) && !play_pool_scenario(name) &&
             !play_pool_access_scenario(name)) {
    return false;
  }
  std::fflush(stdout);
  return true;
}

TEST_CASE("a store through a null pointer is an illegal address, for good") {
  CHECK(run_scenario("null") == sticky(700) + "current 0\n");
}

TEST_CASE("a store far outside of all allocations is an illegal address") {
  CHECK(run_scenario("beyond") == sticky(700) + "current 0\n");
}

TEST_CASE("a misaligned store is named as such") {
  CHECK(run_scenario("misaligned") == sticky(716) + "current 0\n");
}

TEST_CASE("a trap is a launch failure") { CHECK(run_scenario("trap") == sticky(719)); }

TEST_CASE("a failed assertion is named as such") { CHECK(run_scenario("assert") == sticky(710)); }

TEST_CASE("a fault stays in its context and can be read in words") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("isolated") ==
        "faulty 700\ntext 0\nnames the kernel 1\nlaunch 0\nhealthy 0\n");
}

TEST_CASE("the message of a fault names the thread, however the threads ran") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("threads") ==
        "fill 0\nsynchronize 700\nkernel fill, block (15, 0, 0), thread (51, 0, 0)\n"
        "fill 0\nsynchronize 700\nkernel fill, block (127, 0, 0), thread (6, 0, 0)\n"
        "reverse 0\nsynchronize 700\nkernel reverse, block (0, 0, 0), thread (205, 0, 0)\n"
        "store 0\nsynchronize 716\nkernel store, block (0, 0, 0), thread (0, 0, 0)\n");
}
