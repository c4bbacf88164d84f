// SPDX-License-Identifier: MIT
// Managed variables of libraries: one for all contexts, at one address.
#include <doctest/doctest.h>

#include "driver/driver.h"

using namespace driver_test;

namespace {

const char managed_ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 both = 7;
.visible .global .align 4 .u32 own = 5;
.visible .entry raise()
{
  .reg .b32 %r<2>;
  atom.global.add.u32 %r1, [both], 1;
  atom.global.add.u32 %r1, [own], 1;
  ret;
}
)";

struct Variable {
  int* address = nullptr;
  size_t bytes = 0;
};

Variable managed_variable(CUlibrary library) {
  CUdeviceptr address = 0;
  Variable found;
  REQUIRE(CU(cuLibraryGetManaged)(&address, &found.bytes, library, "both") == CUDA_SUCCESS);
  found.address = reinterpret_cast<int*>(address);
  return found;
}

int raised_own(CUlibrary library) {
  CUkernel kernel = nullptr;
  REQUIRE(CU(cuLibraryGetKernel)(&kernel, library, "raise") == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr,
                             nullptr, nullptr) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CUdeviceptr own = 0;
  REQUIRE(CU(cuLibraryGetGlobal)(&own, nullptr, library, "own") == CUDA_SUCCESS);
  int value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, own, 4) == CUDA_SUCCESS);
  return value;
}

}  // namespace

TEST_CASE("contexts share a library's managed variables, and nothing else of it") {
  initialise();
  CUlibrary library = nullptr;
  REQUIRE(CU(cuLibraryLoadData)(&library, managed_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  Variable first;
  {
    const CurrentContext context;
    first = managed_variable(library);
    CHECK(first.bytes == 4);
    CHECK(*first.address == 7);
    CHECK(raised_own(library) == 6);
    CHECK(*first.address == 8);
    {
      const CurrentContext other;
      CHECK(managed_variable(library).address == first.address);
      CHECK(*first.address == 8);
      CHECK(raised_own(library) == 6);
      CHECK(*first.address == 9);
    }
    CHECK(raised_own(library) == 7);
    CHECK(*first.address == 10);
    const auto block = reinterpret_cast<CUdeviceptr>(first.address);
    CHECK(CU(cuMemFree_v2)(block) == CUDA_ERROR_INVALID_VALUE);
  }
  const CurrentContext later;
  CHECK(managed_variable(library).address == first.address);
  CHECK(*first.address == 10);
  CHECK(CU(cuLibraryUnload)(library) == CUDA_SUCCESS);
}
