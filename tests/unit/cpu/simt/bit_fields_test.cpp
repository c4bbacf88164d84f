// SPDX-License-Identifier: MIT
// Indexes that are taken apart by powers of two and put together again, as transforms do.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

namespace {

/// Thread t stores in[%r9], which `index` makes of t = %r2 and n = %r1.
std::string kernel(const std::string& index) {
  return R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<12>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd3, %rd1; )" +
         index + R"(
  and.b32 %r9, %r9, 2047; mul.wide.u32 %rd4, %r9, 4; add.u64 %rd4, %rd4, %rd2;
  ld.global.u32 %r10, [%rd4]; st.global.u32 [%rd3], %r10; ret; })";
}

/// 2 * (t - t % span) + t % span, without the mask that `kernel` puts on everything.
std::string butterfly(unsigned span) {
  const std::string low = std::to_string(span - 1);
  return "and.b32 %r3, %r2, " + low + "; sub.u32 %r4, %r2, %r3; shl.b32 %r4, %r4, 1;" +
         "add.u32 %r9, %r4, %r3;";
}

}  // namespace

TEST_CASE("fields of a thread's number are what they are for each thread") {
  std::vector<std::uint32_t> in(2048);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  std::vector<std::string> indexes;
  for (unsigned span = 1; span <= 128; span *= 2) indexes.push_back(butterfly(span));
  for (const unsigned mask : {0xf0u, 0xfcu, 0x1f8u, 0x50u, 0xfffffff0u, 0xffffffc0u, 0x80000000u})
    for (const unsigned shift : {0u, 2u, 4u})
      indexes.push_back("shl.b32 %r3, %r2, " + std::to_string(shift) + "; and.b32 %r9, %r3, " +
                        std::to_string(static_cast<std::int32_t>(mask)) +
                        "; xor.b32 %r9, %r9, %r1;");
  indexes.push_back("add.u32 %r3, %r2, %r1; and.b32 %r9, %r3, 240;");
  indexes.push_back("sub.u32 %r3, 100, %r2; and.b32 %r9, %r3, -16;");
  for (const std::string& index : indexes) {
    for (const unsigned lanes : {0u, 16u, 32u, 64u}) {
      LoadedModule module(kernel(index), gangs_of(lanes));
      for (const std::uint32_t n : {0u, 5u, 0xfffffff3u}) {
        std::vector<std::uint32_t> found(256, 7), expected(256, 7);
        module.thread_by_thread = false;
        module.run("k", {1}, {200}, found.data(), in.data(), n);
        module.thread_by_thread = true;
        module.run("k", {1}, {200}, expected.data(), in.data(), n);
        CHECK_MESSAGE(found == expected, lanes << " lanes, n " << n << ", " << index);
      }
    }
  }
}

TEST_CASE("gangs no wider than what neighbours are taken together read them as vectors") {
  const auto form_of = [](unsigned span, unsigned lanes) {
    const auto plan =
        describe_plan(module_of(kernel(butterfly(span))), "k", {256}, gangs_of(lanes));
    REQUIRE(plan);
    if (plan->find("gather") != std::string::npos) return "apart";
    return plan->find("put in order") != std::string::npos ? "put in order" : "contiguous";
  };
  CHECK(form_of(16, 16) == std::string("contiguous"));
  CHECK(form_of(64, 64) == std::string("contiguous"));
  CHECK(form_of(16, 64) == std::string("put in order"));
  // The choice.
  CHECK(form_of(16, 0) == std::string("contiguous"));
}
