// SPDX-License-Identifier: MIT
// Instructions that are none, although their words and operands are known.
#include <initializer_list>

#include "parsed.h"

using namespace pycuda::cpu::ptx;

namespace {

void check_refused(std::initializer_list<const char*> instructions, std::string_view why) {
  for (const char* instruction : instructions) {
    CAPTURE(instruction);
    const std::string error = error_of(kernel_text(std::string("\n") + instruction + ";"));
    CAPTURE(error);
    CHECK(error.starts_with("15:"));
    CHECK(error.find(why) != std::string::npos);
  }
}

void check_taken(std::initializer_list<const char*> instructions) {
  for (const char* instruction : instructions) {
    CAPTURE(instruction);
    CHECK(parsed_kernel(std::string(instruction) + ";").body.size() == 1);
  }
}

}  // namespace

TEST_CASE("only predicates that are read, and sources of vmad, are negated") {
  check_refused({"add.s32 %r3, -%r1, %r2", "fma.rn.f32 %f2, -%f1, %f1, %f1", "mov.u32 -%r3, %r1",
                 "st.global.s32 [%rd1+12], -%r1", "mov.b64 %rd1, {%r1, -%r2}",
                 "setp.lt.s32 !%p1, %r1, %r2", "setp.lt.s32 %p1|!%p2, %r1, %r2",
                 "vadd.s32.s32.s32 %r1, -%r2, %r3", "vmad.s32.s32.s32 -%r1, %r2, %r3, %r4"},
                "cannot negate '%");
  check_refused({"and.b32 %r3, !%r1, 0xFF", "vmad.s32.s32.s32 %r1, !%r2, %r3, %r4"},
                "'!' cannot stand before '%r");
  check_refused({"selp.b32 %r1, %r2, %r3, -%p1"}, "'-' cannot stand before '%p1'");
  check_taken({"setp.eq.and.s32 %p1, %r1, %r2, !%p3", "and.pred %p1, !%p2, %p3",
               "mov.pred %p1, !%p2", "selp.b32 %r1, %r2, %r3, !%p1",
               "vote.sync.ballot.b32 %r1, !%p2, -1", "bar.red.popc.u32 %r1, 0, !%p1",
               "cp.async.ca.shared.global [staging], [%rd1], 4, !%p1",
               "vmad.s32.s32.s32 %r1, -%r2, %r3, %r4", "vmad.s32.s32.s32 %r1, %r2, %r3, -%r4"});
}

TEST_CASE("a negated argument of a call is an error") {
  CHECK(error_of(std::string(kHead) + ".func f (.param .b32 a) { ret; }\n"
                                      ".func g () { .reg .b32 x;\ncall f, (-x); }") ==
        "6:1 'call' cannot negate 'x'");
}

TEST_CASE("accesses have the memory orders that PTX gives them") {
  check_refused(
      {"ld.release.gpu.global.u32 %r1, [%rd1]", "ld.acq_rel.gpu.global.u32 %r1, [%rd1]",
       "ld.sc.gpu.global.u32 %r1, [%rd1]", "st.acquire.gpu.global.u32 [%rd1], %r1",
       "st.acq_rel.gpu.global.u32 [%rd1], %r1", "st.sc.gpu.global.u32 [%rd1], %r1",
       "atom.sc.gpu.global.add.u32 %r1, [%rd1], %r2", "red.acquire.gpu.global.add.u32 [%rd1], %r2"},
      "has a memory order that PTX does not have there");
  check_taken({"ld.acquire.gpu.u32 %r1, [%rd1]", "ld.relaxed.sys.global.u32 %r1, [%rd1]",
               "ld.weak.u32 %r1, [%rd1]", "ld.volatile.u32 %r1, [%rd1]",
               "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1]",
               "st.release.gpu.global.u32 [%rd1], %r1",
               "st.mmio.relaxed.sys.global.u32 [%rd1], %r1", "st.volatile.global.u32 [%rd1], %r1",
               "atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], %r2",
               "red.release.gpu.global.add.u32 [%rd1], %r2", "red.global.add.u32 [%rd1], %r2"});
}

TEST_CASE("a block has 16 barriers, numbered by integers of 32 bits") {
  check_refused({"bar.sync 16", "bar.arrive 99, 32", "bar.red.popc.u32 %r1, 16, %p1",
                 "barrier.cta.sync.aligned 16", "bar.sync -1"},
                ": they go from 0 to 15");
  check_refused({"bar.sync %f1", "bar.sync %rd1", "bar.sync %h1", "bar.sync %p1", "bar.sync 1, %f1",
                 "bar.red.popc.u32 %r1, 1, %h1, %p1"},
                "needs an integer of 32 bits");
  check_refused({"bar.sync 1.5"}, "needs an integer, not a floating-point number");
  check_taken({"bar.sync 15", "bar.sync %r1, %r2", "barrier.sync %r1, 64",
               "bar.red.popc.u32 %r1, 15, %p1", "bar.red.and.pred %p1, %r1, 64, !%p2",
               "bar.warp.sync 0xffffffff", "barrier.cluster.arrive"});
}
