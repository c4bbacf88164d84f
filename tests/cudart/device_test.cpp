// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cudart/program.h"

#ifdef PROGRAM_OF_CUDA_12

TEST_CASE("properties have the layout of CUDA 12") {
  // cudaDeviceProp of CUDA 12, as far as the members that CUDA 13 has no longer.
  struct {
    char name[256];
    char ids[28];
    size_t total_memory, shared_per_block;
    int registers_per_block, warp_size;
    size_t pitch;
    int max_threads, block[3], grid[3], clock_rate;
    size_t constants;
    int major, minor;
    char rest[1032 - 368];
    char behind[64];
  } properties;
  std::memset(&properties, 0x55, sizeof properties);
  REQUIRE(cudaGetDeviceProperties_v2(&properties, 0) == cudaSuccess);
  CHECK(properties.warp_size == 32);
  CHECK(properties.max_threads == 1024);
  CHECK(properties.constants == 65536);
  int major = 0;
  REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
  CHECK(properties.major == major);
  CHECK(std::string(properties.behind, 64) == std::string(64, 0x55));
  int chosen = -1;
  CHECK(cudaChooseDevice(&chosen, reinterpret_cast<cudaDeviceProp*>(&properties)) == cudaSuccess);
  CHECK(chosen == 0);
}

#else

TEST_CASE("properties agree with attributes") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  REQUIRE(count >= 1);
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(std::strlen(properties.name) > 0);
  CHECK(properties.totalGlobalMem > 0);
  int value = 0;
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  CHECK(value == properties.multiProcessorCount);
  REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess);
  CHECK(value == properties.maxThreadsPerBlock);
  CHECK(properties.warpSize == 32);
  int chosen = -1;
  CHECK(cudaChooseDevice(&chosen, &properties) == cudaSuccess);
  CHECK(chosen == 0);
  CHECK(cudaGetDeviceProperties(nullptr, 0) == cudaErrorInvalidValue);
  CHECK(cudaGetDeviceProperties(&properties, count) == cudaErrorInvalidDevice);
  CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
}

#endif

TEST_CASE("each thread has its device and its last error") {
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaSetDevice(1000) == cudaErrorInvalidDevice);
  cudaError_t other = cudaErrorUnknown;
  int device = -1;
  std::thread([&] {
    other = cudaPeekAtLastError();
    (void)cudaGetDevice(&device);
  }).join();
  CHECK(other == cudaSuccess);
  CHECK(device == 0);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("versions are those of the headers and the driver") {
  int version = 0;
  CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
  CHECK(version == program::runtime_version);
  CHECK(cudaDriverGetVersion(&version) == cudaSuccess);
  CHECK(version >= 13000);
}

TEST_CASE("errors have the names and texts of the documentation") {
  CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
  CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidConfiguration)) ==
        "cudaErrorInvalidConfiguration");
  CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(12345))) ==
        "unrecognized error code");
}

TEST_CASE("the driver's entry points are found by name and version") {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 13000, cudaEnableDefault,
                                         &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointSuccess);
  CHECK(function != nullptr);
  CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 13000, cudaEnableDefault,
                                         &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointSymbolNotFound);
  CHECK(function == nullptr);
}

TEST_CASE(
    "entry points of the library's own version are found, in the form of stream 0 asked for") {
  const auto find = [](unsigned long long flags) {
    void* function = nullptr;
    CHECK(cudaGetDriverEntryPoint("cuStreamSynchronize", &function, flags, nullptr) == cudaSuccess);
    return function;
  };
  void* const legacy = find(cudaEnableLegacyStream);
  CHECK(legacy != nullptr);
  CHECK(find(cudaEnableDefault) == legacy);
  CHECK(find(cudaEnablePerThreadDefaultStream) != legacy);
  void* function = nullptr;
  CHECK(cudaGetDriverEntryPoint_ptsz("cuStreamSynchronize", &function, cudaEnableDefault,
                                     nullptr) == cudaSuccess);
  CHECK(function != legacy);
  cudaDriverEntryPointQueryResult found{};
  CHECK(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &function, 11000, cudaEnableDefault,
                                         &found) == cudaSuccess);
  CHECK(found == cudaDriverEntryPointVersionNotSufficent);
  CHECK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 99000, cudaEnableDefault,
                                         &found) == cudaErrorInvalidValue);
  CHECK(cudaGetDriverEntryPoint("cuMemAlloc", &function, 3, &found) == cudaErrorInvalidValue);
  CHECK(cudaGetDriverEntryPoint("cuNoSuchFunction", &function, cudaEnableDefault, nullptr) ==
        cudaErrorSymbolNotFound);
  (void)cudaGetLastError();
}

TEST_CASE("threads that choose no device get the first of the valid ones") {
  if (!program::has_devices(3)) return;
  int devices[] = {2, 1, 0, 0};
  CHECK(cudaSetValidDevices(devices, 4) == cudaErrorInvalidValue);
  CHECK(cudaSetValidDevices(nullptr, 1) == cudaErrorInvalidValue);
  int absent[] = {3};
  CHECK(cudaSetValidDevices(absent, 1) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  const auto devices_of_a_thread = [] {
    int before = -1;
    cudaPointerAttributes attributes{};
    std::thread([&] {
      (void)cudaGetDevice(&before);
      void* memory = nullptr;
      (void)cudaMalloc(&memory, 4);
      (void)cudaPointerGetAttributes(&attributes, memory);
      (void)cudaFree(memory);
    }).join();
    CHECK(attributes.device == before);
    return before;
  };
  REQUIRE(cudaSetValidDevices(devices, 2) == cudaSuccess);
  CHECK(devices_of_a_thread() == 2);
  REQUIRE(cudaSetValidDevices(nullptr, 0) == cudaSuccess);
  CHECK(devices_of_a_thread() == 0);
}

TEST_CASE("a device has one way of waiting") {
  unsigned flags = 0;
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleYield) == cudaSuccess);
  CHECK(cudaGetDeviceFlags(&flags) == cudaSuccess);
  CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield) ==
        cudaErrorInvalidValue);
  CHECK(cudaSetDeviceFlags(0x1000) == cudaErrorInvalidValue);
  CHECK(cudaInitDevice(0, 0x1000, cudaInitDeviceFlagsAreValid) == cudaErrorInvalidValue);
  CHECK(cudaInitDevice(0, 0, 0x1000) == cudaErrorInvalidValue);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleAuto) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("a device is not its own peer") {
  if (!program::has_devices(2)) return;
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  (void)cudaGetLastError();
}

TEST_CASE("a reset leaves a context that the program made with the driver API") {
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  void* function = nullptr;
  REQUIRE(cudaGetDriverEntryPointByVersion("cuCtxCreate", &function, 11000, cudaEnableDefault,
                                           nullptr) == cudaSuccess);
  const auto create = reinterpret_cast<int (*)(void**, unsigned, int)>(function);
  REQUIRE(cudaGetDriverEntryPoint("cuCtxDestroy", &function, cudaEnableDefault, nullptr) ==
          cudaSuccess);
  const auto destroy = reinterpret_cast<int (*)(void*)>(function);
  void* primary = nullptr;
  REQUIRE(cudaMalloc(&primary, 4) == cudaSuccess);
  void* context = nullptr;
  REQUIRE(create(&context, 0, 0) == 0);
  void* own = nullptr;
  REQUIRE(cudaMalloc(&own, 4) == cudaSuccess);
  CHECK(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaFree(own) == cudaSuccess);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorIncompatibleDriverContext);
  CHECK(destroy(context) == 0);
  CHECK(cudaFree(primary) == cudaSuccess);
  (void)cudaGetLastError();
}

TEST_CASE("what is not supported says so") {
  const void* table = nullptr;
  const cudaUUID_t id{};
  CHECK(cudaGetExportTable(&table, &id) == cudaErrorNotSupported);
  CHECK(cudaGetLastError() == cudaErrorNotSupported);
}

TEST_CASE("a lost context fails every call until the device is reset") {
  if (!program::outlives_faults()) return;
  CHECK(program::launch(program::store, dim3(1), dim3(1), 0, nullptr, reinterpret_cast<int*>(16)) ==
        cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaSuccess);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4) == cudaErrorIllegalAddress);
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  REQUIRE(cudaMalloc(&memory, 4) == cudaSuccess);
  REQUIRE(program::launch(program::store, dim3(1), dim3(1), 0, nullptr,
                          static_cast<int*>(memory)) == cudaSuccess);
  int value = 0;
  CHECK(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(value == 1);
}

TEST_CASE("devices share managed variables, which keep their values when devices are reset") {
  if (!program::has_devices(3)) return;
  int* value = nullptr;
  const auto add_on = [&](int device) {
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&value), 4) == cudaSuccess);
    REQUIRE(program::launch(program::add, dim3(1), dim3(1), 0, nullptr, value, 1, 1) ==
            cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  };
  const auto reset = [](int device) {
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
  };
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  program::initialise_managed();
  const int* const address = program::both;
  const int before = *program::both;
  add_on(1);
  add_on(2);
  CHECK(*program::both == before + 4);
  reset(2);
  add_on(2);
  CHECK(*program::both == before + 6);
  for (int device = 0; device < 3; ++device) reset(device);
  CHECK(program::both == address);
  CHECK(*program::both == before + 6);
  add_on(0);
  CHECK(*program::both == before + 8);
}

TEST_CASE("other threads may go on while a device is reset") {
  if (!program::has_devices(2)) return;
  std::atomic<bool> stop{false};
  std::atomic<int> launches{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      (void)cudaSetDevice(number % 2);
      while (!stop) {
        cudaStream_t stream = nullptr;
        int* value = nullptr;
        if (cudaStreamCreate(&stream) == cudaSuccess &&
            cudaMallocAsync(reinterpret_cast<void**>(&value), 4, stream) == cudaSuccess) {
          // A count of 0: the kernel touches no memory that a reset may have taken.
          if (program::launch(program::add, dim3(1), dim3(1), 0, stream, value, 1, 0) ==
              cudaSuccess) {
            ++launches;
          }
          (void)cudaStreamSynchronize(stream);
          (void)cudaFreeAsync(value, stream);
        }
        (void)cudaStreamDestroy(stream);
        (void)cudaGetLastError();
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    REQUIRE(cudaSetDevice(i % 2) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    // The threads get under way again.
    const int before = launches;
    while (launches < before + 10) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 4) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
}
