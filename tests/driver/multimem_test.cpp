// SPDX-License-Identifier: MIT
// What multimem instructions read and write through a multicast object. They need two devices.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "driver/driver.h"
#include "driver/multicast_team.h"

using namespace driver_test;

namespace {

struct Reduction {
  const char* operation;  ///< with its type
  const char* kind;
  const char* operand;
  Words first, second, result;
};

constexpr const char* one = "%v0";
constexpr const char* two = "{%v0, %v1}";
constexpr const char* four = "{%v0, %v1, %v2, %v3}";

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all{
      {"add.u32", "r1", one, {0xfffffff0u}, {0x20}, {0x10}},
      {"min.u32", "r1", one, {0xfffffff0u}, {0x20}, {0x20}},
      {"max.u32", "r1", one, {0xfffffff0u}, {0x20}, {0xfffffff0u}},
      {"min.s32", "r1", one, {0xfffffff0u}, {0x20}, {0xfffffff0u}},
      {"max.s32", "r1", one, {0xfffffff0u}, {0x20}, {0x20}},
      {"add.s32", "r1", one, {0xfffffff0u}, {0x20}, {0x10}},
      {"and.b32", "r1", one, {0xff00ff00u}, {0x0ff00ff0u}, {0x0f000f00u}},
      {"or.b32", "r1", one, {0xff00ff00u}, {0x0ff00ff0u}, {0xfff0fff0u}},
      {"xor.b32", "r1", one, {0xff00ff00u}, {0x0ff00ff0u}, {0xf0f0f0f0u}},
      {"add.u64", "d1", one, {0xffffffffu, 1}, {1, 1}, {0, 3}},
      {"min.u64", "d1", one, {0, 0x80000000u}, {1, 1}, {1, 1}},
      {"max.s64", "d1", one, {0, 0x80000000u}, {1, 1}, {1, 1}},
      {"min.s64", "d1", one, {0, 0x80000000u}, {1, 1}, {0, 0x80000000u}},
      {"and.b64", "d1", one, {0xff, 0xff00}, {0x0f, 0x0f00}, {0x0f, 0x0f00}},
      {"or.b64", "d1", one, {0xff, 0xff00}, {0x0f, 0x0f00}, {0xff, 0xff00}},
      {"xor.b64", "d1", one, {0xff, 0xff00}, {0x0f, 0x0f00}, {0xf0, 0xf000}},
      // 1.5 + 2.25
      {"add.f32", "r1", one, {0x3fc00000u}, {0x40100000u}, {0x40700000u}},
      {"add.v2.f32",
       "r2",
       two,
       {0x3fc00000u, 0},
       {0x40100000u, 0x3f800000u},
       {0x40700000u, 0x3f800000u}},
      {"add.v4.f32",
       "r4",
       four,
       {0x3fc00000u, 0, 1, 0x3f800000u},
       {0x40100000u, 0x3f800000u, 1, 0},
       {0x40700000u, 0x3f800000u, 0, 0x3f800000u}},
      {"add.f64", "d1", one, {0, 0x3ff80000u}, {0, 0x40020000u}, {0, 0x400e0000u}},
      // 1 + 2, -3 + 0.5
      {"add.f16x2", "r1", one, {0xc2003c00u}, {0x38004000u}, {0xc1004200u}},
      {"add.v2.f16", "h2", two, {0xc2003c00u}, {0x38004000u}, {0xc1004200u}},
      {"add.v4.f16x2",
       "r4",
       four,
       {0xc2003c00u, 0, 0x3c00u, 0x3c000000u},
       {0x38004000u, 0x3c00u, 0x3c00u, 0},
       {0xc1004200u, 0x3c00u, 0x4000u, 0x3c000000u}},
      {"max.v2.f16x2", "r2", two, {0xc2003c00u, 0}, {0x38004000u, 0x80008000u}, {0x38004000u, 0}},
      {"min.v2.f16x2",
       "r2",
       two,
       {0xc2003c00u, 0},
       {0x38004000u, 0x80008000u},
       {0xc2003c00u, 0x80008000u}},
      {"add.bf16x2", "r1", one, {0xc0403f80u}, {0x3f004000u}, {0xc0204040u}},
      {"max.v2.bf16", "h2", two, {0xc0403f80u}, {0x3f004000u}, {0x3f004000u}},
  };
  return all;
}

}  // namespace

TEST_CASE("multimem.st goes to all devices") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const Team both;
  const DeviceBlock values(32);
  set(values.address(), {1, 2, 3, 4});
  for (const char* order : {"", ".weak", ".relaxed.sys", ".release.gpu"}) {
    CAPTURE(order);
    for (unsigned device = 0; device < team; ++device) set(both.device(device), {9, 9, 9, 9});
    const std::string st = std::string("multimem.st") + order + ".global";
    CHECK(run(st + ".v4.f32 [%a], {%v0, %v1, %v2, %v3};", "r4", both.both(), values.address()) ==
          CUDA_SUCCESS);
    for (unsigned device = 0; device < team; ++device)
      CHECK(get(both.device(device)) == Words{1, 2, 3, 4});
  }
  CHECK(run("multimem.st.u64 [%a+8], %v0;", "d1", both.both(), values.address()) == CUDA_SUCCESS);
  CHECK(run("multimem.st.v2.bf16 [%a+4], {%v0, %v1};", "h2", both.both(), values.address()) ==
        CUDA_SUCCESS);
  for (unsigned device = 0; device < team; ++device)
    CHECK(get(both.device(device)) == Words{1, 1, 1, 2});
}

TEST_CASE("multimem.ld_reduce combines what the devices have") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const Team both;
  const DeviceBlock values(32);
  for (const Reduction& one_of : reductions()) {
    CAPTURE(one_of.operation);
    set(both.device(0), one_of.first);
    set(both.device(1), one_of.second);
    set(values.address() + 16, {});
    CHECK(run("multimem.ld_reduce.relaxed.sys.global." + std::string(one_of.operation) + " " +
                  one_of.operand + ", [%a];",
              one_of.kind, both.both(), values.address()) == CUDA_SUCCESS);
    CHECK(get(values.address() + 16) == one_of.result);
    CHECK(get(both.device(0)) == one_of.first);
    CHECK(get(both.device(1)) == one_of.second);
  }
  // 2048 + 1.5 is 2049.5, between two f16: once rounded it is 2050 both ways.
  set(both.device(0), {0x68006800u});
  set(both.device(1), {0x3e003e00u});
  CHECK(run("multimem.ld_reduce.add.acc::f32.f16x2 %v0, [%a];", "r1", both.both(),
            values.address()) == CUDA_SUCCESS);
  CHECK(get(values.address() + 16)[0] == 0x68016801u);
}

TEST_CASE("floats of 8 bits are combined, too") {
  if (!has_multicast()) return;
  const CurrentContext context;
  int major = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) ==
          CUDA_SUCCESS);
  if (major != 10) return;
  const Team both;
  const DeviceBlock values(32);
  // As e4m3: 1, 2, -1, 448; as e5m2: 0.5, 2, -0.5, NaN.
  set(both.device(0), {0x7eb84038u});
  set(both.device(1), {0x00383840u});
  const auto result = [&](const std::string& operation, const char* kind, const char* operand) {
    CHECK(run("multimem.ld_reduce." + operation + " " + operand + ", [%a];", kind, both.both(),
              values.address(), 1, blackwell) == CUDA_SUCCESS);
    return get(values.address() + 16)[0];
  };
  CHECK(result("add.e4m3x4", "r1", one) == 0x7e004444u);
  CHECK(result("add.acc::f16.e4m3x4", "r1", one) == 0x7e004444u);
  CHECK(result("min.e4m3x4", "r1", one) == 0x00b83838u);
  CHECK(result("max.v2.e4m3x2", "h2", two) == 0x7e384040u);
  CHECK((result("add.e5m2x4", "r1", one) & 0xffffffu) == 0x4141u);
  set(values.address(), {0x12345678u});
  CHECK(run("multimem.st.v2.e5m2x2 [%a], {%v0, %v1};", "h2", both.both(), values.address(), 1,
            blackwell) == CUDA_SUCCESS);
  for (unsigned device = 0; device < team; ++device)
    CHECK(get(both.device(device))[0] == 0x12345678u);
}

TEST_CASE("multimem.red changes all devices") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const Team both;
  const DeviceBlock values(32);
  for (const Reduction& one_of : reductions()) {
    CAPTURE(one_of.operation);
    for (unsigned device = 0; device < team; ++device) set(both.device(device), one_of.first);
    set(values.address(), one_of.second);
    CHECK(run("multimem.red.release.gpu.global." + std::string(one_of.operation) + " [%a], " +
                  one_of.operand + ";",
              one_of.kind, both.both(), values.address()) == CUDA_SUCCESS);
    Words expected = one_of.first;
    const std::size_t words = std::string(one_of.kind) == "r4" ? 4 : one_of.kind[1] == '2' ? 2 : 1;
    const std::size_t changed = one_of.kind[0] == 'd' ? 2 : one_of.kind[0] == 'h' ? 1 : words;
    for (std::size_t i = 0; i < changed; ++i) expected.at(i) = one_of.result.at(i);
    for (unsigned device = 0; device < team; ++device) CHECK(get(both.device(device)) == expected);
  }
}

TEST_CASE("multimem.red of many threads loses nothing") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const Team both;
  const DeviceBlock values(32);
  set(values.address(), {3});
  for (unsigned device = 0; device < team; ++device) set(both.device(device), {device});
  CHECK(run("multimem.red.add.u32 [%a], %v0;", "r1", both.both(), values.address(), 1000) ==
        CUDA_SUCCESS);
  for (unsigned device = 0; device < team; ++device)
    CHECK(get(both.device(device))[0] == 3000 + device);
}
