// SPDX-License-Identifier: MIT
#include "cuda/kernel.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "cuda/launch.h"
#include "unit/fake/fake_driver.h"

using namespace pycuda::cuda;
using pycuda::driver::DriverError;
using pycuda::driver::DriverTable;
using pycuda::testing::CurrentContext;
using pycuda::testing::fake;
using pycuda::testing::fake_driver;

namespace {

struct alignas(16) Float4 {
  float x, y, z, w;
};

std::shared_ptr<Kernel> load_kernel() { return Module::from_image("text")->kernel("kernel"); }

template <class T>
T launched(std::size_t offset) {
  T value;
  REQUIRE(fake().launched_arguments.size() >= offset + sizeof(T));
  std::memcpy(&value, fake().launched_arguments.data() + offset, sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("arguments go where the kernel's parameters are") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  fake().parameters = {{0, 4}, {16, 16}, {32, 8}};
  launch_typed(*load_kernel(), {}, 7, Float4{1, 2, 3, 4}, std::uint64_t{9});
  CHECK(fake().launched_arguments.size() == 40);
  CHECK(launched<int>(0) == 7);
  CHECK(launched<float>(16) == 1.0f);
  CHECK(launched<float>(28) == 4.0f);
  CHECK(launched<std::uint64_t>(32) == 9);
  CHECK(launched<int>(4) == 0);
}

TEST_CASE("a driver that does not tell parameters gets natural alignment") {
  DriverTable driver = fake_driver();
  driver.cuFuncGetParamInfo.bind(nullptr);
  const CurrentContext context(driver);
  const auto kernel = load_kernel();
  CHECK_FALSE(kernel->layout().known);
  launch_typed(*kernel, {}, char{1}, 2.0, short{3}, Float4{4, 0, 0, 0});
  CHECK(launched<double>(8) == 2.0);
  CHECK(launched<short>(16) == 3);
  CHECK(launched<float>(32) == 4.0f);
  CHECK(fake().launched_arguments.size() == 48);
}

TEST_CASE("an argument of the wrong size is named with its position and the expected size") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  fake().parameters = {{0, 8}, {8, 4}};
  CHECK_THROWS_WITH_AS(launch_typed(*load_kernel(), {}, std::uint64_t{1}, 2.0),
                       "kernel kernel: argument 1 (counted from 0) has 8 bytes, but the kernel's "
                       "parameter has 4",
                       ArgumentMismatch);
  CHECK(fake().launches == 0);
}

TEST_CASE("too many and too few arguments are refused before the launch") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  fake().parameters = {{0, 4}};
  const auto kernel = load_kernel();
  CHECK_THROWS_WITH_AS(launch_typed(*kernel, {}, 1, 2),
                       "kernel kernel takes 1 argument, more were given", ArgumentMismatch);
  CHECK_THROWS_WITH_AS(launch_typed(*kernel, {}), "kernel kernel takes 1 argument, 0 were given",
                       ArgumentMismatch);
  CHECK(fake().launches == 0);
}

TEST_CASE("large arguments leave the stack buffer, and too large ones are refused") {
  DriverTable driver = fake_driver();
  driver.cuFuncGetParamInfo.bind(nullptr);
  const CurrentContext context(driver);
  std::array<int, 2000> large{};
  large.back() = 5;
  const auto kernel = load_kernel();
  launch_typed(*kernel, {}, 1, large);
  CHECK(launched<int>(0) == 1);
  CHECK(launched<int>(8000) == 5);
  CHECK_THROWS_AS(launch_typed(*kernel, {}, std::array<int, 10000>{}), ArgumentMismatch);
}

TEST_CASE("a kernel without parameters is launched without any") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  launch_typed(*load_kernel(), {});
  CHECK(fake().launches == 1);
  CHECK(fake().launched_arguments.empty());
}

TEST_CASE("the parameters are asked for once") {
  DriverTable driver = fake_driver();
  static int questions;
  questions = 0;
  driver.cuFuncGetParamInfo.bind([](CUfunction, std::size_t, std::size_t*, std::size_t*) {
    ++questions;
    return CUDA_ERROR_INVALID_VALUE;
  });
  const CurrentContext context(driver);
  const auto kernel = load_kernel();
  static_cast<void>(kernel->layout());
  static_cast<void>(kernel->layout());
  CHECK(questions == 1);
}

TEST_CASE("a kernel runs in its own context, whichever is current") {
  const DriverTable driver = fake_driver();
  const CurrentContext own(driver);
  const auto kernel = load_kernel();
  const CurrentContext other(driver);
  launch_typed(*kernel, {});
  CHECK(fake().launched_in == own->handle());
  CHECK(pycuda::testing::fake_driver_stack().back() == other->handle());
}

TEST_CASE("a refused launch says what was asked for and what the kernel takes") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  CHECK_THROWS_WITH_AS(
      launch_typed(*load_kernel(), {.grid = {}, .block = {33, 33, 1}}),
      "cuLaunchKernel failed: invalid argument - kernel kernel, grid 1x1x1, block 33x33x1: 1089 "
      "threads per block, the kernel takes at most 1024: use smaller blocks and more of them",
      DriverError);
}

TEST_CASE("a launch in a detached context fails, and does not reach the driver") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const auto kernel = load_kernel();
  context->detach();
  CHECK_THROWS_AS(launch_typed(*kernel, {}), DriverError);
  CHECK(fake().launches == 0);
}

TEST_CASE("a kernel that the module lacks is an error of the look-up") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  const ModulePtr module = Module::from_image("text");
  CHECK_THROWS_WITH_AS(module->kernel("absent"),
                       "cuModuleGetFunction failed: named symbol not found - no kernel 'absent'",
                       DriverError);
}

TEST_CASE("a kernel keeps its module loaded") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  std::shared_ptr<Kernel> kernel = load_kernel();
  CHECK(fake().resources.size() == 1);
  kernel.reset();
  CHECK(fake().resources.empty());
}

TEST_CASE("PTX reaches the driver with a NUL at its end, and its error log comes back") {
  DriverTable driver = fake_driver();
  static std::string seen;
  driver.cuModuleLoadDataEx.bind(
      [](CUmodule*, const void* image, unsigned int count, CUjit_option* keys, void** values) {
        seen = static_cast<const char*>(image);
        for (unsigned int i = 0; i < count; ++i) {
          if (keys[i] == CU_JIT_ERROR_LOG_BUFFER) {
            std::strcpy(static_cast<char*>(values[i]), "line 1: syntax");
          }
        }
        return CUDA_ERROR_INVALID_VALUE;
      });
  const CurrentContext context(driver);
  JitLog log;
  const std::string text = ".version 8.0garbage";
  CHECK_THROWS_WITH_AS(Module::from_image(std::string_view(text).substr(0, 12), {}, &log),
                       "cuModuleLoadDataEx failed: invalid argument - line 1: syntax", DriverError);
  CHECK(seen == ".version 8.0");
  CHECK(log.errors == "line 1: syntax");
  CHECK(fake().released == 0);
}

TEST_CASE("options for log buffers are the library's own") {
  const DriverTable driver = fake_driver();
  const CurrentContext context(driver);
  CHECK_THROWS_AS(Module::from_image("text", {{CU_JIT_INFO_LOG_BUFFER, 0}}), std::invalid_argument);
  CHECK(fake().resources.empty());
}
