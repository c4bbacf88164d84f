// SPDX-License-Identifier: MIT
// Multicast objects, and what multimem instructions read and write there. They need two devices.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr unsigned team = 2;

bool has_multicast() {
  initialise();
  int count = 0;
  REQUIRE(CU(cuDeviceGetCount)(&count) == CUDA_SUCCESS);
  if (count < static_cast<int>(team)) return false;
  for (int device = 0; device < static_cast<int>(team); ++device) {
    int value = 0;
    REQUIRE(CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, device) ==
            CUDA_SUCCESS);
    if (value == 0) return false;
  }
  return true;
}

CUmulticastObjectProp properties(std::size_t bytes = 0) {
  CUmulticastObjectProp made{};
  made.numDevices = team;
  made.size = bytes;
  return made;
}

std::size_t granularity() {
  const CUmulticastObjectProp made = properties(1);
  std::size_t bytes = 0;
  REQUIRE(CU(cuMulticastGetGranularity)(&bytes, &made, CU_MULTICAST_GRANULARITY_MINIMUM) ==
          CUDA_SUCCESS);
  return bytes;
}

std::array<CUmemAccessDesc, team> for_all() {
  std::array<CUmemAccessDesc, team> made{};
  for (unsigned device = 0; device < team; ++device) {
    made.at(device).location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    made.at(device).location.id = static_cast<int>(device);
    made.at(device).flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  return made;
}

/// Memory at addresses of its own, which all devices reach.
class Mapped {
 public:
  Mapped(CUmemGenericAllocationHandle handle, std::size_t bytes) : handle_(handle), bytes_(bytes) {
    REQUIRE(CU(cuMemAddressReserve)(&begin_, bytes, 0, 0, 0) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemMap)(begin_, bytes, 0, handle, 0) == CUDA_SUCCESS);
    const auto access = for_all();
    REQUIRE(CU(cuMemSetAccess)(begin_, bytes, access.data(), access.size()) == CUDA_SUCCESS);
  }
  ~Mapped() {
    CHECK(CU(cuMemUnmap)(begin_, bytes_) == CUDA_SUCCESS);
    CHECK(CU(cuMemAddressFree)(begin_, bytes_) == CUDA_SUCCESS);
    CHECK(CU(cuMemRelease)(handle_) == CUDA_SUCCESS);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  CUdeviceptr begin() const { return begin_; }
  CUmemGenericAllocationHandle handle() const { return handle_; }

 private:
  CUmemGenericAllocationHandle handle_;
  std::size_t bytes_;
  CUdeviceptr begin_ = 0;
};

CUmemGenericAllocationHandle memory_of(int device, std::size_t bytes) {
  CUmemAllocationProp made{};
  made.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  made.location.id = device;
  CUmemGenericAllocationHandle handle = 0;
  REQUIRE(CU(cuMemCreate)(&handle, bytes, &made, 0) == CUDA_SUCCESS);
  return handle;
}

CUmemGenericAllocationHandle object_of(std::size_t bytes) {
  const CUmulticastObjectProp made = properties(bytes);
  CUmemGenericAllocationHandle handle = 0;
  REQUIRE(CU(cuMulticastCreate)(&handle, &made) == CUDA_SUCCESS);
  return handle;
}

CUmemGenericAllocationHandle whole_object_of(std::size_t bytes) {
  const CUmemGenericAllocationHandle handle = object_of(bytes);
  for (unsigned device = 0; device < team; ++device)
    REQUIRE(CU(cuMulticastAddDevice)(handle, static_cast<int>(device)) == CUDA_SUCCESS);
  return handle;
}

CUmemGenericAllocationHandle bound(const std::array<CUmemGenericAllocationHandle, team>& memories,
                                   std::size_t bytes) {
  const CUmemGenericAllocationHandle handle = whole_object_of(bytes);
  for (const CUmemGenericAllocationHandle memory : memories)
    REQUIRE(CU(cuMulticastBindMem)(handle, 0, memory, 0, bytes, 0) == CUDA_SUCCESS);
  return handle;
}

/// Memory of two devices, and both under one address.
class Team {
 public:
  Team()
      : bytes_(granularity()),
        first_(memory_of(0, bytes_), bytes_),
        second_(memory_of(1, bytes_), bytes_),
        both_(bound({first_.handle(), second_.handle()}, bytes_), bytes_) {}
  std::size_t bytes() const { return bytes_; }
  CUdeviceptr device(unsigned number) const {
    return number == 0 ? first_.begin() : second_.begin();
  }
  CUdeviceptr both() const { return both_.begin(); }
  CUmemGenericAllocationHandle object() const { return both_.handle(); }

 private:
  std::size_t bytes_;
  Mapped first_, second_, both_;
};

using Words = std::array<std::uint32_t, 4>;

void set(CUdeviceptr memory, const Words& words) {
  REQUIRE(CU(cuMemcpyHtoD_v2)(memory, words.data(), sizeof words) == CUDA_SUCCESS);
}

Words get(CUdeviceptr memory) {
  Words words{};
  REQUIRE(CU(cuMemcpyDtoH_v2)(words.data(), memory, sizeof words) == CUDA_SUCCESS);
  return words;
}

/// The registers of 16 bytes, as many as the type wants.
struct Registers {
  const char* declare;
  const char* load;   ///< from [%o]
  const char* store;  ///< to [%o+16]
};

Registers registers_of(const std::string& kind) {
  if (kind == "r1")
    return {".reg .b32 %v<4>;", "ld.global.b32 %v0, [%o];", "st.global.b32 [%o+16], %v0;"};
  if (kind == "d1")
    return {".reg .b64 %v<4>;", "ld.global.b64 %v0, [%o];", "st.global.b64 [%o+16], %v0;"};
  if (kind == "r4")
    return {".reg .b32 %v<4>;", "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%o];",
            "st.global.v4.b32 [%o+16], {%v0, %v1, %v2, %v3};"};
  if (kind == "r2")
    return {".reg .b32 %v<4>;", "ld.global.v2.b32 {%v0, %v1}, [%o];",
            "st.global.v2.b32 [%o+16], {%v0, %v1};"};
  return {".reg .b16 %v<4>;", "ld.global.v2.b16 {%v0, %v1}, [%o];",
          "st.global.v2.b16 [%o+16], {%v0, %v1};"};
}

constexpr const char* hopper = ".version 8.2\n.target sm_90";
constexpr const char* blackwell = ".version 8.6\n.target sm_100a";

/// Runs one instruction, whose values are those registers, with the object's address in %a.
CUresult run(const std::string& instruction, const std::string& kind, CUdeviceptr address,
             CUdeviceptr values, unsigned threads = 1, const char* target = hopper) {
  const Registers registers = registers_of(kind);
  const bool loads = instruction.find("ld_reduce") != std::string::npos;
  const std::string text = std::string(target) + R"(
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 o) {
  .reg .b64 %a, %o;
  )" + registers.declare + "\n  ld.param.u64 %a, [a];\n  ld.param.u64 %o, [o];\n  " +
                           (loads ? "" : registers.load) + "\n  " + instruction + "\n  " +
                           (loads ? registers.store : "") + "\n  ret;\n}\n";
  const LoadedModule module(text.c_str());
  void* parameters[] = {&address, &values};
  const CUresult status = CU(cuLaunchKernel)(module.function("k"), 1, 1, 1, threads, 1, 1, 0,
                                             nullptr, parameters, nullptr);
  return status == CUDA_SUCCESS ? CU(cuCtxSynchronize)() : status;
}

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

TEST_CASE("devices without multicast refuse its objects") {
  const CurrentContext context;
  int value = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0) ==
          CUDA_SUCCESS);
  if (value != 0) return;
  const CUmulticastObjectProp made = properties(2u << 20);
  CUmemGenericAllocationHandle handle = 0;
  std::size_t bytes = 0;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuMulticastGetGranularity)(&bytes, &made, CU_MULTICAST_GRANULARITY_MINIMUM) ==
        CUDA_ERROR_NOT_SUPPORTED);
}

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

TEST_CASE("memory is bound by address, and taken away") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const Mapped first(memory_of(0, bytes), bytes), second(memory_of(1, bytes), bytes);
  const Mapped both(whole_object_of(2 * bytes), 2 * bytes);
  CHECK(CU(cuMulticastBindAddr)(both.handle(), bytes, first.begin(), bytes, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastBindAddr)(both.handle(), bytes, second.begin(), bytes, 0) == CUDA_SUCCESS);
  const DeviceBlock values(32);
  set(values.address(), {7});
  CHECK(run("multimem.st.u32 [%a], %v0;", "r1", both.begin() + bytes, values.address()) ==
        CUDA_SUCCESS);
  CHECK(get(first.begin())[0] == 7);
  CHECK(get(second.begin())[0] == 7);
  CHECK(CU(cuMulticastUnbind)(both.handle(), 0, bytes, bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastUnbind)(both.handle(), 1, bytes, bytes) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastBindMem)(both.handle(), 0, first.handle(), 0, bytes, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMulticastBindMem)(both.handle(), 0, second.handle(), 0, bytes, 0) == CUDA_SUCCESS);
  set(values.address(), {8});
  CHECK(run("multimem.st.u32 [%a], %v0;", "r1", both.begin(), values.address()) == CUDA_SUCCESS);
  CHECK(get(first.begin())[0] == 8);
  CHECK(get(second.begin())[0] == 8);
}

TEST_CASE("memory is bound when all devices are there") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const std::size_t bytes = granularity();
  const CUmemGenericAllocationHandle object = object_of(bytes);
  const CUmemGenericAllocationHandle memory = memory_of(0, bytes);
  CHECK(CU(cuMulticastAddDevice)(object, 0) == CUDA_SUCCESS);
  std::atomic<bool> starts{false}, added{false};
  std::thread other([&] {
    starts.wait(false);
    added = true;
    CHECK(CU(cuMulticastAddDevice)(object, 1) == CUDA_SUCCESS);
  });
  starts = true;
  starts.notify_one();
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 0) == CUDA_SUCCESS);
  CHECK(added);
  other.join();
  CHECK(CU(cuMemRelease)(object) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(memory) == CUDA_SUCCESS);
}

TEST_CASE("what multicast objects refuse") {
  if (!has_multicast()) return;
  const CurrentContext context;
  const std::size_t bytes = granularity();
  CUmemGenericAllocationHandle handle = 0;
  CUmulticastObjectProp made = properties(bytes);
  CHECK(CU(cuMulticastCreate)(nullptr, &made) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastCreate)(&handle, nullptr) == CUDA_ERROR_INVALID_VALUE);
  made.size = bytes / 2;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
  made = properties(bytes);
  made.numDevices = 0;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
  made = properties(bytes);
  made.flags = 1;
  CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
  std::size_t size = 0;
  CHECK(CU(cuMulticastGetGranularity)(&size, &made, outside<CUmulticastGranularity_flags>(7)) ==
        CUDA_ERROR_INVALID_VALUE);

  const CUmemGenericAllocationHandle object = whole_object_of(bytes);
  const CUmemGenericAllocationHandle memory = memory_of(0, bytes);
  CHECK(CU(cuMulticastAddDevice)(object, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastAddDevice)(object, 99) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes / 2, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, bytes, memory, 0, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, bytes, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMulticastUnbind)(object, 99, 0, bytes) == CUDA_ERROR_INVALID_DEVICE);
  if (is_cpu_driver()) {  // undefined elsewhere
    CHECK(CU(cuMulticastAddDevice)(memory, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastBindMem)(object, 0, object, 0, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastBindAddr)(object, 0, bytes, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastUnbind)(object, 0, 0, bytes) == CUDA_ERROR_INVALID_VALUE);
    CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 0) == CUDA_SUCCESS);
    CHECK(CU(cuMulticastBindMem)(object, 0, memory, 0, bytes, 0) == CUDA_ERROR_INVALID_VALUE);
    made = properties(bytes);
    made.numDevices = 1000;
    CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_INVALID_VALUE);
    made = properties(bytes);
    made.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CHECK(CU(cuMulticastCreate)(&handle, &made) == CUDA_ERROR_NOT_SUPPORTED);
    int descriptor = -1;
    CHECK(CU(cuMemExportToShareableHandle)(&descriptor, object,
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                           0) == CUDA_ERROR_INVALID_VALUE);
  }
  CHECK(CU(cuMemRelease)(object) == CUDA_SUCCESS);
  CHECK(CU(cuMemRelease)(memory) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(CU(cuMulticastAddDevice)(object, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("accesses that a multicast object does not allow are faults") {
  if (!has_multicast() || !is_cpu_driver()) return;  // undefined elsewhere
  struct Wrong {
    const char* instruction;
    std::size_t offset;
    CUresult result;
  };
  for (const Wrong& wrong :
       {Wrong{"multimem.ld_reduce.add.u32 %v0, [%a];", std::size_t{64} << 20,
              CUDA_ERROR_ILLEGAL_ADDRESS},
        Wrong{"multimem.ld_reduce.add.u32 %v0, [%a];", 2, CUDA_ERROR_MISALIGNED_ADDRESS},
        Wrong{"ld.global.u32 %v0, [%a]; // ld_reduce", 0, CUDA_ERROR_ILLEGAL_ADDRESS}}) {
    CAPTURE(wrong.instruction);
    const CurrentContext context;
    const std::size_t bytes = granularity();
    const CUmemGenericAllocationHandle object =
        bound({memory_of(0, bytes), memory_of(1, bytes)}, bytes);
    CUdeviceptr begin = 0;
    REQUIRE(CU(cuMemAddressReserve)(&begin, bytes, 0, 0, 0) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemMap)(begin, bytes, 0, object, 0) == CUDA_SUCCESS);
    const auto access = for_all();
    REQUIRE(CU(cuMemSetAccess)(begin, bytes, access.data(), access.size()) == CUDA_SUCCESS);
    const DeviceBlock values(32);
    CHECK(run(wrong.instruction, "r1", begin + wrong.offset, values.address()) == wrong.result);
  }
}
