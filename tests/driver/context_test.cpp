// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

TEST_CASE("devices are counted, named and bounded") {
  initialise();
  int count = 0;
  REQUIRE(CU(cuDeviceGetCount)(&count) == CUDA_SUCCESS);
  CHECK(count >= 1);
  CUdevice device = -1;
  CHECK(CU(cuDeviceGet)(&device, 0) == CUDA_SUCCESS);
  CHECK(device == 0);
  CHECK(CU(cuDeviceGet)(&device, count) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuDeviceGet)(&device, -1) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuDeviceGet)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  char name[256] = "";
  CHECK(CU(cuDeviceGetName)(name, sizeof name, 0) == CUDA_SUCCESS);
  CHECK(std::strlen(name) > 0);
  char cut[4] = "";
  CHECK(CU(cuDeviceGetName)(cut, sizeof cut, 0) == CUDA_SUCCESS);
  CHECK(std::string(name).substr(0, 3) == cut);
  size_t bytes = 0;
  CHECK(CU(cuDeviceTotalMem_v2)(&bytes, 0) == CUDA_SUCCESS);
  CHECK(bytes > (size_t{1} << 26));
}

TEST_CASE("a device's PCI bus id finds the device again") {
  initialise();
  char id[32] = "";
  REQUIRE(CU(cuDeviceGetPCIBusId)(id, sizeof id, 0) == CUDA_SUCCESS);
  CUdevice device = -1;
  CHECK(CU(cuDeviceGetByPCIBusId)(&device, id) == CUDA_SUCCESS);
  CHECK(device == 0);
  device = -1;
  const std::string text = id;
  const std::string without_function = text.substr(0, text.find('.'));
  CHECK(CU(cuDeviceGetByPCIBusId)(&device, without_function.c_str()) == CUDA_SUCCESS);
  CHECK(device == 0);
  CHECK(CU(cuDeviceGetByPCIBusId)(&device, "one") == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("device attributes fit together") {
  initialise();
  const auto get = [](CUdevice_attribute name) {
    int value = -1;
    REQUIRE(CU(cuDeviceGetAttribute)(&value, name, 0) == CUDA_SUCCESS);
    return value;
  };
  CHECK(get(CU_DEVICE_ATTRIBUTE_WARP_SIZE) == 32);
  CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 1024);
  CHECK(get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) >= 1);
  CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) % 32 == 0);
  CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) == 49152);
  CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) >= 49152);
  CHECK(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) >
        get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  CHECK(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 7);
  CHECK(get(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) == 1);
  int value = 0;
  CHECK(CU(cuDeviceGetAttribute)(&value, outside<CUdevice_attribute>(9999), 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  for (int name = 1; name <= 140; ++name) {
    CAPTURE(name);
    CHECK(CU(cuDeviceGetAttribute)(&value, static_cast<CUdevice_attribute>(name), 0) ==
          CUDA_SUCCESS);
  }
}

TEST_CASE("a new context is current, and gone after its destruction") {
  initialise();
  CUcontext context = nullptr;
  REQUIRE(CU(cuCtxCreate_v2)(&context, CU_CTX_SCHED_BLOCKING_SYNC, 0) == CUDA_SUCCESS);
  CUcontext current = nullptr;
  CHECK(CU(cuCtxGetCurrent)(&current) == CUDA_SUCCESS);
  CHECK(current == context);
  unsigned flags = 0;
  CHECK(CU(cuCtxGetFlags)(&flags) == CUDA_SUCCESS);
  CHECK((flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_BLOCKING_SYNC);
  unsigned version = 0;
  CHECK(CU(cuCtxGetApiVersion)(context, &version) == CUDA_SUCCESS);
  CHECK(version == 3020);
  CHECK(CU(cuCtxDestroy_v2)(context) == CUDA_SUCCESS);
  CHECK(CU(cuCtxGetCurrent)(&current) == CUDA_SUCCESS);
  CHECK(current == nullptr);
  // NVIDIA's driver gives one of two errors, as it happens.
  const CUresult again = CU(cuCtxDestroy_v2)(context);
  const bool refused =
      again == CUDA_ERROR_INVALID_CONTEXT || again == CUDA_ERROR_CONTEXT_IS_DESTROYED;
  CHECK(refused);
}

TEST_CASE("calls without a context say so") {
  initialise();
  CUdeviceptr memory = 0;
  CUcontext context = nullptr;
  CHECK(CU(cuMemAlloc_v2)(&memory, 16) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuCtxPopCurrent_v2)(&context) == CUDA_ERROR_INVALID_CONTEXT);
  CUdevice device = 0;
  CHECK(CU(cuCtxGetDevice)(&device) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("a destroyed context that is still current is named as such") {
  initialise();
  CUcontext context = nullptr;
  REQUIRE(CU(cuCtxCreate_v2)(&context, 0, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxPushCurrent_v2)(context) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxDestroy_v2)(context) == CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  CHECK(CU(cuMemAlloc_v2)(&memory, 16) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK(CU(cuCtxPopCurrent_v2)(nullptr) == CUDA_SUCCESS);
}

TEST_CASE("each thread has its own stack of contexts") {
  initialise();
  const CurrentContext first;
  const CurrentContext second;
  CUcontext seen = first.handle();
  std::thread([&] { CU(cuCtxGetCurrent)(&seen); }).join();
  CHECK(seen == nullptr);
  CUcontext popped = nullptr;
  CHECK(CU(cuCtxPopCurrent_v2)(&popped) == CUDA_SUCCESS);
  CHECK(popped == second.handle());
  CHECK(CU(cuCtxGetCurrent)(&seen) == CUDA_SUCCESS);
  CHECK(seen == first.handle());
  CHECK(CU(cuCtxPushCurrent_v2)(second.handle()) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSetCurrent)(first.handle()) == CUDA_SUCCESS);  // replaces the top
  CHECK(CU(cuCtxPopCurrent_v2)(&popped) == CUDA_SUCCESS);
  CHECK(popped == first.handle());
}

TEST_CASE("bad arguments of cuCtxCreate are refused") {
  initialise();
  CUcontext context = nullptr;
  CHECK(CU(cuCtxCreate_v2)(nullptr, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxCreate_v2)(&context, 0x1000, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxCreate_v2)(&context, 7, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxCreate_v2)(&context, 0, 99) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuCtxDestroy_v2)(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("limits can be set and read back") {
  const CurrentContext context;
  size_t value = 0;
  CHECK(CU(cuCtxGetLimit)(&value, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS);
  CHECK(value >= 1024);
  CHECK(CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, 8192) == CUDA_SUCCESS);
  CHECK(CU(cuCtxGetLimit)(&value, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS);
  CHECK(value >= 8192);
  CHECK(CU(cuCtxGetLimit)(&value, CU_LIMIT_PRINTF_FIFO_SIZE) == CUDA_SUCCESS);
  CHECK(value > 0);
  CHECK(CU(cuCtxGetLimit)(&value, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS);
  CHECK(value > 0);
  CHECK(CU(cuCtxGetLimit)(&value, outside<CUlimit>(50)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxGetLimit)(nullptr, CU_LIMIT_STACK_SIZE) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, size_t{1} << 30) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("how deep kernels wait for kernels can be set before compute capability 9.0") {
  const CurrentContext context;
  int major = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) ==
          CUDA_SUCCESS);
  size_t value = 0;
  if (major >= 9) {
    CHECK(CU(cuCtxSetLimit)(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4) == CUDA_ERROR_UNSUPPORTED_LIMIT);
    return;
  }
  CHECK(CU(cuCtxGetLimit)(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH) == CUDA_SUCCESS);
  CHECK(value == 2);
  CHECK(CU(cuCtxSetLimit)(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4) == CUDA_SUCCESS);
  CHECK(CU(cuCtxGetLimit)(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH) == CUDA_SUCCESS);
  CHECK(value == 4);
}

TEST_CASE("the settings of a context answer") {
  const CurrentContext context;
  int least = 1;
  int greatest = 1;
  CHECK(CU(cuCtxGetStreamPriorityRange)(&least, &greatest) == CUDA_SUCCESS);
  CHECK(least >= greatest);
  CUfunc_cache cache = CU_FUNC_CACHE_PREFER_EQUAL;
  CHECK(CU(cuCtxGetCacheConfig)(&cache) == CUDA_SUCCESS);
  CHECK(cache == CU_FUNC_CACHE_PREFER_NONE);
  CHECK(CU(cuCtxSetCacheConfig)(CU_FUNC_CACHE_PREFER_L1) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSetCacheConfig)(outside<CUfunc_cache>(9)) == CUDA_ERROR_INVALID_VALUE);
  unsigned long long id = 0;
  CHECK(CU(cuCtxGetId)(nullptr, &id) == CUDA_SUCCESS);
  CHECK(id != 0);
  CUdevice device = -1;
  CHECK(CU(cuCtxGetDevice)(&device) == CUDA_SUCCESS);
  CHECK(device == 0);
}

TEST_CASE("a primary context is counted and keeps its handle") {
  initialise();
  CUcontext first = nullptr;
  CUcontext again = nullptr;
  unsigned flags = 0;
  int active = -1;
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&first, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&again, 0) == CUDA_SUCCESS);
  CHECK(first == again);
  CHECK(CU(cuDevicePrimaryCtxGetState)(0, &flags, &active) == CUDA_SUCCESS);
  CHECK(active == 1);
  CHECK(CU(cuCtxDestroy_v2)(first) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuDevicePrimaryCtxRelease_v2)(0) == CUDA_SUCCESS);
  CHECK(CU(cuDevicePrimaryCtxGetState)(0, &flags, &active) == CUDA_SUCCESS);
  CHECK(active == 1);
  CHECK(CU(cuDevicePrimaryCtxRelease_v2)(0) == CUDA_SUCCESS);
  CHECK(CU(cuDevicePrimaryCtxGetState)(0, &flags, &active) == CUDA_SUCCESS);
  CHECK(active == 0);
  CHECK(CU(cuDevicePrimaryCtxRelease_v2)(0) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuDevicePrimaryCtxSetFlags_v2)(0, 0x1000) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("what a context owned is gone with it") {
  initialise();
  CUcontext context = nullptr;
  REQUIRE(CU(cuCtxCreate_v2)(&context, 0, 0) == CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&memory, 4096) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxDestroy_v2)(context) == CUDA_SUCCESS);
  const CurrentContext next;
  CHECK(CU(cuMemsetD8_v2)(memory, 0, 4096) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("handles that never were or no longer are get an error and no crash") {
  initialise();
  if (!is_cpu_driver()) return;  // NVIDIA's driver follows wild handles
  const CurrentContext context;
  const auto wild = [](auto type) { return reinterpret_cast<decltype(type)>(0xdeadbee8); };
  CUfunction function = nullptr;
  CHECK(CU(cuLaunchKernel)(wild(CUfunction{}), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuModuleGetFunction)(&function, wild(CUmodule{}), "x") == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamSynchronize)(wild(CUstream{})) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventSynchronize)(wild(CUevent{})) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuCtxSetCurrent)(wild(CUcontext{})) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuLibraryUnload)(wild(CUlibrary{})) == CUDA_ERROR_INVALID_HANDLE);
  CUevent event = nullptr;
  CUstream stream = nullptr;
  REQUIRE(CU(cuEventCreate)(&event, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamCreate)(&stream, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuEventDestroy_v2)(event) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuEventRecord)(event, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuEventDestroy_v2)(event) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_ERROR_INVALID_HANDLE);
}

namespace {

/// Destroys a context in which three threads repeat `call(context, memory)` until it fails; how
/// often they ended with what it should be then.
int ends_beside_calls(CUresult (*call)(CUcontext, CUdeviceptr)) {
  CUcontext context = nullptr;
  REQUIRE(CU(cuCtxCreate_v2)(&context, 0, 0) == CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&memory, 4096) == CUDA_SUCCESS);
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  std::vector<CUresult> ends(3);
  for (CUresult& end : ends) {
    threads.emplace_back([&] {
      CU(cuCtxSetCurrent)(context);
      do {
        end = call(context, memory);
        ++begun;
      } while (end == CUDA_SUCCESS);
    });
  }
  while (begun < 3) std::this_thread::yield();
  CHECK(CU(cuCtxDestroy_v2)(context) == CUDA_SUCCESS);
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(std::count(ends.begin(), ends.end(), CUDA_ERROR_CONTEXT_IS_DESTROYED));
}

}  // namespace

TEST_CASE("a context goes when the calls that are at work in it have ended") {
  initialise();
  if (!is_cpu_driver()) return;  // CUDA leaves to programs that there are none
  for (int turn = 0; turn < 50; ++turn) {
    CHECK(ends_beside_calls([](CUcontext, CUdeviceptr memory) {
            const std::vector<char> host(4096);
            return CU(cuMemcpyHtoD_v2)(memory, host.data(), host.size());
          }) == 3);
    CHECK(ends_beside_calls([](CUcontext context, CUdeviceptr) {
            return CU(cuCtxSynchronize_v2)(context);
          }) == 3);
    CHECK(ends_beside_calls([](CUcontext context, CUdeviceptr) {
            unsigned long long id = 0;
            return CU(cuCtxGetId)(context, &id);
          }) == 3);
  }
}
