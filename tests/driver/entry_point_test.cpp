// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

struct Answer {
  CUresult result;
  void* address;
  CUdriverProcAddressQueryResult outcome;
};

Answer ask(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  Answer answer{CUDA_SUCCESS, nullptr, CU_GET_PROC_ADDRESS_SUCCESS};
  answer.result = CU(cuGetProcAddress_v2)(name, &answer.address, version, flags, &answer.outcome);
  return answer;
}

}  // namespace

TEST_CASE("errors have names and texts") {
  const char* text = nullptr;
  CHECK(CU(cuGetErrorName)(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "CUDA_ERROR_OUT_OF_MEMORY");
  CHECK(CU(cuGetErrorString)(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "out of memory");
  CHECK(CU(cuGetErrorString)(CUDA_ERROR_INVALID_VALUE, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "invalid argument");
  CHECK(CU(cuGetErrorString)(CUDA_ERROR_ILLEGAL_ADDRESS, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "an illegal memory access was encountered");
  CHECK(CU(cuGetErrorString)(CUDA_ERROR_NOT_FOUND, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "named symbol not found");
  CHECK(CU(cuGetErrorString)(CUDA_ERROR_UNKNOWN, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "unknown error");
  CHECK(CU(cuGetErrorString)(outside<CUresult>(-1), &text) == CUDA_ERROR_INVALID_VALUE);
  CHECK(text == nullptr);
}

TEST_CASE("the version is at least 12 and cuInit takes no flags") {
  int version = 0;
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
  CHECK(version >= 12000);
  CHECK(CU(cuDriverGetVersion)(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuInit)(1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuInit)(0) == CUDA_SUCCESS);
  CHECK(CU(cuInit)(0) == CUDA_SUCCESS);
}

TEST_CASE("calls before cuInit say so") {
  CHECK(run_scenario("uninitialised") == "count 3\nalloc 3\ncurrent 3\nversion 0\nname 0\n");
}

TEST_CASE("cuGetProcAddress gives the ABI of the version asked for") {
  initialise();
  CHECK(ask("cuMemAlloc", 12000).address == symbol("cuMemAlloc_v2"));
  CHECK(ask("cuMemAlloc", 2000).address == symbol("cuMemAlloc"));
  CHECK(ask("cuCtxGetCurrent", 12000).address == symbol("cuCtxGetCurrent"));
  CHECK(ask("cuGetProcAddress", 12000).address == symbol("cuGetProcAddress_v2"));
  CHECK(ask("cuGetProcAddress", 11030).address == symbol("cuGetProcAddress"));
  CHECK(ask("cuMemcpyHtoD", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM).address ==
        symbol("cuMemcpyHtoD_v2_ptds"));
  CHECK(ask("cuMemcpyHtoD", 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM).address ==
        symbol("cuMemcpyHtoD_v2"));
  CHECK(ask("cuLaunchKernel", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM).address ==
        symbol("cuLaunchKernel_ptsz"));
}

TEST_CASE("a per-thread variant that is newer than asked for is not replaced by the legacy one") {
  initialise();
  const Answer answer = ask("cuMemcpyHtoD", 3020, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  CHECK(answer.address == nullptr);
  CHECK(answer.outcome == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST_CASE("cuGetProcAddress says why there is no function") {
  initialise();
  const Answer unknown = ask("cuNoSuchFunction", 12000);
  CHECK(unknown.result == CUDA_SUCCESS);
  CHECK(unknown.address == nullptr);
  CHECK(unknown.outcome == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  const Answer too_old = ask("cuMemPoolCreate", 11010);
  CHECK(too_old.result == CUDA_SUCCESS);
  CHECK(too_old.address == nullptr);
  CHECK(too_old.outcome == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  CHECK(ask("cuInit", 99000).result == CUDA_ERROR_INVALID_VALUE);
  void* address = nullptr;
  CHECK(CU(cuGetProcAddress_v2)("cuInit", &address, 12000, 0, nullptr) == CUDA_SUCCESS);
  CHECK(address != nullptr);
}

TEST_CASE("tables of NVIDIA's own are asked for by number") {
  initialise();
  const CUuuid unknown{};
  const void* table = &unknown;
  CHECK(CU(cuGetExportTable)(&table, &unknown) != CUDA_SUCCESS);
  if (!is_cpu_driver()) return;
  CHECK(table == nullptr);
  CHECK(CU(cuGetExportTable)(nullptr, &unknown) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("what is not supported says so") {
  const CurrentContext context;
  if (!is_cpu_driver()) return;
  // The attributes that announce these say no.
  for (const CUdevice_attribute name : {
           CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
           CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
           CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
           CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK,
       }) {
    CAPTURE(name);
    int value = -1;
    CHECK(CU(cuDeviceGetAttribute)(&value, name, 0) == CUDA_SUCCESS);
    CHECK(value == 0);
  }
}
