// SPDX-License-Identifier: MIT
// CU_JIT_* options that show in what is reported: limits of registers, and where results are
// written.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

/// Keeps 120 values alive at once, so that registers are short.
std::string hungry_kernel(const char* bounds = "") {
  std::string text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) " +
      std::string(bounds) + "{.reg .u64 %rd<2>; .reg .u32 %r<130>; ld.param.u64 %rd1,[p];\n";
  const auto word = [](int i) { return std::to_string(i); };
  for (int i = 0; i < 120; ++i)
    text += "ld.volatile.global.u32 %r" + word(i) + ", [%rd1+" + word(4 * i) + "];\n";
  text += "bar.sync 0;\n";
  for (int i = 0; i < 120; ++i)
    text += "st.volatile.global.u32 [%rd1+" + word(4 * (119 - i)) + "], %r" + word(i) + ";\n";
  return text + "ret;}\n";
}

void* number(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

struct Report {
  CUresult status = CUDA_ERROR_UNKNOWN;
  int registers = 0;
  int blocks = 0;  ///< of 256 threads
};

Report report(CUmodule module) {
  Report told{CUDA_SUCCESS};
  CUfunction function = nullptr;
  REQUIRE(CU(cuModuleGetFunction)(&function, module, "k") == CUDA_SUCCESS);
  CHECK(CU(cuFuncGetAttribute)(&told.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) ==
        CUDA_SUCCESS);
  CHECK(CU(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&told.blocks, function, 256, 0) ==
        CUDA_SUCCESS);
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  return told;
}

Report load(const std::string& ptx, CUjit_option option, std::uintptr_t value) {
  CUmodule module = nullptr;
  void* given = number(value);
  const CUresult status = CU(cuModuleLoadDataEx)(&module, ptx.c_str(), 1, &option, &given);
  return status == CUDA_SUCCESS ? report(module) : Report{status};
}

Report link(const std::string& ptx, CUjit_option option, std::uintptr_t value) {
  CUlinkState state = nullptr;
  void* given = number(value);
  REQUIRE(CU(cuLinkCreate_v2)(1, &option, &given, &state) == CUDA_SUCCESS);
  REQUIRE(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()),
                               ptx.size() + 1, "k", 0, nullptr, nullptr) == CUDA_SUCCESS);
  void* image = nullptr;
  std::size_t bytes = 0;
  REQUIRE(CU(cuLinkComplete)(state, &image, &bytes) == CUDA_SUCCESS);
  CUmodule module = nullptr;
  REQUIRE(CU(cuModuleLoadData)(&module, image) == CUDA_SUCCESS);
  const Report told = report(module);
  CHECK(CU(cuLinkDestroy)(state) == CUDA_SUCCESS);
  return told;
}

/// A module of constants of these sizes.
CUresult load_constants(int first, int second, std::string* error) {
  const std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 a[" +
                           std::to_string(first) + "];\n.visible .const .align 4 .b8 b[" +
                           std::to_string(second) + "];\n.visible .entry k(){ret;}\n";
  char log[1000] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, number(sizeof log)};
  CUmodule module = nullptr;
  const CUresult status = CU(cuModuleLoadDataEx)(&module, text.c_str(), 2, options, values);
  *error = log;
  if (module != nullptr) CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  return status;
}

}  // namespace

TEST_CASE("a limit of registers shows in what is reported of a kernel") {
  const CurrentContext context;
  const std::string ptx = hungry_kernel();
  const Report limited = load(ptx, CU_JIT_MAX_REGISTERS, 32);
  CHECK(limited.registers == 32);
  CHECK(limited.blocks == 8);
  CHECK(load(ptx, CU_JIT_MAX_REGISTERS, 64).registers == 64);
  CHECK(load(ptx, CU_JIT_MAX_REGISTERS, 64).blocks == 4);
  CHECK(load(ptx, CU_JIT_MAX_REGISTERS, 1).registers == 24);
  CHECK(load(ptx, CU_JIT_MAX_REGISTERS, 1000).registers > 100);
  CHECK(load(ptx, CU_JIT_MAX_REGISTERS, 0).status == CUDA_ERROR_INVALID_VALUE);
  const Report linked = link(ptx, CU_JIT_MAX_REGISTERS, 32);
  CHECK(linked.registers == 32);
  CHECK(linked.blocks == 8);
}

TEST_CASE("bounds of a kernel's own come before a limit for its module") {
  const CurrentContext context;
  CHECK(load(hungry_kernel(".maxntid 512, 1, 1"), CU_JIT_MAX_REGISTERS, 32).registers > 100);
  CHECK(load(hungry_kernel(".maxnreg 40"), CU_JIT_MAX_REGISTERS, 64).registers == 40);
}

TEST_CASE("code for blocks of so many threads has registers for them") {
  const CurrentContext context;
  const Report limited = load(hungry_kernel(), CU_JIT_THREADS_PER_BLOCK, 1024);
  CHECK(limited.registers <= 64);
  CHECK(limited.blocks >= 4);
}

TEST_CASE("a library's kernels report its limit of registers") {
  const CurrentContext context;
  const std::string ptx = hungry_kernel();
  CUjit_option option = CU_JIT_MAX_REGISTERS;
  void* value = number(32);
  CUlibrary library = nullptr;
  REQUIRE(CU(cuLibraryLoadData)(&library, ptx.c_str(), &option, &value, 1, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  CUkernel kernel = nullptr;
  REQUIRE(CU(cuLibraryGetKernel)(&kernel, library, "k") == CUDA_SUCCESS);
  int registers = 0;
  CHECK(CU(cuKernelGetAttribute)(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0) ==
        CUDA_SUCCESS);
  CHECK(registers == 32);
  CHECK(CU(cuLibraryUnload)(library) == CUDA_SUCCESS);
}

TEST_CASE("a module has at most 65536 bytes of constants, and the log names the limit") {
  const CurrentContext context;
  std::string error;
  CHECK(load_constants(40000, 25536, &error) == CUDA_SUCCESS);
  CHECK(load_constants(4, 65532, &error) == CUDA_SUCCESS);
  for (const int second : {25540, 40000, 1000000}) {
    CHECK(load_constants(40000, second, &error) == CUDA_ERROR_INVALID_PTX);
    CAPTURE(error);
    CHECK(error.find("too much global constant data") != std::string::npos);
    CHECK((error.find("65536") != std::string::npos || error.find("0x10000") != std::string::npos));
  }
}

TEST_CASE("results of a link are not written over what the program keeps there by then") {
  if (!is_cpu_driver()) return;  // NVIDIA's driver writes
  const CurrentContext context;
  const std::string ptx = hungry_kernel();
  for (const bool reused : {false, true}) {
    CAPTURE(reused);
    char info[1000] = "", error[1000] = "";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME};
    void* values[] = {info, number(1000), error, number(1000), number(1), number(0)};
    CUlinkState state = nullptr;
    REQUIRE(CU(cuLinkCreate_v2)(6, options, values, &state) == CUDA_SUCCESS);
    if (reused) std::fill(std::begin(values), std::end(values), number(0xabcdef));
    REQUIRE(CU(cuLinkAddData_v2)(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()),
                                 ptx.size() + 1, "k", 0, nullptr, nullptr) == CUDA_SUCCESS);
    void* image = nullptr;
    std::size_t bytes = 0;
    REQUIRE(CU(cuLinkComplete)(state, &image, &bytes) == CUDA_SUCCESS);
    CHECK(CU(cuLinkDestroy)(state) == CUDA_SUCCESS);
    CHECK(std::string(info).find("linked") != std::string::npos);
    if (reused) {
      CHECK(std::all_of(std::begin(values), std::end(values),
                        [](void* value) { return value == number(0xabcdef); }));
    } else {
      CHECK(values[1] == number(std::string(info).size() + 1));
      CHECK(values[3] == number(0));
    }
  }
}
