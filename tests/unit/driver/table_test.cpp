// SPDX-License-Identifier: MIT
#include "driver/table.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using namespace pycuda::driver;

TEST_CASE("an empty table answers NOT_SUPPORTED to everything") {
  const DriverTable driver;
  CHECK_FALSE(driver.cuInit.available());
  CHECK(driver.cuInit.status(0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(driver.cuGraphicsGLRegisterBuffer.status(nullptr, 0, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(driver.cuProfilerStart.status() == CUDA_ERROR_NOT_SUPPORTED);
  CHECK_THROWS_WITH_AS(driver.cuInit(0), "cuInit failed: operation not supported", DriverError);
}

TEST_CASE("the table has the 464 functions of CUDA 13") {
  int functions = 0;
#define CU_FUNCTION(name, symbol, version, parameters) ++functions;
#include "driver/driver_functions.def"
#undef CU_FUNCTION
  CHECK(functions == 464);
}

TEST_CASE("a slot bound to null is missing, not a crash") {
  DriverTable driver;
  driver.cuInit.bind([](unsigned int) { return CUDA_SUCCESS; });
  CHECK(driver.cuInit.available());
  driver.cuInit.bind(nullptr);
  CHECK(driver.cuInit.status(0) == CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("a slot takes a lambda that remembers") {
  DriverTable driver;
  int calls = 0;
  driver.cuInit.bind([&calls](unsigned int) {
    ++calls;
    return CUDA_SUCCESS;
  });
  driver.cuInit(0);
  driver.cuInit(0);
  CHECK(calls == 2);
}

TEST_CASE("a copy of a table has its functions, and its own words for errors") {
  DriverTable driver;
  driver.cuInit.bind([](unsigned int) { return CUDA_ERROR_NO_DEVICE; });
  DriverTable copy = driver;
  copy.cuGetErrorString.bind([](CUresult, const char** text) {
    *text = "nothing there";
    return CUDA_SUCCESS;
  });
  CHECK_THROWS_WITH(copy.cuInit(0), "cuInit failed: nothing there");
  CHECK_THROWS_WITH(driver.cuInit(0), "cuInit failed: no CUDA-capable device is detected");
}

TEST_CASE("an error keeps code and routine, and says more after a dash") {
  const DriverTable driver;
  const DriverError error = driver.cuModuleLoadDataEx.error(CUDA_ERROR_INVALID_VALUE, "line 3");
  CHECK(error.code() == CUDA_ERROR_INVALID_VALUE);
  CHECK(error.routine() == "cuModuleLoadDataEx");
  CHECK(std::string(error.what()) == "cuModuleLoadDataEx failed: invalid argument - line 3");
}

TEST_CASE("a code without words is told by its number") {
  CHECK(error_text(static_cast<CUresult>(998)) == "error 998");
}

TEST_CASE("only faults, also of other processes, carry the CPU driver's account") {
  DriverTable driver;
  driver.last_fault = [](char* text, std::size_t bytes) {
    std::strncpy(text, "kernel f wrote past an allocation", bytes);
    return CUDA_SUCCESS;
  };
  const std::string fault = driver.cuCtxSynchronize.error(CUDA_ERROR_ILLEGAL_ADDRESS).what();
  CHECK(fault.find(" - kernel f wrote past an allocation") != std::string::npos);
  const std::string other = driver.cuEventSynchronize.error(CUDA_ERROR_EXTERNAL_DEVICE).what();
  CHECK(other.find(" - kernel f wrote past an allocation") != std::string::npos);
  const std::string plain = driver.cuCtxSynchronize.error(CUDA_ERROR_INVALID_VALUE).what();
  CHECK(plain.find("kernel f") == std::string::npos);
}

TEST_CASE("contexts are made by whichever call the driver has") {
  DriverTable driver;
  CUcontext context = nullptr;
  CHECK_THROWS_WITH(create_context(driver, &context, 0, 0),
                    "cuCtxCreate failed: operation not supported");
  driver.cuCtxCreate_v2.bind([](CUcontext* made, unsigned int, CUdevice) {
    *made = reinterpret_cast<CUcontext>(2);
    return CUDA_SUCCESS;
  });
  create_context(driver, &context, 0, 0);
  CHECK(context == reinterpret_cast<CUcontext>(2));
  driver.cuCtxCreate.bind([](CUcontext* made, CUctxCreateParams*, unsigned int, CUdevice) {
    *made = reinterpret_cast<CUcontext>(4);
    return CUDA_SUCCESS;
  });
  create_context(driver, &context, 0, 0);
  CHECK(context == reinterpret_cast<CUcontext>(4));
}

TEST_CASE("CUDA 12's prefetch takes devices and the host, and says so for other places") {
  DriverTable driver;
  CUdevice asked = 99;
  driver.cuMemPrefetchAsync_v1.bind([&](CUdeviceptr, std::size_t, CUdevice device, CUstream) {
    asked = device;
    return CUDA_SUCCESS;
  });
  CUmemLocation host{};
  host.type = CU_MEM_LOCATION_TYPE_HOST;
  prefetch(driver, 1, 1, host, nullptr);
  CHECK(asked == CU_DEVICE_CPU);
  CUmemLocation node{};
  node.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
  CHECK_THROWS_AS(prefetch(driver, 1, 1, node, nullptr), DriverError);
}
