// SPDX-License-Identifier: MIT
// The checked mode (PYCUDA_CPU_CHECK=1) finds each access out of bounds, at the byte. The driver
// reads the setting once, so every scenario has a process of its own.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

// Each kernel reads or writes 4 bytes at `offset` of something that has `bytes` bytes.
constexpr const char* accesses_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.file 1 "kernels.cu"
.visible .const .align 4 .b8 table[40];
.visible .global .align 4 .b8 numbers[40];

.visible .entry global_at(.param .u64 from, .param .u32 offset)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  .loc 1 10 0
  ld.param.u64 %rd1, [from];
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 11 0
  ld.global.u32 %r2, [%rd3];
  .loc 1 12 0
  st.global.u32 [%rd3], %r2;
  ret;
}

.visible .entry atomic_at(.param .u64 from, .param .u32 offset)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u64 %rd1, [from];
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 21 0
  atom.global.add.u32 %r2, [%rd3], 1;
  ret;
}

.visible .entry static_shared_at(.param .u64 from, .param .u32 offset)
{
  .shared .align 4 .b8 tile[40];
  .reg .u32 %r<4>;
  ld.param.u32 %r1, [offset];
  mov.u32 %r2, tile;
  add.u32 %r2, %r2, %r1;
  bar.sync 0;
  .loc 1 31 0
  st.shared.u32 [%r2], %r1;
  ret;
}

.shared .align 4 .b8 first[40];
.shared .align 4 .b8 second[40];
.extern .shared .align 4 .b8 rest[];
.visible .entry neighbours_at(.param .u64 from, .param .u32 offset)
{
  .reg .u32 %r<6>;
  ld.param.u32 %r1, [offset];
  mov.u32 %r2, second;
  mov.u32 %r3, rest;
  st.shared.u32 [%r2], %r3;
  mov.u32 %r4, first;
  add.u32 %r4, %r4, %r1;
  .loc 1 91 0
  st.shared.u32 [%r4], %r1;
  ret;
}

.visible .entry local_at(.param .u64 from, .param .u32 offset)
{
  .local .align 4 .b8 before[40];
  .local .align 4 .b8 frame[40];
  .local .align 4 .b8 after[40];
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  mov.u64 %rd1, frame;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 41 0
  st.local.u32 [%rd3], %r1;
  ret;
}

.visible .entry generic_local_at(.param .u64 from, .param .u32 offset)
{
  .local .align 4 .b8 frame[40];
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  mov.u64 %rd1, frame;
  cvta.local.u64 %rd1, %rd1;
  add.u64 %rd3, %rd1, %rd2;
  bar.sync 0;
  .loc 1 51 0
  ld.u32 %r1, [%rd3];
  ret;
}

.func (.param .b32 r) of_callee(.param .b32 offset)
{
  .local .align 4 .b8 frame[40];
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  mov.u64 %rd1, frame;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 61 0
  st.local.u32 [%rd3], 1;
  ld.local.u32 %r2, [%rd3];
  st.param.b32 [r], %r2;
  ret;
}

.visible .entry callee_local_at(.param .u64 from, .param .u32 offset)
{
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [offset];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r1;
    call.uni (b), of_callee, (a);
    ld.param.b32 %r2, [b];
  }
  ret;
}

.visible .entry constant_at(.param .u64 from, .param .u32 offset)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  mov.u64 %rd1, table;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 71 0
  ld.const.u32 %r2, [%rd3];
  ret;
}

.visible .entry module_global_at(.param .u64 from, .param .u32 offset)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<3>;
  ld.param.u32 %r1, [offset];
  cvt.s64.s32 %rd2, %r1;
  mov.u64 %rd1, numbers;
  add.u64 %rd3, %rd1, %rd2;
  .loc 1 81 0
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

std::string fault_text() {
  char text[1024] = "";
  using LastFault = CUresult(char*, size_t);
  reinterpret_cast<LastFault*>(symbol("cuCpuGetLastFault"))(text, sizeof text);
  return text;
}

CUresult run(const LoadedModule& module, const char* kernel, CUdeviceptr from, int offset,
             unsigned dynamic_shared_bytes = 0) {
  void* parameters[] = {&from, &offset};
  const CUresult status = CU(cuLaunchKernel)(module.function(kernel), 2, 1, 1, 2, 1, 1,
                                             dynamic_shared_bytes, nullptr, parameters, nullptr);
  return status == CUDA_SUCCESS ? CU(cuCtxSynchronize)() : status;
}

/// Ends in the fault that the message of `kernel` at `offset` tells.
void play_access(const char* kernel, int offset) {
  setenv("PYCUDA_CPU_CHECK", "1", 1);
  const CurrentContext context;
  const LoadedModule module(accesses_ptx);
  const DeviceBlock block(40);
  for (const int inside : {0, 4, 36}) {
    const CUresult status = run(module, kernel, block.address(), inside);
    if (status != CUDA_SUCCESS) std::printf("at %d: %s\n", inside, fault_text().c_str());
  }
  std::printf("status %d\n", run(module, kernel, block.address(), offset));
  std::printf("%s\n", fault_text().c_str());
}

void play_host_memory() {
  setenv("PYCUDA_CPU_CHECK", "1", 1);
  const CurrentContext context;
  const LoadedModule module(accesses_ptx);
  static unsigned ordinary[4] = {};
  std::printf("status %d\n",
              run(module, "global_at", reinterpret_cast<CUdeviceptr>(&ordinary[0]), 0));
  std::printf("%s\n", fault_text().c_str());
}

/// Two variables and all the memory that a launch may add to them.
void play_shared_limits() {
  setenv("PYCUDA_CPU_CHECK", "1", 1);
  const CurrentContext context;
  const LoadedModule module(accesses_ptx);
  const CUfunction function = module.function("neighbours_at");
  int declared = 0, dynamic = 0;
  CU(cuFuncGetAttribute)(&declared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  CU(cuFuncGetAttribute)(&dynamic, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
  std::printf("declared %d, dynamic %d\n", declared, dynamic);
  std::printf("all of it %d\n", run(module, "neighbours_at", 0, 0, 49072));
  std::printf("a byte more %d\n", run(module, "neighbours_at", 0, 0, 49073));
}

/// What a fault in `kernel` at the byte `offset` of 40 says, less what differs from run to run.
void check_access(const char* kernel, const char* offset, const std::string& place,
                  const char* line) {
  CAPTURE(kernel);
  CAPTURE(offset);
  const std::string said = run_scenario("checked:" + std::string(kernel) + ":" + offset);
  CAPTURE(said);
  CHECK(said.find("status 700\n") == 0);
  CHECK(said.find(place) != std::string::npos);
  CHECK(said.find("kernel " + std::string(kernel) + ", block (") != std::string::npos);
  CHECK(said.find(", thread (") != std::string::npos);
  CHECK(said.find("kernels.cu:" + std::string(line) + ":") != std::string::npos);
  CHECK(said.find("of 4 bytes") != std::string::npos);
}

}  // namespace

bool driver_test::play_checked_scenario(const std::string& name) {
  if (name == "host_memory") {
    play_host_memory();
    return true;
  }
  if (name == "shared_limits") {
    play_shared_limits();
    return true;
  }
  if (name.rfind("checked:", 0) != 0) return false;
  const size_t colon = name.find(':', 8);
  play_access(name.substr(8, colon - 8).c_str(), std::atoi(name.substr(colon + 1).c_str()));
  return true;
}

TEST_CASE("the checked mode finds accesses out of bounds at the byte, in every kind of memory") {
  if (!is_cpu_driver()) return;
  check_access("global_at", "40", "0 bytes past the end of the 40-byte block of device memory",
               "11");
  check_access("global_at", "-4", "4 bytes before the start of the 40-byte block", "11");
  check_access("atomic_at", "40", "0 bytes past the end of the 40-byte block of device memory",
               "21");
  check_access("constant_at", "40", "past the end of the 40-byte block of a module's variable",
               "71");
  check_access("module_global_at", "40", "past the end of the 40-byte block of a module's variable",
               "81");
  check_access("static_shared_at", "40",
               "0 bytes past the end of the block's 40 bytes of shared memory", "31");
}

TEST_CASE("the checked mode tells variables in shared memory apart") {
  if (!is_cpu_driver()) return;
  check_access("neighbours_at", "-4", "4 bytes before the start of the 40-byte shared variable",
               "91");
  check_access("neighbours_at", "40", "0 bytes past the end of the 40-byte shared variable 'first'",
               "91");
  check_access("neighbours_at", "68",
               "4 bytes before the start of the 40-byte shared variable 'second'", "91");
  check_access("neighbours_at", "112",
               "0 bytes past the end of the 40-byte shared variable 'second'", "91");
  check_access("static_shared_at", "40",
               "0 bytes past the end of the 40-byte shared variable 'tile'", "31");
}

TEST_CASE("what lies between shared variables in the checked mode counts against no limit") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("shared_limits") ==
        "declared 80, dynamic 49072\nall of it 0\na byte more 1\n");
}

TEST_CASE("the checked mode knows the variables of a thread, in callees too") {
  if (!is_cpu_driver()) return;
  const std::string past = "0 bytes past the end of the thread's 40-byte block of local memory";
  const std::string before = "4 bytes before the start of the thread's 40-byte block of local";
  check_access("local_at", "40", past, "41");
  check_access("local_at", "-4", before, "41");
  check_access("generic_local_at", "40", past, "51");
  check_access("callee_local_at", "40", past, "61");
}

TEST_CASE("the checked mode takes ordinary host memory for a mistake") {
  if (!is_cpu_driver()) return;
  const std::string said = run_scenario("host_memory");
  CAPTURE(said);
  CHECK(said.find("status 700\nillegal memory access at address 0x") == 0);
  CHECK(said.find("kernel global_at, block (") != std::string::npos);
}
