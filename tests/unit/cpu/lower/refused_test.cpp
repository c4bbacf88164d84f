// SPDX-License-Identifier: MIT
// What the driver cannot do, it refuses by name and line.
#include <string>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::testing::diagnostics_of;

namespace {

/// A kernel whose line 12 is `instruction`, for a device function's worth of registers.
std::string kernel_with(const std::string& instruction) {
  return R"(.global .texref image;
.global .samplerref sampler;
.global .surfref surface;
.visible .entry k(.param .u64 p) {
  .reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<17>; .reg .b64 %rd<9>;
  .reg .f32 %f<17>; .reg .f64 %d<9>;
  .shared .align 16 .b8 cells[256];
  ld.param.u64 %rd1, [p];
  )" + instruction +
         ";\n  ret;\n}\n";
}

}  // namespace

TEST_CASE("instructions of units that a CPU has not are refused by name and line") {
  for (const char* instruction : {
           "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}]",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%r1, %r2}, %f7",
           "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}], %f8",
           "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7",
           "txq.filter_mode.b32 %r1, [%rd1]",
           "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3]",
           "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, "
           "%f8}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}",
           "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {%f1, %f2, %f3, %f4, %f5, "
           "%f6, %f7, %f8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, "
           "%r6, %r7, %r8}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}",
           "wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r1, %r2, %r3, %r4}, [%rd1]",
           "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes."
           "cta_group::1 [%r1], [%rd1, {%r2, %r3}], [%r2]",
           "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
           "[%r1], [%r2]",
           "tcgen05.wait::ld.sync.aligned",
       }) {
    const std::string said = diagnostics_of(kernel_with(instruction), "sm_100");
    CAPTURE(said);
    CAPTURE(instruction);
    CHECK(said.find("ptx:12:") == 0);
    CHECK(said.find("'" + std::string(instruction).substr(0, 5)) != std::string::npos);
    CHECK(said.find("not supported by the CPU driver") != std::string::npos);
  }
}

TEST_CASE("modules for texmode_independent name a texture and a sampler, in this order") {
  const auto said = [](const std::string& place) {
    return diagnostics_of(
        kernel_with("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [" + place + "{%f5}]"),
        "sm_80, texmode_independent");
  };
  CHECK(said("image, sampler, ") == "");
  CHECK(said("%rd1, %rd2, ") == "");
  CHECK(said("image, ").find("names a texture and a sampler") != std::string::npos);
  CHECK(said("sampler, image, ").find("needs a .samplerref") != std::string::npos);
  CHECK(said("image, image, ").find("needs a .samplerref") != std::string::npos);
  CHECK(said("sampler, sampler, ").find("needs a .texref") != std::string::npos);
}

TEST_CASE("what newer targets or versions have is refused with them and the module's") {
  const auto said = [](const std::string& instruction, const std::string& target) {
    return diagnostics_of(kernel_with(instruction), target);
  };
  CHECK(said("add.bf16 %h1, %h2, %h3", "sm_86") ==
        "ptx:12:3: error: 'add.bf16' needs the target sm_90 or later, and the module's is sm_86\n");
  CHECK(said("mov.u32 %r1, %cluster_ctarank", "sm_80") ==
        "ptx:12:3: error: 'mov.u32' needs the target sm_90 or later, and the module's is sm_80\n");
  CHECK(said("ld.mmio.acquire.sys.global.b32 %r1, [%rd1]", "sm_100") ==
        "ptx:12:3: error: 'ld.mmio.acquire.sys.global.b32' needs PTX 9.3 or later, and the "
        "module's version is 8.8\n");
  CHECK(said("setmaxnreg.inc.sync.aligned.u32 64", "sm_90").find("sm_90a") != std::string::npos);
  CHECK(said("shfl.idx.b32 %r1, %r2, 0, 31", "sm_70").find(".sync") != std::string::npos);
  CHECK(said("shfl.idx.b32 %r1, %r2, 0, 31", "sm_61") == "");
}

TEST_CASE("system functions that there are not are refused by name and line") {
  const std::string said =
      diagnostics_of(".extern .func (.param .b32 r) cudaDeviceSynchronize();\n" +
                     kernel_with("{ .param .b32 r; call (r), cudaDeviceSynchronize; } ret"));
  CAPTURE(said);
  CHECK(said.find("ptx:13:") == 0);
  CHECK(said.find("cudaDeviceSynchronize") != std::string::npos);
}

TEST_CASE("system functions are passed memory of the size that they have") {
  const auto said = [](const std::string& types, const std::string& call) {
    return diagnostics_of(".extern .func (.param " + types + " r) malloc(.param " + types +
                          " n);\n" +
                          kernel_with("{ .param .b32 w; .param .b64 d; " + call + "; } ret"));
  };
  CHECK(said(".b64", "call (d), malloc, (d)") == "");
  const std::string narrow = said(".b32", "call (w), malloc, (w)");
  CAPTURE(narrow);
  CHECK(narrow.find("ptx:13:") == 0);
  CHECK(narrow.find("'call' has a .param variable of 4 bytes where the function has 8") !=
        std::string::npos);
}
