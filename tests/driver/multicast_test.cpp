// SPDX-License-Identifier: MIT
// Multicast objects: what is bound and mapped, and what is refused. They need two devices.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>

#include "driver/driver.h"
#include "driver/multicast_team.h"

using namespace driver_test;

TEST_CASE("devices without multicast refuse its objects") {
  const CurrentContext context;
  int value = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0) ==
          CUDA_SUCCESS);
  if (value != 0) return;
  const CUmulticastObjectProp made = properties(2u << 20);
  CUmemGenericAllocationHandle handle = 0;
  std::size_t bytes = 0;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuMulticastGetGranularity)(&bytes, &made, CU_MULTICAST_GRANULARITY_MINIMUM) ==
        CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("memory is bound by address, and taken away") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Mapped first(memory_of(0, bytes), bytes), second(memory_of(1, bytes), bytes);
  const Mapped both(whole_object_of(2 * bytes), 2 * bytes);
  CHECK(CU(cuMulticastBindAddr)(both.handle(), bytes, first.begin(), bytes, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastBindAddr)(both.handle(), bytes, second.begin(), bytes, 0) == CUDA_SUCCESS);
  const DeviceBlock values(32);
  set(values.address(), {7});
  CHECK(run("multimem.st.u32 [%a], %v0;", "r1", both.begin() + bytes, values.address()) ==
        CUDA_SUCCESS);
  CHECK(get(first.begin())[0] == 7);
  CHECK(get(second.begin())[0] == 7);
  CHECK(CU(cuMulticastUnbind)(both.handle(), 0, bytes, bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastUnbind)(both.handle(), 1, bytes, bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastBindMem)(both.handle(), 0, first.handle(), 0, bytes, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastBindMem)(both.handle(), 0, second.handle(), 0, bytes, 0) == CUDA_SUCCESS);
  set(values.address(), {8});
  CHECK(run("multimem.st.u32 [%a], %v0;", "r1", both.begin(), values.address()) == CUDA_SUCCESS);
  CHECK(get(first.begin())[0] == 8);
  CHECK(get(second.begin())[0] == 8);
}

TEST_CASE("memory is bound when all devices are there") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const CUmemGenericAllocationHandle object = object_of(bytes);
  const CUmemGenericAllocationHandle memory = memory_of(0, bytes);
  CHECK(CU(cuMulticastAddDevice)(object, 0) == CUDA_SUCCESS);
  std::atomic<bool> starts{false}, added{false};
  std::thread other([&] {
    starts.wait(false);
    added = true;
    CHECK(CU(cuMulticastAddDevice)(object, 1) == CUDA_SUCCESS);
  });
  starts = true;
  starts.notify_one();
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 0) == CUDA_SUCCESS);
  CHECK(added);
  other.join();
  CHECK(CU(cuMemRelease)(object) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(memory) == CUDA_SUCCESS);
}

TEST_CASE("what multicast objects refuse") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const std::size_t bytes = granularity();
  CUmemGenericAllocationHandle handle = 0;
  CUmulticastObjectProp made = properties(bytes);
  CHECK(CU(cuMulticastCreate)(nullptr, &made) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastCreate)(&handle, nullptr) == CUDA_ERROR_INVALID_VALUE);
  made.size = bytes / 2;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
  made = properties(bytes);
  made.numDevices = 0;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
  made = properties(bytes);
  made.flags = 1;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
  std::size_t size = 0;
  CHECK(CU(cuMulticastGetGranularity)(&size, &made, outside<CUmulticastGranularity_flags>(7)) ==
        CUDA_ERROR_INVALID_VALUE);

  const CUmemGenericAllocationHandle object = whole_object_of(bytes);
  const CUmemGenericAllocationHandle memory = memory_of(0, bytes);
  CHECK(CU(cuMulticastAddDevice)(object, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastAddDevice)(object, 99) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes / 2, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, bytes, memory, 0, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, bytes, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastUnbind)(object, 99, 0, bytes) == CUDA_ERROR_INVALID_DEVICE);
  if (is_cpu_driver()) {  // undefined elsewhere
    CHECK(CU(cuMulticastAddDevice)(memory, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastBindMem)(object, 0, object, 0, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastBindAddr)(object, 0, bytes, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastUnbind)(object, 0, 0, bytes) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 0) == CUDA_SUCCESS);
    CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    made = properties(bytes);
    made.numDevices = 1000;
    CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
    made = properties(bytes);
    made.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_NOT_SUPPORTED);
    int descriptor = -1;
    CHECK(CU(cuMemExportToShareableHandle)(&descriptor, object,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                           0) == CUDA_ERROR_INVALID_VALUE);
  }
  CHECK(CU(cuMemRelease)(object) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(memory) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(CU(cuMulticastAddDevice)(object, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("accesses that a multicast object does not allow are faults") {
  if (!has_multicast() || !is_cpu_driver()) return;  // undefined elsewhere
  struct Wrong {
    const char* instruction;
    std::size_t offset;
    CUresult result;
  };
  for (const Wrong& wrong :
       {Wrong{"multimem.ld_reduce.add.u32 %v0, [%a];", std::size_t{64} << 20,
              CUDA_ERROR_ILLEGAL_ADDRESS},
        Wrong{"multimem.ld_reduce.add.u32 %v0, [%a];", 2, CUDA_ERROR_MISALIGNED_ADDRESS},
        Wrong{"ld.global.u32 %v0, [%a]; // ld_reduce", 0, CUDA_ERROR_ILLEGAL_ADDRESS}}) {
    CAPTURE(wrong.instruction);
    const CurrentContext context;
    const std::size_t bytes = granularity();
    const CUmemGenericAllocationHandle object =
        bound({memory_of(0, bytes), memory_of(1, bytes)}, bytes);
    CUdeviceptr begin = 0;
    REQUIRE(CU(cuMemAddressReserve)(&begin, bytes, 0, 0, 0) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemMap)(begin, bytes, 0, object, 0) == CUDA_SUCCESS);
    const auto access = for_all();
    REQUIRE(CU(cuMemSetAccess)(begin, bytes, access.data(), access.size()) == CUDA_SUCCESS);
    const DeviceBlock values(32);
    CHECK(run(wrong.instruction, "r1", begin + wrong.offset, values.address()) == wrong.result);
  }
}
