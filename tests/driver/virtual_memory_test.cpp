// SPDX-License-Identifier: MIT
// Reserved addresses, memory that is mapped to them, who has access, and other processes.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

constexpr const char* variable = "PYCUDA_TEST_DESCRIPTOR";

CUmemAllocationProp properties(CUmemAllocationHandleType types = CU_MEM_HANDLE_TYPE_NONE,
                               CUmemLocationType place = CU_MEM_LOCATION_TYPE_DEVICE, int id = 0) {
  CUmemAllocationProp made{};
  made.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.requestedHandleTypes = types;
  made.location.type = place;
  made.location.id = id;
  return made;
}

/// 0 where the driver does not tell. Without an assertion: other processes call it too.
std::size_t granularity() {
  std::size_t bytes = 0;
  const CUmemAllocationProp made = properties();
  CU(cuMemGetAllocationGranularity)(&bytes, &made, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  return bytes;
}

CUmemAccessDesc access(CUmemAccess_flags flags, CUmemLocationType place, int id = 0) {
  CUmemAccessDesc made{};
  made.location.type = place;
  made.location.id = id;
  made.flags = flags;
  return made;
}

const CUmemAccessDesc read_write =
    access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_LOCATION_TYPE_DEVICE);
const CUmemAccessDesc read_only =
    access(CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_LOCATION_TYPE_DEVICE);

/// Reserved addresses; what is mapped there must be unmapped before.
class Range {
 public:
  explicit Range(std::size_t bytes) : bytes_(bytes) {
    REQUIRE(CU(cuMemAddressReserve)(&begin_, bytes, 0, 0, 0) == CUDA_SUCCESS);
  }
  ~Range() { CHECK(CU(cuMemAddressFree)(begin_, bytes_) == CUDA_SUCCESS); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  CUdeviceptr begin() const { return begin_; }

 private:
  std::size_t bytes_;
  CUdeviceptr begin_ = 0;
};

CUmemGenericAllocationHandle create(std::size_t bytes, const CUmemAllocationProp& of) {
  CUmemGenericAllocationHandle handle = 0;
  REQUIRE(CU(cuMemCreate)(&handle, bytes, &of, 0) == CUDA_SUCCESS);
  return handle;
}

CUmemGenericAllocationHandle create(std::size_t bytes) { return create(bytes, properties()); }

unsigned word_at(CUdeviceptr memory) {
  unsigned word = 0;
  CHECK(CU(cuMemcpyDtoH_v2)(&word, memory, sizeof word) == CUDA_SUCCESS);
  return word;
}

unsigned long long access_at(CUdeviceptr address) {
  unsigned long long flags = 9;
  CHECK(CU(cuMemGetAccess)(&flags, &read_write.location, address) == CUDA_SUCCESS);
  return flags;
}

CUresult launch_store(CUfunction store, CUdeviceptr to, unsigned value) {
  void* parameters[] = {&to, &value};
  const CUresult status =
      CU(cuLaunchKernel)(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  return status == CUDA_SUCCESS ? CU(cuCtxSynchronize)() : status;
}

void say(const char* what, long long value) {
  std::printf("%s %lld\n", what, value);
  std::fflush(stdout);
}

/// Another process's memory, by the descriptor that was left open for this one.
void play_import() {
  const CurrentContext context;
  const int descriptor = std::atoi(std::getenv(variable));
  const std::size_t bytes = granularity();
  CUmemGenericAllocationHandle handle = 0;
  say("import", CU(cuMemImportFromShareableHandle)(
                    &handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
                    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUdeviceptr begin = 0;
  CU(cuMemAddressReserve)(&begin, bytes, 0, 0, 0);
  say("map", CU(cuMemMap)(begin, bytes, 0, handle, 0));
  say("access", CU(cuMemSetAccess)(begin, bytes, &read_write, 1));
  unsigned word = 0;
  CU(cuMemcpyDtoH_v2)(&word, begin + 8, sizeof word);
  say("word", word);
  const LoadedModule module(kernels_ptx);
  say("store", launch_store(module.function("store"), begin + 12, 78));
  say("release", CU(cuMemRelease)(handle));
  say("unmap", CU(cuMemUnmap)(begin, bytes));
  say("free", CU(cuMemAddressFree)(begin, bytes));
}

/// A kernel that writes to reserved addresses: `mapped` and `allowed` say how much is there.
void play_fault(bool mapped, CUmemAccess_flags allowed) {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const std::size_t bytes = granularity();
  CUdeviceptr begin = 0;
  CU(cuMemAddressReserve)(&begin, 2 * bytes, 0, 0, 0);
  if (mapped) {
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp made = properties();
    CU(cuMemCreate)(&handle, bytes, &made, 0);
    CU(cuMemMap)(begin, bytes, 0, handle, 0);
    const CUmemAccessDesc given = access(allowed, CU_MEM_LOCATION_TYPE_DEVICE);
    if (allowed != CU_MEM_ACCESS_FLAGS_PROT_NONE) CU(cuMemSetAccess)(begin, bytes, &given, 1);
  }
  say("store", launch_store(module.function("store"), begin + 4, 1));
}

}  // namespace

bool driver_test::play_virtual_memory_scenario(const std::string& name) {
  if (name == "virtual_memory_import") {
    play_import();
  } else if (name == "virtual_memory_unmapped") {
    play_fault(false, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  } else if (name == "virtual_memory_no_access") {
    play_fault(true, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  } else if (name == "virtual_memory_read_only") {
    play_fault(true, CU_MEM_ACCESS_FLAGS_PROT_READ);
  } else {
    return false;
  }
  return true;
}

TEST_CASE("a device says that it has virtual memory, and what can be shared") {
  initialise();
  for (const CUdevice_attribute name :
       {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED}) {
    int can = -1;
    CHECK(CU(cuDeviceGetAttribute)(&can, name, 0) == CUDA_SUCCESS);
    CHECK(can == 1);
  }
}

TEST_CASE("mapped memory is used by copies, fills and kernels, and is gone when unmapped") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const std::size_t bytes = granularity();
  const Range range(4 * bytes);
  const CUmemGenericAllocationHandle handle = create(bytes);
  const CUdeviceptr at = range.begin() + bytes;
  CHECK(CU(cuMemMap)(at, bytes, 0, handle, 0) == CUDA_SUCCESS);
  CHECK(access_at(at) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  CHECK(CU(cuMemSetAccess)(at, bytes, &read_write, 1) == CUDA_SUCCESS);
  CHECK(access_at(at + 5) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(CU(cuMemsetD32_v2)(at, 7, bytes / 4) == CUDA_SUCCESS);
  CHECK(launch_store(module.function("store"), at + bytes - 4, 8) == CUDA_SUCCESS);
  CHECK(word_at(at) == 7);
  CHECK(word_at(at + bytes - 4) == 8);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  CHECK(word_at(at + bytes - 4) == 8);
  CHECK(CU(cuMemUnmap)(at, bytes) == CUDA_SUCCESS);
  unsigned word = 0;
  CHECK(CU(cuMemcpyDtoH_v2)(&word, at, sizeof word) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyDtoH_v2)(&word, range.begin(), sizeof word) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("memory that is mapped twice is one memory, and outlives each of its addresses") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Range first(bytes), second(bytes);
  const CUmemGenericAllocationHandle handle = create(bytes);
  for (const CUdeviceptr at : {first.begin(), second.begin()}) {
    CHECK(CU(cuMemMap)(at, bytes, 0, handle, 0) == CUDA_SUCCESS);
    CHECK(CU(cuMemSetAccess)(at, bytes, &read_write, 1) == CUDA_SUCCESS);
  }
  CHECK(CU(cuMemsetD32_v2)(first.begin() + 64, 5, 1) == CUDA_SUCCESS);
  CHECK(word_at(second.begin() + 64) == 5);
  CHECK(CU(cuMemUnmap)(first.begin(), bytes) == CUDA_SUCCESS);
  CHECK(word_at(second.begin() + 64) == 5);
  CHECK(CU(cuMemMap)(first.begin(), bytes, 0, handle, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemSetAccess)(first.begin(), bytes, &read_write, 1) == CUDA_SUCCESS);
  CHECK(word_at(first.begin() + 64) == 5);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  CHECK(CU(cuMemUnmap)(first.begin(), bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMemUnmap)(second.begin(), bytes) == CUDA_SUCCESS);
}

TEST_CASE("what is mapped side by side is one range to copies, fills and kernels") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const std::size_t bytes = granularity();
  const Range range(3 * bytes);
  const CUmemGenericAllocationHandle first = create(bytes), second = create(bytes);
  CHECK(CU(cuMemMap)(range.begin(), bytes, 0, first, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemMap)(range.begin() + bytes, bytes, 0, second, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemSetAccess)(range.begin(), 2 * bytes, &read_write, 1) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32_v2)(range.begin(), 3, bytes / 2) == CUDA_SUCCESS);
  std::vector<unsigned> words(64);
  CHECK(CU(cuMemcpyDtoH_v2)(words.data(), range.begin() + bytes - 128, 256) == CUDA_SUCCESS);
  CHECK(words[0] == 3);
  CHECK(words[63] == 3);
  CUdeviceptr to = range.begin() + bytes - 64;
  unsigned count = 32, value = 4;
  void* parameters[] = {&to, &count, &value};
  CHECK(CU(cuLaunchKernel)(module.function("fill"), 1, 1, 1, 32, 1, 1, 0, nullptr, parameters,
                           nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(word_at(to) == 4);
  CHECK(word_at(to + 124) == 4);
  CHECK(word_at(to + 128) == 3);
  CHECK(CU(cuMemsetD32_v2)(range.begin(), 3, 3 * bytes / 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemRelease)(first) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(second) == CUDA_SUCCESS);
  CUdeviceptr base = 0, reserved = 0;
  std::size_t size = 0, reserved_bytes = 0;
  const CUdeviceptr inside = range.begin() + bytes + 5;
  CHECK(CU(cuMemGetAddressRange_v2)(&base, &size, inside) == CUDA_SUCCESS);
  CHECK(base == range.begin() + bytes);
  CHECK(size == bytes);
  CHECK(CU(cuPointerGetAttribute)(&reserved, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside) ==
        CUDA_SUCCESS);
  CHECK(reserved == range.begin());
  CHECK(CU(cuPointerGetAttribute)(&reserved_bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, inside) ==
        CUDA_SUCCESS);
  CHECK(reserved_bytes == 3 * bytes);
  CHECK(CU(cuMemUnmap)(range.begin(), 2 * bytes) == CUDA_SUCCESS);
}

TEST_CASE("memory that may only be read is not written by copies and fills") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Range range(bytes);
  const CUmemGenericAllocationHandle handle = create(bytes);
  CHECK(CU(cuMemMap)(range.begin(), bytes, 0, handle, 0) == CUDA_SUCCESS);
  unsigned word = 0;
  CHECK(CU(cuMemcpyDtoH_v2)(&word, range.begin(), 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD8_v2)(range.begin(), 1, bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemSetAccess)(range.begin(), bytes, &read_only, 1) == CUDA_SUCCESS);
  CHECK(access_at(range.begin()) == CU_MEM_ACCESS_FLAGS_PROT_READ);
  CHECK(CU(cuMemcpyDtoH_v2)(&word, range.begin(), 4) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyHtoD_v2)(range.begin(), &word, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD8_v2)(range.begin(), 1, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  CHECK(CU(cuMemUnmap)(range.begin(), bytes) == CUDA_SUCCESS);
}

TEST_CASE("memory of the host is mapped for both") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Range range(bytes);
  const CUmemGenericAllocationHandle handle =
      create(bytes, properties(CU_MEM_HANDLE_TYPE_NONE, CU_MEM_LOCATION_TYPE_HOST));
  CUmemAllocationProp told{};
  CHECK(CU(cuMemGetAllocationPropertiesFromHandle)(&told, handle) == CUDA_SUCCESS);
  CHECK(told.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA);
  CHECK(CU(cuMemMap)(range.begin(), bytes, 0, handle, 0) == CUDA_SUCCESS);
  const CUmemAccessDesc both[] = {
      read_write, access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_LOCATION_TYPE_HOST)};
  CHECK(CU(cuMemSetAccess)(range.begin(), bytes, both, 2) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32_v2)(range.begin(), 6, bytes / 4) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(*reinterpret_cast<const unsigned*>(range.begin() + bytes - 4) == 6);
  unsigned type = 0;
  CHECK(CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, range.begin()) ==
        CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_HOST);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  CHECK(CU(cuMemUnmap)(range.begin(), bytes) == CUDA_SUCCESS);
}

TEST_CASE("a handle tells what it was made with, and a mapping its handle") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Range range(bytes);
  const CUmemGenericAllocationHandle handle =
      create(bytes, properties(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUmemAllocationProp told{};
  CHECK(CU(cuMemGetAllocationPropertiesFromHandle)(&told, handle) == CUDA_SUCCESS);
  CHECK(told.type == CU_MEM_ALLOCATION_TYPE_PINNED);
  CHECK(told.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  CHECK(told.location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  CHECK(told.location.id == 0);
  CHECK(CU(cuMemMap)(range.begin(), bytes, 0, handle, 0) == CUDA_SUCCESS);
  CUmemGenericAllocationHandle again = 0;
  CHECK(CU(cuMemRetainAllocationHandle)(&again, reinterpret_cast<void*>(range.begin() + 9)) ==
        CUDA_SUCCESS);
  CHECK(again == handle);
  CHECK(CU(cuMemRelease)(again) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  const DeviceBlock block(64);
  CHECK(CU(cuMemRetainAllocationHandle)(&again, reinterpret_cast<void*>(block.address())) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemUnmap)(range.begin(), bytes) == CUDA_SUCCESS);
}

TEST_CASE("memory counts against the device until nobody has it") {
  const CurrentContext context;
  const std::size_t bytes = 16 * granularity();
  const Range range(bytes);
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    CHECK(CU(cuMemGetInfo_v2)(&free, &total) == CUDA_SUCCESS);
    return free;
  };
  // A GPU's free memory changes with other processes.
  if (!is_cpu_driver()) return;
  const std::size_t before = free_bytes();
  const CUmemGenericAllocationHandle handle = create(bytes);
  CHECK(free_bytes() <= before - bytes);
  CHECK(CU(cuMemMap)(range.begin(), bytes, 0, handle, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  CHECK(free_bytes() <= before - bytes);
  CHECK(CU(cuMemUnmap)(range.begin(), bytes) == CUDA_SUCCESS);
  CHECK(free_bytes() > before - bytes);
  CUmemGenericAllocationHandle too_much = 0;
  const CUmemAllocationProp made = properties();
  CHECK(CU(cuMemCreate)(&too_much, std::size_t{1} << 44, &made, 0) == CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_CASE("reserved addresses are as asked for, and wrong requests are refused") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const auto reserve = CU(cuMemAddressReserve);
  CUdeviceptr begin = 0;
  const std::size_t alignment = std::size_t{1} << 30;
  REQUIRE(reserve(&begin, bytes, alignment, 0, 0) == CUDA_SUCCESS);
  CHECK(begin % alignment == 0);
  CHECK(CU(cuMemAddressFree)(begin + bytes, bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAddressFree)(begin, bytes) == CUDA_SUCCESS);
  CHECK(reserve(&begin, 0, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(reserve(&begin, 65536, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(reserve(&begin, bytes, 3, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(reserve(&begin, bytes, 0, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(reserve(nullptr, bytes, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("wrong sizes, places and ranges are refused") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Range range(4 * bytes);
  CUmemGenericAllocationHandle none = 0;
  CUmemAllocationProp made = properties();
  const auto create_status = [&](std::size_t size, unsigned long long flags = 0) {
    return CU(cuMemCreate)(&none, size, &made, flags);
  };
  CHECK(create_status(0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(create_status(4096) == CUDA_ERROR_INVALID_VALUE);
  CHECK(create_status(bytes, 1) == CUDA_ERROR_INVALID_VALUE);
  made.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  CHECK(create_status(bytes) == CUDA_ERROR_INVALID_VALUE);
  made = properties(CU_MEM_HANDLE_TYPE_NONE, CU_MEM_LOCATION_TYPE_DEVICE, 99);
  CHECK(create_status(bytes) == CUDA_ERROR_INVALID_DEVICE);
  made = properties(CU_MEM_HANDLE_TYPE_NONE, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
  CHECK(create_status(bytes) == CUDA_ERROR_INVALID_VALUE);

  const CUmemGenericAllocationHandle handle = create(2 * bytes);
  const auto map = [&](CUdeviceptr at, std::size_t size, std::size_t offset = 0) {
    return CU(cuMemMap)(at, size, offset, handle, 0);
  };
  CHECK(map(range.begin(), 3 * bytes) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(map(range.begin(), bytes) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(map(range.begin(), bytes, bytes) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(map(range.begin(), 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(map(range.begin() + 4096, 2 * bytes) == CUDA_ERROR_INVALID_VALUE);
  // NVIDIA's driver looks at the beginning alone.
  if (is_cpu_driver()) CHECK(map(range.begin() + 3 * bytes, 2 * bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(map(range.begin(), 2 * bytes) == CUDA_SUCCESS);
  CHECK(map(range.begin(), 2 * bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(map(range.begin() + bytes, 2 * bytes) == CUDA_ERROR_INVALID_VALUE);

  const auto set = [&](CUdeviceptr at, std::size_t size, const CUmemAccessDesc& given) {
    return CU(cuMemSetAccess)(at, size, &given, 1);
  };
  CHECK(set(range.begin(), 3 * bytes, read_write) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set(range.begin() + 2 * bytes, bytes, read_write) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set(range.begin(), 2 * bytes,
            access(outside<CUmemAccess_flags>(2), CU_MEM_LOCATION_TYPE_DEVICE)) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(set(range.begin(), 2 * bytes,
            access(CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_LOCATION_TYPE_DEVICE, 99)) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(set(range.begin(), 2 * bytes,
            access(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_LOCATION_TYPE_HOST)) ==
        CUDA_ERROR_NOT_SUPPORTED);
  CHECK(set(range.begin(), bytes, read_write) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemUnmap)(range.begin(), bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemUnmap)(range.begin() + bytes, bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemUnmap)(range.begin(), 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemAddressFree)(range.begin(), 4 * bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemUnmap)(range.begin(), 2 * bytes) == CUDA_SUCCESS);
  // There is nothing left to unmap, which is no mistake.
  CHECK(CU(cuMemUnmap)(range.begin(), 2 * bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(CU(cuMemRelease)(handle) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a kernel that writes where it may not ends with an illegal address") {
  CHECK(run_scenario("virtual_memory_unmapped") == "store 700\n");
  CHECK(run_scenario("virtual_memory_no_access") == "store 700\n");
  CHECK(run_scenario("virtual_memory_read_only") == "store 700\n");
}

TEST_CASE("memory is mapped by another process that has its descriptor") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Range range(bytes);
  const CUmemGenericAllocationHandle handle =
      create(bytes, properties(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CHECK(CU(cuMemMap)(range.begin(), bytes, 0, handle, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemSetAccess)(range.begin(), bytes, &read_write, 1) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32_v2)(range.begin(), 77, 4) == CUDA_SUCCESS);
  int descriptor = -1;
  const auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  REQUIRE(CU(cuMemExportToShareableHandle)(&descriptor, handle, posix, 0) == CUDA_SUCCESS);
  REQUIRE(fcntl(descriptor, F_SETFD, 0) == 0);
  setenv(variable, std::to_string(descriptor).c_str(), 1);
  CHECK(run_scenario("virtual_memory_import") ==
        "import 0\nmap 0\naccess 0\nword 77\nstore 0\nrelease 0\nunmap 0\nfree 0\n");
  unsetenv(variable);
  CHECK(word_at(range.begin() + 12) == 78);
  close(descriptor);
  CHECK(CU(cuMemUnmap)(range.begin(), bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
}

TEST_CASE("only memory that was made for it has a descriptor") {
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const CUmemGenericAllocationHandle handle = create(bytes);
  const auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  int descriptor = -1;
  CHECK(CU(cuMemExportToShareableHandle)(&descriptor, handle, posix, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle stranger = 0;
  const auto import = [&](int number) {
    return CU(cuMemImportFromShareableHandle)(
        &stranger, reinterpret_cast<void*>(static_cast<std::intptr_t>(number)), posix);
  };
  CHECK(import(-1) == CUDA_ERROR_UNKNOWN);
  const int zero = open("/dev/zero", O_RDWR);
  CHECK(import(zero) == CUDA_ERROR_UNKNOWN);
  close(zero);
  CHECK(CU(cuMemRelease)(handle) == CUDA_SUCCESS);
}
