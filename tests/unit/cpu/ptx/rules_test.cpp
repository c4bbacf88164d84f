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

TEST_CASE("products and their rounding go with their type") {
  check_refused({"mul.u32 %r1, %r1, %r2", "mad.s32 %r1, %r1, %r2, %r3", "mul24.u32 %r1, %r1, %r2",
                 "madc.u32 %r1, %r1, %r2, %r3", "dp2a.u32.u32 %r1, %r2, %r3, %r4"},
                "needs .lo, .hi or .wide");
  check_refused({"mul.wide.f32 %d1, %f1, %f2", "mad.lo.f32 %f1, %f1, %f2, %f3"},
                "cannot have .lo, .hi or .wide of type .f32");
  check_refused({"mul.wide.u64 %rd1, %rd1, %rd2", "mad.wide.s64 %rd1, %rd1, %rd2, %rd3"},
                "cannot have .wide of type");
  check_refused(
      {"fma.f32 %f1, %f1, %f2, %f3", "fma.f16 %h1, %h1, %h2, %h3", "mad.f64 %d1, %d1, %d2, %d3"},
      "needs a rounding, such as .rn");
  check_refused(
      {"add.rn.s32 %r1, %r1, %r2", "sub.ftz.u32 %r1, %r1, %r2", "mul.rn.lo.u32 %r1, %r1, %r2",
       "div.approx.s32 %r1, %r2, %r3", "abs.ftz.s32 %r1, %r2", "min.NaN.s32 %r1, %r2, %r3",
       "setp.lt.ftz.s32 %p1, %r1, %r2", "set.lt.ftz.f32.s32 %f1, %r1, %r2"},
      "has a modifier that integers do not have");
  check_taken({"mul.wide.u16 %r1, %h1, %h2", "mul.hi.u16 %h1, %h1, %h2",
               "mad.wide.s32 %rd1, %r1, %r2, %rd3", "mad.hi.sat.s32 %r1, %r1, %r2, %r3",
               "mad.lo.cc.u32 %r1, %r1, %r2, %r3", "mad.rn.f32 %f1, %f1, %f2, %f3",
               "mul.f64 %d1, %d1, %d2", "mul.f16 %h1, %h1, %h2", "mul24.hi.s32 %r1, %r1, %r2",
               "fma.rn.relu.f16 %h1, %h1, %h2, %h3", "fma.rz.ftz.sat.f32 %f1, %f1, %f2, %f3",
               "add.f32 %f1, %f1, %f2", "add.rn.f32.f16 %f1, %h1, %f2",
               "set.lt.ftz.u32.f32 %r1, %f1, %f2", "abs.ftz.f32 %f1, %f2"});
}

TEST_CASE("functions with several accuracies say which one") {
  check_refused({"ex2.f32 %f1, %f2", "lg2.ftz.f32 %f1, %f2", "sin.f32 %f1, %f2",
                 "tanh.f32 %f1, %f2", "rsqrt.f64 %d1, %d2"},
                "needs .approx");
  check_refused({"rcp.f32 %f1, %f2", "sqrt.f64 %d1, %d2", "div.f32 %f1, %f2, %f3"},
                "needs .approx or a rounding");
  check_refused({"rcp.approx.rn.f32 %f1, %f2", "div.full.approx.f32 %f1, %f2, %f3"},
                "can have only one of");
  check_taken({"ex2.approx.ftz.f32 %f1, %f2", "ex2.approx.f16 %h1, %h2",
               "rsqrt.approx.ftz.f64 %d1, %d2", "rcp.approx.ftz.f64 %d1, %d2",
               "div.full.ftz.f32 %f1, %f2, %f3", "div.rn.f64 %d1, %d2, %d3",
               "sqrt.approx.f32 %f1, %f2", "div.s32 %r1, %r2, %r3"});
  CHECK(parse(".version 1.3\n.target sm_10\n.entry k { .reg .f32 f; sin.f32 f, f; rcp.f32 f, f; "
              "mad.f32 f, f, f, f; }")
            .ok());
}

TEST_CASE("comparisons go with the type that is compared") {
  check_refused(
      {"setp.lo.s32 %p1, %r1, %r2", "setp.hs.f32 %p1, %f1, %f2", "setp.lt.b32 %p1, %r1, %r2",
       "setp.equ.s32 %p1, %r1, %r2", "setp.num.u32 %p1, %r1, %r2", "set.lo.u32.s32 %r1, %r1, %r2"},
      "has a comparison that does not exist of type");
  check_refused({"setp.s32 %p1, %r1, %r2"}, "needs a comparison");
  check_taken({"setp.lo.u32 %p1, %r1, %r2", "setp.lt.u64 %p1, %rd1, %rd2",
               "setp.ne.b16 %p1, %h1, %h2", "setp.gtu.f64 %p1, %d1, %d2",
               "setp.nan.and.f16x2 %p1|%p2, %r1, %r2, %p3", "set.ls.f32.u16 %f1, %h1, %h2"});
}

TEST_CASE("atomic operations go with their type") {
  check_refused({"atom.and.u32 %r1, [%rd1], 1", "atom.exch.f32 %f1, [%rd1], %f2",
                 "atom.cas.s32 %r1, [%rd1], 1, 2", "atom.add.b32 %r1, [%rd1], 1",
                 "atom.add.s64 %rd2, [%rd1], 1", "atom.inc.s32 %r1, [%rd1], 1",
                 "red.xor.u64 [%rd1], 1", "red.max.b32 [%rd1], 1"},
                "does not exist of type");
  check_refused({"red.exch.b32 [%rd1], 1"}, "has an operation of atom only");
  check_taken({"atom.and.b32 %r1, [%rd1], 1", "atom.exch.b64 %rd2, [%rd1], %rd3",
               "atom.cas.b16 %h1, [%rd1], %h2, %h3", "atom.add.u64 %rd2, [%rd1], 1",
               "atom.min.s64 %rd2, [%rd1], %rd3", "atom.dec.u32 %r1, [%rd1], 7",
               "atom.add.noftz.bf16x2 %r1, [%rd1], %r2", "red.add.f64 [%rd1], %d1",
               "atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f1, %f2}"});
}

TEST_CASE("an access names the state space that its variable lies in, or none") {
  check_refused({"ld.shared.u32 %r2, [memory]", "st.shared.u32 [memory+4], %r2",
                 "atom.shared.add.u32 %r1, [memory], 1"},
                "has a variable of the state space .global");
  check_refused({"ld.global.u32 %r2, [staging]"}, "has a variable of the state space .shared");
  check_refused({"ld.global.u32 %r2, [out]"}, "has a variable of the state space .param");
  check_refused({"st.const.u32 [%rd1], 42"}, "does not exist for the state space .const");
  check_refused({"atom.local.add.u32 %r1, [%rd1], 1"}, "does not exist for the state space .local");
  check_refused({"ldu.shared.u32 %r1, [staging]"}, "does not exist for the state space .shared");
  check_refused({"st.param.u64 [out], %rd1"}, "cannot write to a parameter");
  check_taken({"ld.u32 %r1, [memory]", "ld.shared::cta.u32 %r1, [staging]", "st.u32 [staging], 1",
               "ld.param.u64 %rd1, [out]", "ldu.global.u32 %r1, [memory]",
               "atom.add.u32 %r1, [memory], 1", "red.shared::cluster.add.u32 [staging], 1"});
  CHECK(error_of(std::string(kHead) + ".const .b32 c[4];\n.entry k() {\nst.u32 [c], 1; }") ==
        "6:1 'st.u32' cannot write to the state space .const");
}

TEST_CASE("registers have the size of the instruction's type") {
  check_refused(
      {"add.u32 %rd1, %rd2, %rd3", "add.s32 %r1, %r2, %rd3", "mul.wide.s32 %r1, %r2, %r3",
       "mad.wide.u32 %rd1, %r1, %r2, %r3", "popc.b64 %rd1, %rd2", "shl.b64 %rd1, %rd2, %rd3",
       "mov.u64 %rd1, %r1", "mov.b64 %rd1, {%rd2, %r1}", "setp.lt.u64 %p1, %rd1, %r1",
       "selp.b64 %rd1, %r1, %rd2, %p1", "atom.global.add.u64 %r1, [%rd1], %rd2",
       "shfl.sync.idx.b32 %r1|%p1, %rd1, 0, 31, -1", "set.eq.u32.f32 %rd1, %f1, %f2"},
      " bits there, and '%r");
  check_refused({"ld.global.u64 %r1, [%rd1]", "st.global.f32 [%rd1], %h1", "cvt.u64.u32 %r1, %r2",
                 "ld.global.v2.u32 {%r1, %h1}, [%rd1]"},
                "needs at least ");
  check_taken({"mul.wide.s32 %rd1, %r2, %r3", "popc.b64 %r1, %rd2", "shl.b64 %rd1, %rd2, %r3",
               "mov.b64 %rd1, {%r2, %r1}", "mov.b64 {_, %r1}, %rd1", "ld.global.u8 %r1, [%rd1]",
               "ld.global.v4.u8 {%h1, %h2, %h3, %h1}, [%rd1]", "st.global.u16 [%rd1], %rd2",
               "cvt.u16.u32 %rd1, %rd2", "set.eq.u32.f64 %r1, %d1, %d2", "add.u32 %r1, %r2, 7"});
}

TEST_CASE("registers are of the kind of the instruction's type, or untyped") {
  check_refused({"add.f32 %s1, %f1, %f2", "add.u32 %s1, %f1, %s2", "fma.rn.f32 %f1, %f1, %f1, %s1",
                 "mov.f32 %s1, %f1", "mov.u32 %f1, %s1", "ld.global.f32 %s1, [%rd1]",
                 "st.global.u32 [%rd1], %f1", "cvt.rzi.u32.f32 %f1, %f2", "cvt.rn.f32.u32 %s1, %s2",
                 "atom.global.add.f32 %s1, [%rd1], %f1", "slct.f32.s32 %f1, %f2, %f3, %f1",
                 "sin.approx.f32 %f1, %s1", "setp.lt.f32 %p1, %s1, %f1"},
                "there, and '%");
  check_refused({"ld.global.u32 %r1, [%d1]", "st.global.u32 [%d1+4], %r1"},
                "has an address there, and '%d1' is .f64");
  check_taken({"add.f32 %r1, %f1, %r2", "add.s32 %s1, %r1, %s2", "and.b32 %f1, %f2, %s1",
               "mov.b32 %f1, %s1", "ld.global.b32 %f1, [%rd1]", "selp.b32 %f1, %f2, %f3, %p1",
               "st.global.v2.u32 [%rd1], {%f1, %f2}", "neg.f16x2 %r1, %r2",
               "fma.rn.bf16 %h1, %h2, %h3, %h1"});
}
