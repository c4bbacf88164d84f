// SPDX-License-Identifier: MIT
// Kernels that the time limit stops say where they were, in the source's lines.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cpu/exec/watchdog.h"
#include "sanitizers.h"
#include "unit/cpu/kernel_run.h"

namespace {

using pycuda::cpu::FaultKind;
using pycuda::cpu::exec::Fault;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

struct TimeLimit {
  TimeLimit() { pycuda::cpu::exec::set_time_limit(std::chrono::milliseconds(100)); }
  ~TimeLimit() { pycuda::cpu::exec::set_time_limit(std::chrono::milliseconds(0)); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

void check_contains(const std::optional<Fault>& fault, std::initializer_list<const char*> parts) {
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::Timeout);
  for (const char* part : parts) {
    CAPTURE(fault->message);
    CHECK_MESSAGE(fault->message.find(part) != std::string::npos, part);
  }
}

// Ends when x is 5, which it never is for n = 0. Nothing in it may fault.
const std::string endless = R"(.file 1 "demo.cu"
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .pred %p; .reg .b32 %t, %n, %x; .reg .b64 %a, %d;
  ld.param.u64 %a, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.lo.u32 %x, %n, %t;
  mul.wide.u32 %d, %t, 4; add.u64 %a, %a, %d;
  .loc 1 11 0
  st.global.u32 [%a], %x;
AGAIN:
  .loc 1 21 0
  mad.lo.u32 %x, %x, 1664525, %n;
  .loc 1 22 0
  setp.ne.u32 %p, %x, 5;
  @%p bra AGAIN;
  .loc 1 31 0
  st.global.u32 [%a], %x;
  ret;
})";

}  // namespace

TEST_CASE("the time limit names a loop's line though nothing in the loop can fault") {
  if (pycuda::testing::thread_sanitizer) return;  // signals come late
  const TimeLimit limit;
  std::array<std::uint32_t, 64> out{};
  LoadedModule threads(endless, vectors(false));
  check_contains(threads.fault_of("k", {1}, {64}, out.data(), 0u),
                 {"time limit (PYCUDA_CPU_TIMEOUT) in kernel k, block (0, 0, 0)",
                  "thread (0, 0, 0) at demo.cu:22"});
  LoadedModule gangs(endless, gangs_of(16));
  check_contains(gangs.fault_of("k", {1}, {64}, out.data(), 0u),
                 {"thread (0, 0, 0) at demo.cu:22", "that run together"});
}

TEST_CASE("the time limit tells which loops wait for what, and who waits at barriers") {
  const TimeLimit limit;
  LoadedModule module(R"(.file 1 "demo.cu"
.visible .entry k(.param .u64 flag) {
  .reg .pred %p; .reg .b32 %t, %x; .reg .b64 %a;
  .shared .align 4 .b8 lock[8];
  ld.param.u64 %a, [flag]; mov.u32 %t, %tid.x;
  setp.lt.u32 %p, %t, 32;
  @%p bra FIRST;
  setp.eq.u32 %p, %t, 63;
  @%p bra LAST;
  bar.sync 0;
FIRST:
  .loc 1 31 0
  ld.volatile.global.u32 %x, [%a+4];
  setp.eq.u32 %p, %x, 0;
  @%p bra FIRST;
  bar.sync 0;
  ret;
LAST:
  .loc 1 41 0
  st.shared.u32 [lock+4], 1;
TAKE:
  atom.shared.cas.b32 %x, [lock+4], 0, 1;
  setp.ne.u32 %p, %x, 0;
  @%p bra TAKE;
  bar.sync 0;
  ret;
})");
  std::array<std::uint32_t, 2> flag{};
  check_contains(
      module.fault_of("k", {1}, {64}, flag.data()),
      {"time limit (PYCUDA_CPU_TIMEOUT) in kernel k, block (0, 0, 0)",
       "32 threads wait in a loop for what is at address 0x",
       "the first is (0, 0, 0) at demo.cu:31", "31 threads wait at barrier 0",
       "1 thread waits in a loop for what is 4 bytes into the block's shared memory, the first is "
       "(63, 0, 0) at demo.cu:41"});
}
