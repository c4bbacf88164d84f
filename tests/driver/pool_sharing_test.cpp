// SPDX-License-Identifier: MIT
// Pools whose blocks another process maps. The other process is this program again; it inherits the
// pool's descriptor and gets a block's data in its environment.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

constexpr const char* variable = "PYCUDA_TEST_POOL";
constexpr auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

void say(const char* what, long long value) {
  std::printf("%s %lld\n", what, value);
  std::fflush(stdout);
}

void* number(int descriptor) {
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
}

CUmemoryPool create(CUmemAllocationHandleType types,
                    CUmemLocationType place = CU_MEM_LOCATION_TYPE_DEVICE) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = place;
  properties.handleTypes = types;
  CUmemoryPool pool = nullptr;
  REQUIRE(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_SUCCESS);
  return pool;
}

unsigned word_at(CUdeviceptr memory) {
  unsigned word = 0;
  CU(cuMemcpyDtoH_v2)(&word, memory, sizeof word);
  return word;
}

/// The data of a block and the descriptor of its pool go to the other process as text.
std::string as_text(const CUmemPoolPtrExportData& data, int descriptor) {
  std::string text;
  for (const unsigned char byte : data.reserved) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    text += digits.data();
  }
  return text + std::to_string(descriptor);
}

int read_text(CUmemPoolPtrExportData* data) {
  const std::string text = std::getenv(variable);
  for (std::size_t i = 0; i < sizeof *data; ++i)
    data->reserved[i] =
        static_cast<unsigned char>(std::strtoul(text.substr(2 * i, 2).c_str(), nullptr, 16));
  return std::atoi(text.substr(2 * sizeof *data).c_str());
}

void play_pool() {
  const CurrentContext context;
  CUmemPoolPtrExportData data{};
  const int descriptor = read_text(&data);
  CUmemoryPool pool = nullptr;
  CUdeviceptr memory = 0;
  say("import", CU(cuMemPoolImportFromShareableHandle)(&pool, number(descriptor), posix, 0));
  say("pointer", CU(cuMemPoolImportPointer)(&memory, pool, &data));
  say("word", word_at(memory + 40));
  const LoadedModule module(kernels_ptx);
  CUdeviceptr to = memory + 44;
  unsigned value = 43;
  void* parameters[] = {&to, &value};
  say("launch", CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                   parameters, nullptr));
  say("synchronize", CU(cuCtxSynchronize)());
  CUdeviceptr own = 0;
  say("allocates", CU(cuMemAllocFromPoolAsync)(&own, 64, pool, nullptr) == CUDA_SUCCESS);
  say("free", CU(cuMemFreeAsync)(memory, nullptr));
  say("synchronize", CU(cuCtxSynchronize)());
  say("destroy", CU(cuMemPoolDestroy)(pool));
}

void play_host_pool() {
  const CurrentContext context;
  CUmemPoolPtrExportData data{};
  const int descriptor = read_text(&data);
  CUmemoryPool pool = nullptr;
  CUdeviceptr memory = 0, again = 0;
  say("import", CU(cuMemPoolImportFromShareableHandle)(&pool, number(descriptor), posix, 0));
  say("pointer", CU(cuMemPoolImportPointer)(&memory, pool, &data));
  const CUresult imported = CU(cuMemPoolImportPointer)(&again, pool, &data);
  // NVIDIA's driver: of the host's pools once, of a device's as often as one likes.
  say("again", imported == (is_cpu_driver() ? CUDA_SUCCESS : CUDA_ERROR_ALREADY_MAPPED));
  say("same", again == (imported == CUDA_SUCCESS ? memory : 0));
  auto* const words = reinterpret_cast<unsigned*>(memory);
  say("word", words[10]);
  unsigned kind = 0;
  say("attribute", CU(cuPointerGetAttribute)(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  say("host", kind == CU_MEMORYTYPE_HOST);
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccess_flags flags{};
  say("ask", CU(cuMemPoolGetAccess)(&flags, pool, &access.location));
  say("access", flags);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  say("allow", CU(cuMemPoolSetAccess)(pool, &access, 1));
  say("fill", CU(cuMemsetD32Async)(memory + 44, 43, 1, nullptr));
  say("synchronize", CU(cuCtxSynchronize)());
  words[12] = 44;
  CUdeviceptr own = 0;
  say("allocates", CU(cuMemAllocFromPoolAsync)(&own, 64, pool, nullptr) == CUDA_SUCCESS);
  say("free", CU(cuMemFreeAsync)(memory, nullptr));
  say("synchronize", CU(cuCtxSynchronize)());
  say("destroy", CU(cuMemPoolDestroy)(pool));
}

}  // namespace

bool driver_test::play_pool_scenario(const std::string& name) {
  if (name == "pool_import") {
    play_pool();
  } else if (name == "host_pool_import") {
    play_host_pool();
  } else {
    return false;
  }
  return true;
}

TEST_CASE("a block of an exported pool is mapped by another process, whose kernels use it") {
  const CurrentContext context;
  int types = 0;
  CHECK(CU(cuDeviceGetAttribute)(&types, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0) ==
        CUDA_SUCCESS);
  REQUIRE((types & posix) != 0);
  const CUmemoryPool pool = create(posix);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAllocFromPoolAsync)(&memory, 1000, pool, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32Async)(memory, 42, 250, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  int descriptor = -1;
  CUmemPoolPtrExportData data{};
  REQUIRE(CU(cuMemPoolExportToShareableHandle)(&descriptor, pool, posix, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemPoolExportPointer)(&data, memory) == CUDA_SUCCESS);
  REQUIRE(fcntl(descriptor, F_SETFD, 0) == 0);
  setenv(variable, as_text(data, descriptor).c_str(), 1);
  CHECK(run_scenario("pool_import") ==
        "import 0\npointer 0\nword 42\nlaunch 0\nsynchronize 0\nallocates 0\nfree 0\n"
        "synchronize 0\ndestroy 0\n");
  unsetenv(variable);
  close(descriptor);
  CHECK(word_at(memory + 44) == 43);
  CHECK(word_at(memory + 48) == 42);
  CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
}

TEST_CASE("a block of a pool of the host's node is mapped by another process, host and device") {
  const CurrentContext context;
  const CUmemoryPool pool = create(posix, CU_MEM_LOCATION_TYPE_HOST_NUMA);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAllocFromPoolAsync)(&memory, 1000, pool, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  auto* const words = reinterpret_cast<volatile unsigned*>(memory);
  for (unsigned i = 0; i < 250; ++i) words[i] = 42;
  int descriptor = -1;
  CUmemPoolPtrExportData data{};
  REQUIRE(CU(cuMemPoolExportToShareableHandle)(&descriptor, pool, posix, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemPoolExportPointer)(&data, memory) == CUDA_SUCCESS);
  unsigned long long types = 0;
  CHECK(CU(cuPointerGetAttribute)(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, memory) ==
        CUDA_SUCCESS);
  CHECK((types & posix) != 0);
  REQUIRE(fcntl(descriptor, F_SETFD, 0) == 0);
  setenv(variable, as_text(data, descriptor).c_str(), 1);
  CHECK(run_scenario("host_pool_import") ==
        "import 0\npointer 0\nagain 1\nsame 1\nword 42\nattribute 0\nhost 1\nask 0\naccess 0\n"
        "allow 0\nfill 0\nsynchronize 0\nallocates 0\nfree 0\nsynchronize 0\ndestroy 0\n");
  unsetenv(variable);
  close(descriptor);
  CHECK(words[10] == 42);
  CHECK(words[11] == 43);
  CHECK(words[12] == 44);
  CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
}

TEST_CASE("pools of the host anywhere and of managed memory are for one process") {
  const CurrentContext context;
  CUmemPoolProps properties{};
  properties.handleTypes = posix;
  CUmemoryPool pool = nullptr;
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
  CHECK(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_ERROR_INVALID_VALUE);
  properties.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK(CU(cuMemPoolCreate)(&pool, &properties) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("pools and pointers that cannot be shared are refused") {
  const CurrentContext context;
  const CUmemoryPool plain = create(CU_MEM_HANDLE_TYPE_NONE);
  const CUmemoryPool pool = create(posix);
  int descriptor = -1;
  const auto share = CU(cuMemPoolExportToShareableHandle);
  CHECK(share(&descriptor, plain, posix, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(share(&descriptor, pool, posix, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(share(nullptr, pool, posix, 0) == CUDA_ERROR_INVALID_VALUE);
  CUmemoryPool stranger = nullptr;
  CHECK(CU(cuMemPoolImportFromShareableHandle)(&stranger, number(-1), posix, 0) ==
        CUDA_ERROR_UNKNOWN);
  const int zero = open("/dev/zero", O_RDWR);
  CHECK(CU(cuMemPoolImportFromShareableHandle)(&stranger, number(zero), posix, 0) ==
        CUDA_ERROR_UNKNOWN);
  close(zero);
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuMemAllocFromPoolAsync)(&memory, 64, plain, nullptr) == CUDA_SUCCESS);
  CUmemPoolPtrExportData data{};
  CHECK(CU(cuMemPoolExportPointer)(&data, memory) == CUDA_ERROR_INVALID_VALUE);
  const DeviceBlock block(64);
  CHECK(CU(cuMemPoolExportPointer)(&data, block.address()) == CUDA_ERROR_INVALID_VALUE);
  // Pointers follow their pool.
  CUdeviceptr early = 0;
  REQUIRE(CU(cuMemAllocFromPoolAsync)(&early, 64, pool, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolExportPointer)(&data, early) == CUDA_ERROR_INVALID_VALUE);
  CHECK(share(&descriptor, pool, posix, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolExportPointer)(&data, early) == CUDA_SUCCESS);
  close(descriptor);
  CHECK(CU(cuMemFreeAsync)(early, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeAsync)(memory, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolDestroy)(pool) == CUDA_SUCCESS);
  CHECK(CU(cuMemPoolDestroy)(plain) == CUDA_SUCCESS);
}
