// SPDX-License-Identifier: MIT
// Two devices with memory under one address, and kernels of one instruction there.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

#include "driver/driver.h"

namespace driver_test {

inline constexpr unsigned team = 2;

inline bool has_multicast() {
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

inline CUmulticastObjectProp properties(std::size_t bytes = 0) {
  CUmulticastObjectProp made{};
  made.numDevices = team;
  made.size = bytes;
  return made;
}

inline std::size_t granularity() {
  const CUmulticastObjectProp made = properties(1);
  std::size_t bytes = 0;
  REQUIRE(CU(cuMulticastGetGranularity)(&bytes, &made, CU_MULTICAST_GRANULARITY_MINIMUM) ==
          CUDA_SUCCESS);
  return bytes;
}

inline std::array<CUmemAccessDesc, team> for_all() {
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

inline CUmemGenericAllocationHandle memory_of(int device, std::size_t bytes) {
  CUmemAllocationProp made{};
  made.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  made.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  made.location.id = device;
  CUmemGenericAllocationHandle handle = 0;
  REQUIRE(CU(cuMemCreate)(&handle, bytes, &made, 0) == CUDA_SUCCESS);
  return handle;
}

inline CUmemGenericAllocationHandle object_of(std::size_t bytes) {
  const CUmulticastObjectProp made = properties(bytes);
  CUmemGenericAllocationHandle handle = 0;
  REQUIRE(CU(cuMulticastCreate)(&handle, &made) == CUDA_SUCCESS);
  return handle;
}

inline CUmemGenericAllocationHandle whole_object_of(std::size_t bytes) {
  const CUmemGenericAllocationHandle handle = object_of(bytes);
  for (unsigned device = 0; device < team; ++device)
    REQUIRE(CU(cuMulticastAddDevice)(handle, static_cast<int>(device)) == CUDA_SUCCESS);
  return handle;
}

inline CUmemGenericAllocationHandle bound(
    const std::array<CUmemGenericAllocationHandle, team>& memories, std::size_t bytes) {
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

inline void set(CUdeviceptr memory, const Words& words) {
  REQUIRE(CU(cuMemcpyHtoD_v2)(memory, words.data(), sizeof words) == CUDA_SUCCESS);
}

inline Words get(CUdeviceptr memory) {
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

inline Registers registers_of(const std::string& kind) {
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

inline constexpr const char* hopper = ".version 8.2\n.target sm_90";
inline constexpr const char* blackwell = ".version 8.6\n.target sm_100a";

/// Runs one instruction, whose values are those registers, with the object's address in %a.
inline CUresult run(const std::string& instruction, const std::string& kind, CUdeviceptr address,
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

}  // namespace driver_test
