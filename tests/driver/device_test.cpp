// SPDX-License-Identifier: MIT
// What devices say of themselves and of each other.
#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "driver/driver.h"

using namespace driver_test;

namespace {

int attribute(CUdevice_attribute name) {
  int value = -1;
  REQUIRE(CU(cuDeviceGetAttribute)(&value, name, 0) == CUDA_SUCCESS);
  return value;
}

int device_count() {
  int count = 0;
  REQUIRE(CU(cuDeviceGetCount)(&count) == CUDA_SUCCESS);
  return count;
}

void over_budget(CUasyncNotificationInfo*, void*, CUasyncCallbackHandle) {}

}  // namespace

TEST_CASE("a device has one identity") {
  initialise();
  CUuuid first{}, again{};
  CHECK(CU(cuDeviceGetUuid)(&first, 0) == CUDA_SUCCESS);
  CHECK(CU(cuDeviceGetUuid_v2)(&again, 0) == CUDA_SUCCESS);
  CHECK(std::memcmp(&first, &again, sizeof first) == 0);
  CHECK(CU(cuDeviceGetUuid)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetUuid)(&first, 99) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE("the old questions about devices have the answers of the attributes") {
  initialise();
  int major = 0, minor = 0;
  CHECK(CU(cuDeviceComputeCapability)(&major, &minor, 0) == CUDA_SUCCESS);
  CHECK(major == attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  CHECK(minor == attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  CHECK(CU(cuDeviceComputeCapability)(nullptr, &minor, 0) == CUDA_ERROR_INVALID_VALUE);
  CUdevprop properties{};
  CHECK(CU(cuDeviceGetProperties)(&properties, 0) == CUDA_SUCCESS);
  CHECK(properties.maxThreadsPerBlock == attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  CHECK(properties.maxGridSize[1] == attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y));
  CHECK(properties.SIMDWidth == attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  CHECK(properties.totalConstantMemory == attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
  CHECK(CU(cuDeviceGetProperties)(&properties, 99) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE("a texture of plain memory has a largest width") {
  initialise();
  std::size_t bytes = 0, words = 0;
  CHECK(CU(cuDeviceGetTexture1DLinearMaxWidth)(&bytes, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0) ==
        CUDA_SUCCESS);
  CHECK(CU(cuDeviceGetTexture1DLinearMaxWidth)(&words, CU_AD_FORMAT_FLOAT, 4, 0) == CUDA_SUCCESS);
  CHECK(bytes >= 1u << 27);
  CHECK(words != 0);
  CHECK(words <= bytes);
  CHECK(CU(cuDeviceGetTexture1DLinearMaxWidth)(nullptr, CU_AD_FORMAT_FLOAT, 4, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetTexture1DLinearMaxWidth)(&words, CU_AD_FORMAT_FLOAT, 3, 0) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("the affinity of a context") {
  const CurrentContext context;
  int is_supported = -1;
  CHECK(CU(cuDeviceGetExecAffinitySupport)(&is_supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0) ==
        CUDA_SUCCESS);
  CHECK((is_supported == 0 || is_supported == 1));
  CHECK(CU(cuDeviceGetExecAffinitySupport)(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetExecAffinitySupport)(&is_supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  if (!is_cpu_driver()) return;  // NVIDIA's answers contexts made with an affinity alone
  CUexecAffinityParam affinity{};
  CHECK(CU(cuCtxGetExecAffinity)(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT) == CUDA_SUCCESS);
  CHECK(affinity.param.smCount.val ==
        static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)));
  CHECK(CU(cuCtxGetExecAffinity)(nullptr, CU_EXEC_AFFINITY_TYPE_SM_COUNT) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("what atomic operations can do between devices, and with the host") {
  if (!has_symbol("cuDeviceGetHostAtomicCapabilities")) return;  // before CUDA 13
  initialise();
  const CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
  unsigned capabilities[2] = {~0u, ~0u};
  CHECK(CU(cuDeviceGetHostAtomicCapabilities)(capabilities, operations, 2, 0) == CUDA_SUCCESS);
  CHECK(capabilities[0] != ~0u);
  if (is_cpu_driver()) {
    CHECK((capabilities[0] & CU_ATOMIC_CAPABILITY_REDUCTION) != 0);
    CHECK((capabilities[1] & CU_ATOMIC_CAPABILITY_REDUCTION) == 0);
    CHECK((capabilities[1] & CU_ATOMIC_CAPABILITY_SCALAR_64) != 0);
  }
  CHECK(CU(cuDeviceGetHostAtomicCapabilities)(nullptr, operations, 2, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetHostAtomicCapabilities)(capabilities, operations, 0, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuDeviceGetHostAtomicCapabilities)(capabilities, operations, 2, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuDeviceGetP2PAtomicCapabilities)(capabilities, operations, 2, 0, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  if (device_count() < 2) return;
  CHECK(CU(cuDeviceGetP2PAtomicCapabilities)(capabilities, operations, 2, 0, 1) == CUDA_SUCCESS);
}

TEST_CASE("what devices are to each other") {
  initialise();
  int value = -1;
  CHECK(CU(cuDeviceGetP2PAttribute)(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuDeviceGetP2PAttribute)(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0) ==
        CUDA_ERROR_INVALID_DEVICE);
  if (device_count() < 2) return;
  int can_access = -1;
  REQUIRE(CU(cuDeviceCanAccessPeer)(&can_access, 0, 1) == CUDA_SUCCESS);
  CHECK(CU(cuDeviceGetP2PAttribute)(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1) ==
        CUDA_SUCCESS);
  CHECK(value == can_access);
  CHECK(CU(cuDeviceGetP2PAttribute)(nullptr, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a function waits for a device over its budget") {
  if (!has_symbol("cuDeviceRegisterAsyncNotification")) return;  // before CUDA 12.4
  initialise();
  CUasyncCallbackHandle first = nullptr, second = nullptr;
  CHECK(CU(cuDeviceRegisterAsyncNotification)(0, nullptr, nullptr, &first) ==
        CUDA_ERROR_INVALID_VALUE);
  REQUIRE(CU(cuDeviceRegisterAsyncNotification)(0, over_budget, nullptr, &first) == CUDA_SUCCESS);
  REQUIRE(CU(cuDeviceRegisterAsyncNotification)(0, over_budget, nullptr, &second) == CUDA_SUCCESS);
  CHECK(first != second);
  CHECK(CU(cuDeviceUnregisterAsyncNotification)(99, first) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuDeviceUnregisterAsyncNotification)(0, first) == CUDA_SUCCESS);
  CHECK(CU(cuDeviceUnregisterAsyncNotification)(0, second) == CUDA_SUCCESS);
  if (is_cpu_driver())
    CHECK(CU(cuDeviceUnregisterAsyncNotification)(0, first) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("writes of other devices on the bus are flushed where there are such") {
  const CurrentContext context;
  constexpr auto target = CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
  const CUresult status =
      CU(cuFlushGPUDirectRDMAWrites)(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER);
  CHECK((status == CUDA_SUCCESS || (!is_cpu_driver() && status == CUDA_ERROR_NOT_SUPPORTED)));
  CHECK(CU(cuFlushGPUDirectRDMAWrites)(target, outside<CUflushGPUDirectRDMAWritesScope>(7)) !=
        CUDA_SUCCESS);
}
