// SPDX-License-Identifier: MIT
// Images that are no PTX text: fat binaries and their wrappers, as linked into programs.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

template <class Number>
void put(std::string& bytes, std::size_t offset, Number value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

constexpr std::uint16_t kind_ptx = 1, kind_code = 2;

/// One entry, not compressed.
std::string entry(std::uint16_t kind, std::uint32_t architecture, std::string content) {
  content.push_back('\0');
  content.resize((content.size() + 7) / 8 * 8);
  std::string header(64, '\0');
  put<std::uint16_t>(header, 0, kind);
  put<std::uint16_t>(header, 2, 0x101);
  put<std::uint32_t>(header, 4, 64);
  put<std::uint64_t>(header, 8, content.size());
  put<std::uint32_t>(header, 20, 64);
  put<std::uint32_t>(header, 28, architecture);
  put<std::uint64_t>(header, 40, 0x11);
  return header + content;
}

std::string fat_binary(const std::string& entries) {
  std::string header(16, '\0');
  put<std::uint32_t>(header, 0, 0xBA55ED50);
  put<std::uint16_t>(header, 4, 1);
  put<std::uint16_t>(header, 6, 16);
  put<std::uint64_t>(header, 8, entries.size());
  return header + entries;
}

struct Wrapper {
  std::uint32_t magic = 0x466243B1;
  std::uint32_t version = 1;
  const void* image;
  const void* file = nullptr;
};

unsigned stored_by(CUmodule module) {
  CUfunction function = nullptr;
  REQUIRE(CU(cuModuleGetFunction)(&function, module, "store") == CUDA_SUCCESS);
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  unsigned value = 23, seen = 0;
  void* parameters[] = {&to, &value};
  REQUIRE(CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoH_v2)(&seen, to, 4) == CUDA_SUCCESS);
  return seen;
}

}  // namespace

TEST_CASE("the PTX of a fat binary runs, with and without a wrapper around it") {
  if (!is_cpu_driver()) return;  // the entries for GPUs hold no code that one could run
  const CurrentContext context;
  const std::string image =
      fat_binary(entry(kind_code, 80, "no code at all") + entry(kind_ptx, 52, kernels_ptx));
  const Wrapper wrapper{.image = image.data()};
  for (const void* start :
       {static_cast<const void*>(image.data()), static_cast<const void*>(&wrapper)}) {
    CUmodule module = nullptr;
    REQUIRE(CU(cuModuleLoadData)(&module, start) == CUDA_SUCCESS);
    CHECK(stored_by(module) == 23);
    CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
    REQUIRE(CU(cuModuleLoadFatBinary)(&module, start) == CUDA_SUCCESS);
    CHECK(stored_by(module) == 23);
    CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  }
}

TEST_CASE("an image of machine code only has nothing for this device") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  CUmodule module = nullptr;
  const std::string image = fat_binary(entry(kind_code, 80, "no code at all"));
  CHECK(CU(cuModuleLoadData)(&module, image.data()) == CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_CASE("a fat binary whose sizes do not fit is no image") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  CUmodule module = nullptr;
  std::string image = fat_binary(entry(kind_ptx, 52, kernels_ptx));
  put<std::uint64_t>(image, 16 + 8, 1u << 30);
  CHECK(CU(cuModuleLoadData)(&module, image.data()) == CUDA_ERROR_INVALID_IMAGE);
}
