// SPDX-License-Identifier: MIT
#include "driver/loader.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "driver/process_driver.h"

using namespace pycuda::driver;

namespace {

DriverSearch search(std::string choice, std::string nvidia, std::string cpu) {
  DriverSearch wanted;
  wanted.choice = std::move(choice);
  wanted.nvidia_library = std::move(nvidia);
  wanted.cpu_libraries = {"/nowhere/libcuda_cpu.so", std::move(cpu)};
  wanted.cpu_driver_command = "`make it`";
  return wanted;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("auto takes NVIDIA's driver when it sees a device") {
  const auto loaded = load_driver(search("auto", FAKE_CUDA_13, FAKE_CUDA_CPU));
  REQUIRE(loaded.ok());
  CHECK(loaded->kind == DriverKind::Nvidia);
  CHECK(loaded->version == 13000);
  CHECK(says(loaded->library, "fake_cuda_13"));
  CHECK(says(loaded->reason, "sees 1 device"));
  CHECK(loaded->passed_over.empty());
}

TEST_CASE("auto takes the CPU driver when NVIDIA's does not initialise, and says why") {
  const auto loaded = load_driver(search("auto", FAKE_CUDA_BROKEN, FAKE_CUDA_CPU));
  REQUIRE(loaded.ok());
  CHECK(loaded->kind == DriverKind::Cpu);
  CHECK(says(loaded->passed_over, "cuInit failed: CUDA driver is a stub library"));
  CHECK(says(loaded->description(), "stub library"));
}

TEST_CASE("auto takes the CPU driver when NVIDIA's sees no device") {
  const auto loaded = load_driver(search("auto", FAKE_CUDA_EMPTY, FAKE_CUDA_CPU));
  REQUIRE(loaded.ok());
  CHECK(loaded->kind == DriverKind::Cpu);
  CHECK(says(loaded->passed_over, "sees no device"));
}

TEST_CASE("auto takes the CPU driver when NVIDIA's is absent") {
  const auto loaded = load_driver(search("auto", "libcuda_absent.so.1", FAKE_CUDA_CPU));
  REQUIRE(loaded.ok());
  CHECK(loaded->kind == DriverKind::Cpu);
  CHECK(says(loaded->passed_over, "libcuda_absent.so.1"));
}

TEST_CASE("the CPU driver under NVIDIA's name is told apart") {
  const auto loaded = load_driver(search("auto", FAKE_CUDA_CPU, "libcuda_cpu_absent.so"));
  REQUIRE(loaded.ok());
  CHECK(loaded->kind == DriverKind::Cpu);
}

TEST_CASE("NVIDIA's driver is not taken for the CPU driver, which may have its name") {
  CHECK(load_driver(search("cpu", FAKE_CUDA_EMPTY, FAKE_CUDA_CPU))->kind == DriverKind::Cpu);
  const auto none = load_driver(search("cpu", FAKE_CUDA_EMPTY, FAKE_CUDA_13));
  REQUIRE_FALSE(none.ok());
  CHECK(says(none.error().message, "is not the CPU driver"));
}

TEST_CASE("an explicit choice is kept, even where auto would choose otherwise") {
  CHECK(load_driver(search("cpu", FAKE_CUDA_13, FAKE_CUDA_CPU))->kind == DriverKind::Cpu);
  CHECK(load_driver(search("nvidia", FAKE_CUDA_EMPTY, FAKE_CUDA_CPU))->kind == DriverKind::Nvidia);
  const auto named = load_driver(search(FAKE_CUDA_12, FAKE_CUDA_13, FAKE_CUDA_CPU));
  REQUIRE(named.ok());
  CHECK(named->version == 12010);
}

TEST_CASE("a failure names what is missing and the command that mends it") {
  const auto none = load_driver(search("auto", "libcuda_absent.so.1", "libcuda_cpu_absent.so"));
  REQUIRE_FALSE(none.ok());
  CHECK(says(none.error().message, "libcuda_absent.so.1"));
  CHECK(says(none.error().message, "which `make it` brings."));
  const auto cpu = load_driver(search("cpu", FAKE_CUDA_13, "libcuda_cpu_absent.so"));
  REQUIRE_FALSE(cpu.ok());
  CHECK(says(cpu.error().message, "PYCUDA_DRIVER=cpu asks for the CPU driver"));
  CHECK(says(cpu.error().message, ": `make it` brings it."));
  const auto nvidia = load_driver(search("nvidia", "libcuda_absent.so.1", FAKE_CUDA_CPU));
  REQUIRE_FALSE(nvidia.ok());
  CHECK(says(nvidia.error().message, "PYCUDA_DRIVER=cpu"));
  const auto typo = load_driver(search("gpu", FAKE_CUDA_13, FAKE_CUDA_CPU));
  REQUIRE_FALSE(typo.ok());
  CHECK(says(typo.error().message, "PYCUDA_DRIVER=gpu is not understood"));
  const auto foreign = load_driver(search(FAKE_NO_CUDA, FAKE_CUDA_13, FAKE_CUDA_CPU));
  REQUIRE_FALSE(foreign.ok());
  CHECK(says(foreign.error().message, "has no cuInit"));
}

TEST_CASE("an older driver's ABI never fills a newer entry") {
  const auto older = load_library(FAKE_CUDA_12);
  REQUIRE(older.ok());
  CHECK_FALSE(older->table.cuCtxCreate.available());
  CUcontext context = nullptr;
  create_context(older->table, &context, 0, 0);
  CHECK(context == reinterpret_cast<CUcontext>(2));
  CHECK_FALSE(older->table.cuEventElapsedTime.available());
  float milliseconds = 0;
  CHECK(elapsed_milliseconds(older->table, &milliseconds, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(milliseconds == 1);
}

TEST_CASE("a new driver gives the newest ABI that the table knows") {
  const auto newer = load_library(FAKE_CUDA_13);
  REQUIRE(newer.ok());
  CHECK(newer->table.cuCtxCreate.available());
  float milliseconds = 0;
  CHECK(elapsed_milliseconds(newer->table, &milliseconds, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(milliseconds == 2);
}

TEST_CASE("a driver without cuGetProcAddress_v2 is asked through the first one") {
  const auto old = load_library(FAKE_CUDA_OLD);
  REQUIRE(old.ok());
  CHECK(old->table.cuEventElapsedTime_v1.available());
}

TEST_CASE("the CPU driver's account of faults is found") {
  const bool cpu = load_library(FAKE_CUDA_CPU)->table.last_fault != nullptr;
  const bool nvidia = load_library(FAKE_CUDA_13)->table.last_fault != nullptr;
  CHECK(cpu);
  CHECK_FALSE(nvidia);
}

TEST_CASE("the process's driver is loaded on demand, and a failure can be mended") {
  ::setenv("PYCUDA_DRIVER", "/nowhere/libcuda.so", 1);
  CHECK_THROWS_AS(process_driver(), DriverUnavailable);
  CHECK_FALSE(process_driver_loaded());
  ::setenv("PYCUDA_DRIVER", FAKE_CUDA_13, 1);
  const DriverTable& driver = process_driver();
  CHECK(driver.cuInit.status(0) == CUDA_SUCCESS);
  ::setenv("PYCUDA_DRIVER", FAKE_CUDA_12, 1);
  CHECK(&process_driver() == &driver);
  CHECK(process_driver_origin().version == 13000);
}
