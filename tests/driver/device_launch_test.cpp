// SPDX-License-Identifier: MIT
// Kernels that launch kernels: linking with the device run-time library, and what comes of it.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

// parent(x, n): each of its threads launches add(x, 2) with n threads; x[64] is its last error.
constexpr const char* nested_ptx = R"(
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.extern .func (.param .b32 r) __cudaCDP2GetLastError();

.visible .entry add(.param .u64 to, .param .u32 amount)
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [amount];
  mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  red.global.add.u32 [%rd3], %r1;
  ret;
}

.visible .entry parent(.param .u64 to, .param .u32 threads)
{
  .reg .pred %p; .reg .b64 %rd<8>; .reg .b32 %r<8>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [threads];
  mov.u64 %rd2, add;
  {
    .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b64 [k], %rd2;
    st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], %r1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    st.param.b32 [s], 0;
    call.uni (r), __cudaCDP2GetParameterBufferV2, (k, g, b, s);
    ld.param.b64 %rd3, [r];
  }
  setp.eq.u64 %p, %rd3, 0;
  @%p bra done;
  st.u64 [%rd3], %rd1;
  st.u32 [%rd3+8], 2;
  {
    .param .b64 p; .param .b64 s; .param .b32 r;
    st.param.b64 [p], %rd3;
    st.param.b64 [s], 0;
    call.uni (r), __cudaCDP2LaunchDeviceV2, (p, s);
    ld.param.b32 %r2, [r];
  }
done:
  {
    .param .b32 r;
    call.uni (r), __cudaCDP2GetLastError, ();
    ld.param.b32 %r3, [r];
  }
  cvta.to.global.u64 %rd4, %rd1;
  st.global.u32 [%rd4+256], %r3;
  ret;
}
)";

struct Link {
  Link() {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    REQUIRE(CU(cuLinkCreate_v2)(2, options, values, &state) == CUDA_SUCCESS);
  }
  ~Link() { CU(cuLinkDestroy)(state); }
  CUresult add(CUjitInputType type, const std::string& data, const char* name) {
    return CU(cuLinkAddData_v2)(state, type, const_cast<char*>(data.data()), data.size(), name, 0,
                                nullptr, nullptr);
  }
  CUlinkState state = nullptr;
  char log[4096] = {};
  /// The driver writes to them as long as there is the state.
  void* values[2] = {log, reinterpret_cast<void*>(sizeof log)};
};

CUmodule load_nested() {
  Link link;
  REQUIRE(link.add(CU_JIT_INPUT_PTX, nested_ptx, "nested.ptx") == CUDA_SUCCESS);
  REQUIRE(link.add(CU_JIT_INPUT_LIBRARY, device_runtime(), "libcudadevrt.a") == CUDA_SUCCESS);
  void* image = nullptr;
  std::size_t bytes = 0;
  REQUIRE(CU(cuLinkComplete)(link.state, &image, &bytes) == CUDA_SUCCESS);
  CUmodule module = nullptr;
  REQUIRE(CU(cuModuleLoadData)(&module, image) == CUDA_SUCCESS);
  return module;
}

}  // namespace

TEST_CASE(
    "a module that launches kernels needs the device run-time library, and the log names it") {
  if (!is_cpu_driver()) return;  // a GPU's takes no stand-in for the library
  const CurrentContext context;
  Link link;
  REQUIRE(link.add(CU_JIT_INPUT_PTX, nested_ptx, "nested.ptx") == CUDA_SUCCESS);
  void* image = nullptr;
  CHECK(CU(cuLinkComplete)(link.state, &image, nullptr) == CUDA_ERROR_INVALID_SOURCE);
  CHECK(std::string(link.log).find("'__cudaCDP2LaunchDeviceV2' in 'nested.ptx'") !=
        std::string::npos);
  CHECK(std::string(link.log).find("cudadevrt") != std::string::npos);
  CUmodule module = nullptr;
  CHECK(CU(cuModuleLoadData)(&module, nested_ptx) == CUDA_ERROR_INVALID_PTX);
}

TEST_CASE("a part of a program that is the library's own code stands for the library") {
  if (!is_cpu_driver()) return;  // a GPU's takes no stand-in for the library
  const CurrentContext context;
  const std::string own_code = R"(
.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cnpGetParameterBufferV2
(.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cnpLaunchDeviceV2
(.param .b64 p, .param .b64 s);
)";
  Link link;
  REQUIRE(link.add(CU_JIT_INPUT_PTX, nested_ptx, "nested.ptx") == CUDA_SUCCESS);
  REQUIRE(link.add(CU_JIT_INPUT_PTX, own_code, "part") == CUDA_SUCCESS);
  void* image = nullptr;
  CHECK(CU(cuLinkComplete)(link.state, &image, nullptr) == CUDA_SUCCESS);
}

TEST_CASE("the library is taken from a file too, other archives and other types are not") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const std::string archive = "!<arch>\n";
  char folder[] = "/tmp/pycuda-devrt-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/libcudadevrt.a";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  std::fwrite(archive.data(), 1, archive.size(), file);
  std::fclose(file);
  Link link;
  CHECK(CU(cuLinkAddFile_v2)(link.state, CU_JIT_INPUT_LIBRARY, path.c_str(), 0, nullptr, nullptr) ==
        CUDA_SUCCESS);
  CHECK(link.add(CU_JIT_INPUT_LIBRARY, archive, "libother.a") != CUDA_SUCCESS);
  CHECK(link.add(CU_JIT_INPUT_PTX, archive, "libcudadevrt.a") != CUDA_SUCCESS);
  std::remove(path.c_str());
  std::remove(folder);
}

TEST_CASE("what is behind a launch in its stream sees what all children have written") {
  if (device_runtime().empty()) return;
  const CurrentContext context;
  CUmodule module = load_nested();
  CUfunction parent = nullptr;
  REQUIRE(CU(cuModuleGetFunction)(&parent, module, "parent") == CUDA_SUCCESS);
  const DeviceBlock block(1024);
  CUdeviceptr to = block.address();
  std::uint32_t threads = 48, seen[65];
  void* parameters[] = {&to, &threads};
  for (const unsigned size : {1u, 32u, 40u, 100u}) {
    REQUIRE(CU(cuMemsetD8_v2)(to, 0, 1024) == CUDA_SUCCESS);
    REQUIRE(CU(cuLaunchKernel)(parent, 2, 1, 1, size, 1, 1, 0, nullptr, parameters, nullptr) ==
            CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyDtoH_v2)(seen, to, sizeof seen) == CUDA_SUCCESS);
    CHECK(seen[0] == 2 * 2 * size);
    CHECK(seen[47] == 2 * 2 * size);
    CHECK(seen[48] == 0);
    CHECK(seen[64] == 0);
  }
  threads = 1025;
  REQUIRE(CU(cuMemsetD8_v2)(to, 0, 1024) == CUDA_SUCCESS);
  REQUIRE(CU(cuLaunchKernel)(parent, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyDtoH_v2)(seen, to, sizeof seen) == CUDA_SUCCESS);
  CHECK(seen[0] == 0);
  CHECK(seen[64] == 9);  // cudaErrorInvalidConfiguration
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
}

TEST_CASE("the number of pending launches is a limit of the context") {
  const CurrentContext context;
  std::size_t most = 0;
  REQUIRE(CU(cuCtxGetLimit)(&most, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT) == CUDA_SUCCESS);
  CHECK(most == 2048);
  REQUIRE(CU(cuCtxSetLimit)(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 4096) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxGetLimit)(&most, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT) == CUDA_SUCCESS);
  CHECK(most == 4096);
}
