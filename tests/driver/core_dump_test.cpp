// SPDX-License-Identifier: MIT
// The settings of core dumps are kept, whether or not there is a GPU to dump.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

template <class T>
T told(CUcoredumpSettings attribute) {
  T value{};
  std::size_t bytes = sizeof value;
  CHECK(CU(cuCoredumpGetAttributeGlobal)(attribute, &value, &bytes) == CUDA_SUCCESS);
  return value;
}

std::string told_text(CUcoredumpSettings attribute) {
  return told<std::array<char, 1024>>(attribute).data();
}

template <class T>
CUresult set(CUcoredumpSettings attribute, T value) {
  std::size_t bytes = sizeof value;
  return CU(cuCoredumpSetAttributeGlobal)(attribute, &value, &bytes);
}

}  // namespace

TEST_CASE("core dump settings of the process") {
  if (!has_symbol("cuCoredumpGetAttributeGlobal")) return;  // before CUDA 12.1
  const CurrentContext context;
  const bool before = told<bool>(CU_COREDUMP_LIGHTWEIGHT);
  CHECK(set(CU_COREDUMP_LIGHTWEIGHT, true) == CUDA_SUCCESS);
  CHECK(told<bool>(CU_COREDUMP_LIGHTWEIGHT));
  CHECK(set(CU_COREDUMP_LIGHTWEIGHT, before) == CUDA_SUCCESS);
  CHECK(told<bool>(CU_COREDUMP_LIGHTWEIGHT) == before);
  CHECK(!told<bool>(CU_COREDUMP_ENABLE_ON_EXCEPTION));
  CHECK(set(CU_COREDUMP_ENABLE_ON_EXCEPTION, false) == CUDA_SUCCESS);

  std::string name = "name.of.a.dump";
  std::size_t bytes = name.size() + 1;
  CHECK(CU(cuCoredumpSetAttributeGlobal)(CU_COREDUMP_FILE, name.data(), &bytes) == CUDA_SUCCESS);
  CHECK(told_text(CU_COREDUMP_FILE) == name);

  bytes = 0;
  CHECK(CU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_TRIGGER_HOST, nullptr, &bytes) ==
        CUDA_SUCCESS);
  CHECK(bytes == sizeof(bool));
  CHECK(CU(cuCoredumpGetAttributeGlobal)(CU_COREDUMP_TRIGGER_HOST, &name, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuCoredumpGetAttributeGlobal)(outside<CUcoredumpSettings>(77), nullptr, &bytes) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("core dump settings of a context differ from the process's") {
  if (!has_symbol("cuCoredumpGetAttribute")) return;  // before CUDA 12.1
  const CurrentContext context;
  const bool of_process = told<bool>(CU_COREDUMP_LIGHTWEIGHT);
  bool own = !of_process;
  std::size_t bytes = sizeof own;
  CHECK(CU(cuCoredumpSetAttribute)(CU_COREDUMP_LIGHTWEIGHT, &own, &bytes) == CUDA_SUCCESS);
  bool answer = of_process;
  CHECK(CU(cuCoredumpGetAttribute)(CU_COREDUMP_LIGHTWEIGHT, &answer, &bytes) == CUDA_SUCCESS);
  CHECK(answer == own);
  CHECK(told<bool>(CU_COREDUMP_LIGHTWEIGHT) == of_process);
}
