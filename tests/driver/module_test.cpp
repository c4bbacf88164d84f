// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

TEST_CASE("functions and variables of a module are found by name") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  CUfunction function = nullptr;
  CUfunction again = nullptr;
  CHECK(CU(cuModuleGetFunction)(&function, module.handle(), "fill") == CUDA_SUCCESS);
  CHECK(CU(cuModuleGetFunction)(&again, module.handle(), "fill") == CUDA_SUCCESS);
  CHECK(function == again);
  CHECK(CU(cuModuleGetFunction)(&function, module.handle(), "absent") == CUDA_ERROR_NOT_FOUND);
  CHECK(CU(cuModuleGetFunction)(&function, module.handle(), nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleGetFunction)(nullptr, module.handle(), "fill") == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleGetFunction)(&function, nullptr, "fill") == CUDA_ERROR_INVALID_HANDLE);
  CUdeviceptr variable = 0;
  size_t bytes = 0;
  REQUIRE(CU(cuModuleGetGlobal_v2)(&variable, &bytes, module.handle(), "counters") == CUDA_SUCCESS);
  CHECK(bytes == 16);
  unsigned values[4] = {};
  REQUIRE(CU(cuMemcpyDtoH_v2)(values, variable, 16) == CUDA_SUCCESS);
  CHECK(values[0] == 1);
  CHECK(values[3] == 4);
  CHECK(CU(cuModuleGetGlobal_v2)(&variable, nullptr, module.handle(), "factor") == CUDA_SUCCESS);
  CHECK(CU(cuModuleGetGlobal_v2)(nullptr, nullptr, module.handle(), "factor") ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleGetGlobal_v2)(&variable, &bytes, module.handle(), "absent") ==
        CUDA_ERROR_NOT_FOUND);
}

TEST_CASE("a module lists its functions and they know their names") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  unsigned count = 0;
  REQUIRE(CU(cuModuleGetFunctionCount)(&count, module.handle()) == CUDA_SUCCESS);
  CHECK(count == 12);
  CUfunction functions[16] = {};
  REQUIRE(CU(cuModuleEnumerateFunctions)(functions, 16, module.handle()) == CUDA_SUCCESS);
  bool seen = false;
  for (unsigned i = 0; i < count; ++i) {
    const char* name = nullptr;
    REQUIRE(CU(cuFuncGetName)(&name, functions[i]) == CUDA_SUCCESS);
    seen = seen || std::strcmp(name, "reverse") == 0;
  }
  CHECK(seen);
  CUmodule owner = nullptr;
  CHECK(CU(cuFuncGetModule)(&owner, functions[0]) == CUDA_SUCCESS);
  CHECK(owner == module.handle());
}

TEST_CASE("no function at all has no name, no module and no parameters") {
  const CurrentContext context;
  const char* name = nullptr;
  CUmodule module = nullptr;
  std::size_t offset = 0, bytes = 0;
  CHECK(CU(cuFuncGetName)(&name, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuKernelGetName)(&name, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuFuncGetModule)(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuFuncGetParamInfo)(nullptr, 0, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuKernelGetParamInfo)(nullptr, 0, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
  int registers = 0;
  CHECK(CU(cuFuncGetAttribute)(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuFuncLoad)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("a kernel's parameters are told in a context only") {
  if (!has_symbol("cuKernelGetParamInfo")) return;  // before CUDA 12.4
  const CurrentContext context;
  CUlibrary library = nullptr;
  REQUIRE(CU(cuLibraryLoadData)(&library, kernels_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  CUkernel kernel = nullptr;
  REQUIRE(CU(cuLibraryGetKernel)(&kernel, library, "reverse") == CUDA_SUCCESS);
  std::size_t offset = 7, bytes = 0;
  CHECK(CU(cuKernelGetParamInfo)(kernel, 0, &offset, &bytes) == CUDA_SUCCESS);
  CHECK(offset == 0);
  CUcontext current = nullptr;
  REQUIRE(CU(cuCtxPopCurrent_v2)(&current) == CUDA_SUCCESS);
  CHECK(CU(cuKernelGetParamInfo)(kernel, 0, &offset, &bytes) == CUDA_ERROR_INVALID_CONTEXT);
  REQUIRE(CU(cuCtxPushCurrent_v2)(current) == CUDA_SUCCESS);
  CHECK(CU(cuLibraryUnload)(library) == CUDA_SUCCESS);
}

TEST_CASE("what is no image is refused") {
  const CurrentContext context;
  CUmodule module = nullptr;
  CHECK(CU(cuModuleLoadData)(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleLoadData)(nullptr, kernels_ptx) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleLoadData)(&module, "garbage") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(CU(cuModuleLoadData)(&module, "") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(CU(cuModuleLoad)(&module, "/nonexistent/module.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(CU(cuModuleUnload)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuModuleLoadData)(&module, ".version 99.0\n.target sm_52\n.address_size 64\n") ==
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST_CASE("malformed PTX is an error with its line in the error log") {
  const CurrentContext context;
  char info[4096] = "";
  char error[4096] = "";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {info, reinterpret_cast<void*>(sizeof info), error,
                    reinterpret_cast<void*>(sizeof error)};
  CUmodule module = nullptr;
  const char* ptx =
      ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k()\n{\n  frobnicate.u32 "
      "%r1;\n  ret;\n}\n";
  CHECK(CU(cuModuleLoadDataEx)(&module, ptx, 4, options, values) == CUDA_ERROR_INVALID_PTX);
  const std::string text = error;
  CHECK(text.find("frobnicate") != std::string::npos);
  CHECK(text.find('6') != std::string::npos);
  CHECK(reinterpret_cast<size_t>(values[3]) >= text.size());
  CHECK(reinterpret_cast<size_t>(values[3]) <= text.size() + 1);
}

TEST_CASE("a kernel that declares more shared memory than there is without asking is refused") {
  const CurrentContext context;
  // NVIDIA's assembler takes all that a block may ask for from version 13 on.
  int version = 0, most = 0;
  REQUIRE(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
  const bool takes_all = !is_cpu_driver() && version >= 13000;
  REQUIRE(CU(cuDeviceGetAttribute)(&most,
                                   takes_all ? CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
                                             : CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                                   0) == CUDA_SUCCESS);
  const auto tile_of = [](int bytes) {
    return ".shared .b8 tile[" + std::to_string(bytes) + "];\n";
  };
  const auto load = [](const std::string& variables, const std::string& uses, std::string* said) {
    char error[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {error, reinterpret_cast<void*>(sizeof error)};
    const std::string ptx =
        ".version 7.0\n.target sm_52\n.address_size 64\n" + variables +
        ".visible .entry large()\n{\n" + uses + "  ret;\n}\n" +
        ".visible .entry small()\n{\n  .shared .b8 own[40000];\n  st.shared.u8 [own], 1;\n"
        "  ret;\n}\n";
    CUmodule module = nullptr;
    const CUresult result = CU(cuModuleLoadDataEx)(&module, ptx.c_str(), 2, options, values);
    if (result == CUDA_SUCCESS) CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
    *said = error;
    return result;
  };
  std::string said;
  CHECK(load(tile_of(most), "  st.shared.u8 [tile], 1;\n", &said) == CUDA_SUCCESS);
  CHECK(load(tile_of(most + 1), "  st.shared.u8 [tile], 1;\n", &said) == CUDA_ERROR_INVALID_PTX);
  CHECK(said.find("'large'") != std::string::npos);
  CHECK(said.find("'small'") == std::string::npos);
  CHECK(said.find("too much shared data") != std::string::npos);
  if (is_cpu_driver()) {
    CHECK(said.find("49153 bytes are declared, 49152 are allowed") != std::string::npos);
    // More than a number of 32 bits can tell.
    CHECK(load(".shared .b8 tile[4294967300];\n", "  st.shared.u8 [tile], 1;\n", &said) ==
          CUDA_ERROR_INVALID_PTX);
  }
}

TEST_CASE("a log buffer is never overrun") {
  const CurrentContext context;
  char error[16];
  std::memset(error, 'x', sizeof error);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {error, reinterpret_cast<void*>(size_t{8})};
  CUmodule module = nullptr;
  const char* ptx =
      ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k()\n{\n  frobnicate;\n}\n";
  CHECK(CU(cuModuleLoadDataEx)(&module, ptx, 2, options, values) == CUDA_ERROR_INVALID_PTX);
  CHECK(error[8] == 'x');
  CHECK(std::memchr(error, '\0', 8) != nullptr);
}

TEST_CASE("options that CUDA does not have are refused") {
  const CurrentContext context;
  CUjit_option options[] = {outside<CUjit_option>(99)};
  void* values[] = {nullptr};
  CUmodule module = nullptr;
  CHECK(CU(cuModuleLoadDataEx)(&module, kernels_ptx, 1, options, values) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a module can be loaded from a file") {
  const CurrentContext context;
  const std::string path = std::string(std::tmpnam(nullptr)) + ".ptx";
  FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs(kernels_ptx, file);
  std::fclose(file);
  CUmodule module = nullptr;
  CHECK(CU(cuModuleLoad)(&module, path.c_str()) == CUDA_SUCCESS);
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  if (is_cpu_driver()) CHECK(CU(cuModuleUnload)(module) == CUDA_ERROR_INVALID_HANDLE);
  std::remove(path.c_str());
}

TEST_CASE("two loads of one text have variables of their own") {
  const CurrentContext context;
  const LoadedModule first(kernels_ptx);
  const LoadedModule second(kernels_ptx);
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  REQUIRE(CU(cuModuleGetGlobal_v2)(&a, nullptr, first.handle(), "counters") == CUDA_SUCCESS);
  REQUIRE(CU(cuModuleGetGlobal_v2)(&b, nullptr, second.handle(), "counters") == CUDA_SUCCESS);
  CHECK(a != b);
  REQUIRE(CU(cuMemsetD32_v2)(a, 0, 4) == CUDA_SUCCESS);
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, b, 4) == CUDA_SUCCESS);
  CHECK(value == 1);
}

TEST_CASE("function attributes tell the kernel's needs") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const auto get = [&](const char* name, CUfunction_attribute attribute) {
    int value = -77;
    REQUIRE(CU(cuFuncGetAttribute)(&value, attribute, module.function(name)) == CUDA_SUCCESS);
    return value;
  };
  CHECK(get("empty", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 1024);
  CHECK(get("at_most_128", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 128);
  CHECK(get("with_static_shared", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) == 1024);
  CHECK(get("with_static_shared", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) ==
        48 * 1024 - 1024);
  CHECK(get("empty", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) == 48 * 1024);
  CHECK(get("empty", CU_FUNC_ATTRIBUTE_PTX_VERSION) == 52);
  CHECK(get("empty", CU_FUNC_ATTRIBUTE_NUM_REGS) > 0);
  CHECK(get("empty", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) == -1);
  int value = 0;
  CHECK(CU(cuFuncGetAttribute)(&value, outside<CUfunction_attribute>(99),
                               module.function("empty")) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("attributes of a function that can be set have bounds") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction function = module.function("with_static_shared");
  int optin = 0;
  REQUIRE(CU(cuDeviceGetAttribute)(&optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                   0) == CUDA_SUCCESS);
  const auto set = [&](CUfunction_attribute attribute, int value) {
    return CU(cuFuncSetAttribute)(function, attribute, value);
  };
  CHECK(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, optin - 1024) == CUDA_SUCCESS);
  CHECK(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50) == CUDA_SUCCESS);
  CHECK(set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101) == CUDA_ERROR_INVALID_VALUE);
  CHECK(set(CU_FUNC_ATTRIBUTE_NUM_REGS, 1) == CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  CHECK(CU(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function) ==
        CUDA_SUCCESS);
  CHECK(value == optin - 1024);
  CHECK(CU(cuFuncSetCacheConfig)(function, CU_FUNC_CACHE_PREFER_L1) == CUDA_SUCCESS);
  CHECK(CU(cuFuncSetCacheConfig)(function, outside<CUfunc_cache>(77)) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("parameters are described by offset and size") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const CUfunction function = module.function("store");
  size_t offset = 77;
  size_t bytes = 77;
  CHECK(CU(cuFuncGetParamInfo)(function, 0, &offset, &bytes) == CUDA_SUCCESS);
  CHECK(offset == 0);
  CHECK(bytes == 8);
  CHECK(CU(cuFuncGetParamInfo)(function, 1, &offset, &bytes) == CUDA_SUCCESS);
  CHECK(offset == 8);
  CHECK(bytes == 4);
  CHECK(CU(cuFuncGetParamInfo)(function, 2, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("the linker joins a kernel with the function it calls") {
  const CurrentContext context;
  char caller[] =
      ".version 7.0\n.target sm_52\n.address_size 64\n.extern .func (.param .b32 r) twice(.param "
      ".b32 x);\n"
      ".visible .entry k(.param .u64 to)\n{\n  .reg .u64 %rd1;\n  .reg .b32 %r1;\n  ld.param.u64 "
      "%rd1, [to];\n"
      "  {\n  .param .b32 x;\n  .param .b32 r;\n  st.param.b32 [x], 21;\n  call.uni (r), twice, "
      "(x);\n"
      "  ld.param.b32 %r1, [r];\n  }\n  st.global.b32 [%rd1], %r1;\n  ret;\n}\n";
  char callee[] =
      ".version 7.0\n.target sm_52\n.address_size 64\n.visible .func (.param .b32 r) twice(.param "
      ".b32 x)\n{\n"
      "  .reg .b32 %r<3>;\n  ld.param.b32 %r1, [x];\n  add.s32 %r2, %r1, %r1;\n  st.param.b32 [r], "
      "%r2;\n  ret;\n}\n";
  CUlinkState state = nullptr;
  REQUIRE(CU(cuLinkCreate_v2)(0, nullptr, nullptr, &state) == CUDA_SUCCESS);
  CHECK(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, nullptr,
                             nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, nullptr,
                             nullptr) == CUDA_SUCCESS);
  void* image = nullptr;
  size_t bytes = 0;
  REQUIRE(CU(cuLinkComplete)(state, &image, &bytes) == CUDA_SUCCESS);
  CHECK(bytes > 0);
  const std::string copied(static_cast<const char*>(image), bytes);
  CHECK(CU(cuLinkDestroy)(state) == CUDA_SUCCESS);
  const LoadedModule module(copied.data());
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  void* parameters[] = {&to};
  REQUIRE(CU(cuLaunchKernel)(module.function("k"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                             nullptr) == CUDA_SUCCESS);
  unsigned value = 0;
  REQUIRE(CU(cuMemcpyDtoH_v2)(&value, to, 4) == CUDA_SUCCESS);
  CHECK(value == 42);
}

TEST_CASE("what cannot be linked is refused") {
  const CurrentContext context;
  CUlinkState state = nullptr;
  REQUIRE(CU(cuLinkCreate_v2)(0, nullptr, nullptr, &state) == CUDA_SUCCESS);
  char bad[] = "bad";
  CHECK(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, bad, sizeof bad, "b", 0, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_IMAGE);
  CHECK(CU(cuLinkAddFile_v2)(state, CU_JIT_INPUT_PTX, "/nonexistent", 0, nullptr, nullptr) ==
        CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(CU(cuLinkDestroy)(state) == CUDA_SUCCESS);
  REQUIRE(CU(cuLinkCreate_v2)(0, nullptr, nullptr, &state) == CUDA_SUCCESS);
  char open_end[] =
      ".version 7.0\n.target sm_52\n.address_size 64\n.extern .func absent();\n"
      ".visible .entry k()\n{\n  call absent;\n  ret;\n}\n";
  CHECK(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, open_end, sizeof open_end, "c", 0, nullptr,
                             nullptr) == CUDA_SUCCESS);
  void* image = nullptr;
  size_t bytes = 0;
  const CUresult linked = CU(cuLinkComplete)(state, &image, &bytes);
  if (is_cpu_driver()) {
    CHECK(linked == CUDA_ERROR_INVALID_SOURCE);
    CHECK(image == nullptr);
    CHECK(bytes == 0);
  } else {
    // CUDA names no code for an open end, and NVIDIA's drivers differ; it is none that means
    // something else.
    for (const CUresult other :
         {CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED,
          CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_OUT_OF_MEMORY,
          CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED}) {
      CHECK(linked != other);
    }
  }
  CHECK(CU(cuLinkDestroy)(state) == CUDA_SUCCESS);
}

TEST_CASE("a library needs no context until it is used, and its kernels launch as functions do") {
  initialise();
  CUlibrary library = nullptr;
  REQUIRE(CU(cuLibraryLoadData)(&library, kernels_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  CUkernel kernel = nullptr;
  CHECK(CU(cuLibraryGetKernel)(&kernel, library, "absent") == CUDA_ERROR_NOT_FOUND);
  REQUIRE(CU(cuLibraryGetKernel)(&kernel, library, "store") == CUDA_SUCCESS);
  CUdeviceptr variable = 0;
  size_t bytes = 0;
  CHECK(CU(cuLibraryGetGlobal)(&variable, &bytes, library, "counters") ==
        CUDA_ERROR_INVALID_CONTEXT);
  int registers = 0;
  CHECK(CU(cuKernelGetAttribute)(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0) ==
        CUDA_SUCCESS);
  CHECK(CU(cuKernelGetAttribute)(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  {
    const CurrentContext context;
    CHECK(CU(cuLibraryGetGlobal)(&variable, &bytes, library, "counters") == CUDA_SUCCESS);
    CHECK(bytes == 16);
    CHECK(CU(cuLibraryGetManaged)(&variable, &bytes, library, "counters") == CUDA_ERROR_NOT_FOUND);
    const DeviceBlock block(4);
    CUdeviceptr to = block.address();
    unsigned value = 99;
    void* parameters[] = {&to, &value};
    REQUIRE(CU(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr,
                               parameters, nullptr) == CUDA_SUCCESS);
    unsigned seen = 0;
    REQUIRE(CU(cuMemcpyDtoH_v2)(&seen, to, 4) == CUDA_SUCCESS);
    CHECK(seen == 99);
    CUfunction function = nullptr;
    CUmodule module = nullptr;
    REQUIRE(CU(cuKernelGetFunction)(&function, kernel) == CUDA_SUCCESS);
    REQUIRE(CU(cuLibraryGetModule)(&module, library) == CUDA_SUCCESS);
    CHECK(CU(cuModuleUnload)(module) == CUDA_ERROR_NOT_PERMITTED);
    CHECK(CU(cuKernelSetAttribute)(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000, kernel,
                                   0) == CUDA_SUCCESS);
    int limit = 0;
    CHECK(CU(cuFuncGetAttribute)(&limit, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 function) == CUDA_SUCCESS);
    CHECK(limit == 1000);
  }
  unsigned count = 0;
  REQUIRE(CU(cuLibraryGetKernelCount)(&count, library) == CUDA_SUCCESS);
  std::vector<CUkernel> kernels(count);
  REQUIRE(CU(cuLibraryEnumerateKernels)(kernels.data(), count, library) == CUDA_SUCCESS);
  CHECK(std::count(kernels.begin(), kernels.end(), kernel) == 1);
  CHECK(CU(cuLibraryGetKernelCount)(nullptr, library) == CUDA_ERROR_INVALID_VALUE);
  CUlibrary of_kernel = nullptr;
  CHECK(CU(cuKernelGetLibrary)(&of_kernel, kernel) == CUDA_SUCCESS);
  CHECK(of_kernel == library);
  CHECK(CU(cuKernelSetCacheConfig)(kernel, CU_FUNC_CACHE_PREFER_L1, 0) == CUDA_SUCCESS);
  CHECK(CU(cuKernelSetCacheConfig)(kernel, CU_FUNC_CACHE_PREFER_L1, 99) ==
        CUDA_ERROR_INVALID_DEVICE);
  CHECK(CU(cuLibraryUnload)(library) == CUDA_SUCCESS);
  CHECK(CU(cuLibraryUnload)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuLibraryLoadFromFile)(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr,
                                  0) == CUDA_ERROR_FILE_NOT_FOUND);
}
