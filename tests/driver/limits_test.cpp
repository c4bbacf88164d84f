// SPDX-License-Identifier: MIT
// Limits of a context that kernels notice.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr const char* heap_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 memory);

// *to = malloc(bytes)
.visible .entry take(.param .u64 to, .param .u64 bytes)
{
  .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [bytes];
  {
    .param .b64 p;
    .param .b64 r;
    st.param.b64 [p], %rd2;
    call.uni (r), malloc, (p);
    ld.param.b64 %rd3, [r];
  }
  st.global.u64 [%rd1], %rd3;
  ret;
}

.visible .entry give(.param .u64 memory)
{
  .reg .u64 %rd1;
  ld.param.u64 %rd1, [memory];
  {
    .param .b64 p;
    st.param.b64 [p], %rd1;
    call.uni free, (p);
  }
  ret;
}
)";

// *to = n + (n - 1) + ... + 1, by a function that calls itself.
constexpr const char* recursive_ptx = R"(
.version 7.0
.target sm_52
.address_size 64

.func (.param .b32 r) sum(.param .b32 n)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p, %r1, 0;
  @%p bra none;
  sub.u32 %r2, %r1, 1;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r2;
    call.uni (b), sum, (a);
    ld.param.b32 %r3, [b];
  }
  add.u32 %r4, %r3, %r1;
  st.param.b32 [r], %r4;
  ret;
none:
  st.param.b32 [r], %r1;
  ret;
}

// The same with a barrier on the way: threads wait for one another at every depth.
.func (.param .b32 r) sum_together(.param .b32 n)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p, %r1, 0;
  @%p bra none;
  sub.u32 %r2, %r1, 1;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r2;
    call.uni (b), sum_together, (a);
    ld.param.b32 %r3, [b];
  }
  bar.sync 0;
  add.u32 %r4, %r3, %r1;
  st.param.b32 [r], %r4;
  ret;
none:
  st.param.b32 [r], %r1;
  ret;
}

.visible .entry alone(.param .u64 to, .param .u32 n)
{
  .reg .u64 %rd1;
  .reg .u32 %r<3>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [n];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r1;
    call.uni (b), sum, (a);
    ld.param.b32 %r2, [b];
  }
  st.global.u32 [%rd1], %r2;
  ret;
}

.visible .entry together(.param .u64 to, .param .u32 n)
{
  .reg .u64 %rd1;
  .reg .u32 %r<3>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [n];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r1;
    call.uni (b), sum_together, (a);
    ld.param.b32 %r2, [b];
  }
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

// Thread 0 prints "line %d\n" for the numbers below `count`.
constexpr const char* printing_ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[9] = {108, 105, 110, 101, 32, 37, 100, 10, 0};

.visible .entry print(.param .u32 count)
{
  .local .align 8 .b8 arguments[8];
  .reg .pred %p;
  .reg .u32 %r<3>;
  .reg .u64 %rd<4>;
  ld.param.u32 %r1, [count];
  mov.u32 %r2, 0;
  mov.u64 %rd1, format;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, arguments;
  cvta.local.u64 %rd2, %rd2;
again:
  st.local.u32 [arguments], %r2;
  {
    .param .b64 f;
    .param .b64 a;
    .param .b32 r;
    st.param.b64 [f], %rd1;
    st.param.b64 [a], %rd2;
    call.uni (r), vprintf, (f, a);
  }
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra again;
  ret;
}
)";

CUresult launch_sum(const LoadedModule& module, const char* kernel, CUdeviceptr to, unsigned n,
                    unsigned threads) {
  void* parameters[] = {&to, &n};
  return CU(cuLaunchKernel)(module.function(kernel), 1, 1, 1, threads, 1, 1, 0, nullptr, parameters,
                            nullptr);
}

void play_stack_overflow(const char* kernel) {
  {
    const CurrentContext context;
    const LoadedModule module(recursive_ptx);
    const DeviceBlock block(4);
    CUresult status = launch_sum(module, kernel, block.address(), 1000000, 32);
    if (status == CUDA_SUCCESS) status = CU(cuCtxSynchronize)();
    // CUDA's manual knows three codes for this.
    std::printf("is an error of stacks %d\n", status == CUDA_ERROR_LAUNCH_FAILED ||
                                                  status == CUDA_ERROR_ILLEGAL_ADDRESS ||
                                                  status == CUDA_ERROR_HARDWARE_STACK_ERROR);
    std::printf("sticky %d\n", CU(cuCtxSynchronize)() == status);
    if (!is_cpu_driver()) return;
    char text[512] = "";
    using LastFault = CUresult(char*, size_t);
    reinterpret_cast<LastFault*>(symbol("cuCpuGetLastFault"))(text, sizeof text);
    std::printf("in words %d\n", std::string(text).find("stack overflow in kernel ") == 0);
  }
  const CurrentContext next;
  const LoadedModule module(recursive_ptx);
  const DeviceBlock block(4);
  std::printf("launch %d\n", launch_sum(module, kernel, block.address(), 8, 32));
  std::printf("healthy %d\n", CU(cuCtxSynchronize)());
}

void play_printf(unsigned count) {
  const CurrentContext context;
  CU(cuCtxSetLimit)(CU_LIMIT_PRINTF_FIFO_SIZE, 1000);
  const LoadedModule module(printing_ptx);
  void* parameters[] = {&count};
  CU(cuLaunchKernel)(module.function("print"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  CU(cuCtxSynchronize)();
}

std::string lines(unsigned first, unsigned end) {
  std::string text;
  for (unsigned i = first; i < end; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

}  // namespace

bool driver_test::play_limit_scenario(const std::string& name) {
  if (name == "overflow_alone") {
    play_stack_overflow("alone");
  } else if (name == "overflow_together") {
    play_stack_overflow("together");
  } else if (name == "print_some") {
    play_printf(20);
  } else if (name == "print_too_much") {
    play_printf(100000);
  } else {
    return false;
  }
  return true;
}

TEST_CASE("a stack takes calls as deep as its limit allows, and a higher limit deeper ones") {
  const CurrentContext context;
  const LoadedModule module(recursive_ptx);
  const DeviceBlock block(4);
  const auto sum = [&](const char* kernel, unsigned n, unsigned threads) {
    REQUIRE(launch_sum(module, kernel, block.address(), n, threads) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    unsigned result = 0;
    REQUIRE(CU(cuMemcpyDtoH_v2)(&result, block.address(), 4) == CUDA_SUCCESS);
    return result;
  };
  CHECK(sum("alone", 10, 1) == 55);
  CHECK(sum("together", 10, 64) == 55);
  REQUIRE(CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, size_t{256} << 10) == CUDA_SUCCESS);
  CHECK(sum("alone", 2000, 64) == 2001000);
  // A thread that waits at depth n is reached through n frames, so not as deep.
  CHECK(sum("together", 200, 64) == 20100);
}

TEST_CASE("a stack that overflows ends the launch, not the process") {
  for (const char* scenario : {"overflow_alone", "overflow_together"}) {
    CAPTURE(scenario);
    std::string expected = "is an error of stacks 1\nsticky 1\n";
    if (is_cpu_driver()) expected += "in words 1\nlaunch 0\nhealthy 0\n";
    CHECK(run_scenario(scenario) == expected);
  }
}

TEST_CASE("printf keeps the newest output when its buffer is full") {
  CHECK(run_scenario("print_some") == lines(0, 20));
  const std::string all = lines(0, 100000);
  const std::string shown = run_scenario("print_too_much");
  CHECK(shown.size() < all.size());
  if (!is_cpu_driver()) return;  // how much a GPU's buffer holds is its own affair
  CHECK(shown.size() <= 1000);
  CHECK(shown.size() > 1000 - 20);
  CHECK(shown == all.substr(all.size() - std::min(shown.size(), all.size())));
}

TEST_CASE("malloc of kernels gives null beyond the heap's limit, and memory again after free") {
  const CurrentContext context;
  constexpr size_t limit = size_t{16} << 20;
  REQUIRE(CU(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, limit) == CUDA_SUCCESS);
  const LoadedModule module(heap_ptx);
  const DeviceBlock block(8);
  const auto take = [&](unsigned long long bytes) {
    CUdeviceptr to = block.address();
    unsigned long long given = 1;
    void* parameters[] = {&to, &bytes};
    REQUIRE(CU(cuLaunchKernel)(module.function("take"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                               nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuMemcpyDtoH_v2)(&given, to, 8) == CUDA_SUCCESS);
    return given;
  };
  const auto give = [&](unsigned long long memory) {
    void* parameters[] = {&memory};
    REQUIRE(CU(cuLaunchKernel)(module.function("give"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                               nullptr) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  };
  CHECK(take(2 * limit) == 0);
  const unsigned long long first = take(limit * 3 / 4);
  REQUIRE(first != 0);
  CHECK(first % 16 == 0);
  CHECK(take(limit / 2) == 0);
  give(first);
  const unsigned long long second = take(limit / 2);
  CHECK(second != 0);
  give(second);
  give(0);
}

TEST_CASE("the limits of stacks and of printf's buffer can be set and read") {
  const CurrentContext context;
  for (const CUlimit limit : {CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE}) {
    size_t before = 0, after = 0;
    REQUIRE(CU(cuCtxGetLimit)(&before, limit) == CUDA_SUCCESS);
    CHECK(before > 0);
    REQUIRE(CU(cuCtxSetLimit)(limit, 2 * before) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxGetLimit)(&after, limit) == CUDA_SUCCESS);
    CHECK(after >= 2 * before);
  }
  CHECK(CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, size_t{1} << 40) == CUDA_ERROR_INVALID_VALUE);
}
