// SPDX-License-Identifier: MIT
// Why the CPU driver refused the latest call, for programs that ask.
#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "driver/driver.h"

using namespace driver_test;

namespace {

using Refusal = CUresult(CUresult, char*, std::size_t);

std::string refusal(CUresult code, std::size_t room = 512) {
  std::string text(room, 'x');
  REQUIRE(reinterpret_cast<Refusal*>(symbol("cuCpuGetRefusal"))(code, text.data(), room) ==
          CUDA_SUCCESS);
  return text.c_str();
}

CUresult make_array(unsigned channels) {
  CUDA_ARRAY_DESCRIPTOR description{4, 4, CU_AD_FORMAT_FLOAT, channels};
  CUarray array = nullptr;
  const CUresult result = CU(cuArrayCreate_v2)(&array, &description);
  if (result == CUDA_SUCCESS) CU(cuArrayDestroy)(array);
  return result;
}

}  // namespace

TEST_CASE("a program reads once why its thread's latest call was refused") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  REQUIRE(reinterpret_cast<Refusal*>(symbol("cuCpuGetRefusal"))(CUDA_SUCCESS, nullptr, 0) ==
          CUDA_SUCCESS);
  CHECK(make_array(3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(refusal(CUDA_ERROR_INVALID_HANDLE).empty());
  std::thread([] { CHECK(refusal(CUDA_ERROR_INVALID_VALUE).empty()); }).join();
  CHECK(refusal(CUDA_ERROR_INVALID_VALUE) == "texels: 3 channels, but there may be 1, 2 or 4");
  CHECK(refusal(CUDA_ERROR_INVALID_VALUE).empty());

  CHECK(make_array(3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(refusal(CUDA_ERROR_INVALID_VALUE, 7) == "texels");

  // Of the latest call only.
  CHECK(make_array(3) == CUDA_ERROR_INVALID_VALUE);
  CHECK(make_array(4) == CUDA_SUCCESS);
  CHECK(refusal(CUDA_ERROR_INVALID_VALUE).empty());

  char text = 'x';
  CHECK(reinterpret_cast<Refusal*>(symbol("cuCpuGetRefusal"))(CUDA_SUCCESS, nullptr, 8) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(reinterpret_cast<Refusal*>(symbol("cuCpuGetRefusal"))(CUDA_SUCCESS, &text, 0) ==
        CUDA_ERROR_INVALID_VALUE);
}
