// SPDX-License-Identifier: MIT
// One spelling, several meanings: what each modifier becomes for each opcode.
#include "parsed.h"

using namespace pycuda::cpu::ptx;

TEST_CASE("lo and hi are halves for mul and comparisons for setp") {
  CHECK(modifiers_of("mul.lo.u32 %r1, %r2, %r3;").half == Half::Lo);
  CHECK(modifiers_of("mul.lo.u32 %r1, %r2, %r3;").compare == Compare::None);
  CHECK(modifiers_of("setp.lo.u32 %p1, %r2, %r3;").compare == Compare::Lo);
  CHECK(modifiers_of("setp.hi.u32 %p1, %r2, %r3;").half == Half::None);
  CHECK(modifiers_of("dp2a.hi.u32.u32 %r1, %r2, %r3, %r4;").half == Half::Hi);
  CHECK(modifiers_of("mul.wide.s32 %rd1, %r2, %r3;").half == Half::Wide);
}

TEST_CASE(
    "and, or and xor are predicate operations, atomic operations and reductions of a barrier") {
  CHECK(modifiers_of("setp.eq.and.s32 %p1, %r1, %r2, %p2;").bool_op == BoolOp::And);
  CHECK(modifiers_of("set.eq.xor.u32.s32 %r1, %r1, %r2, %p2;").bool_op == BoolOp::Xor);
  CHECK(modifiers_of("atom.global.and.b32 %r1, [%rd1], %r2;").atomic == AtomicOp::And);
  CHECK(modifiers_of("red.global.xor.b32 [%rd1], %r2;").atomic == AtomicOp::Xor);
  const Modifiers barrier = modifiers_of("bar.red.or.pred %p1, 0, %p2;");
  CHECK(barrier.barrier == BarrierMode::Red);
  CHECK(barrier.atomic == AtomicOp::Or);
  CHECK(barrier.type() == Type::Pred);
  CHECK(modifiers_of("bar.red.popc.u32 %r1, 0, %p2;").atomic == AtomicOp::Popc);
  CHECK(modifiers_of("redux.sync.min.s32 %r1, %r2, -1;").atomic == AtomicOp::Min);
}

TEST_CASE("uni is a vote for vote and a promise for branches") {
  CHECK(modifiers_of("vote.sync.uni.pred %p1, %p2, -1;").vote == VoteMode::Uni);
  CHECK(!modifiers_of("vote.sync.uni.pred %p1, %p2, -1;").uni);
  CHECK(modifiers_of("L: bra.uni L;").uni);
  CHECK(modifiers_of("ret.uni;").uni);
}

TEST_CASE("sync is a flag of warp operations and a mode of barriers") {
  const Modifiers shuffle = modifiers_of("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;");
  CHECK(shuffle.sync);
  CHECK(shuffle.shuffle == ShuffleMode::Bfly);
  CHECK(shuffle.barrier == BarrierMode::None);
  CHECK(modifiers_of("bar.sync 0;").barrier == BarrierMode::Sync);
  CHECK(modifiers_of("bar.cta.sync 0;").barrier == BarrierMode::Sync);
  CHECK(modifiers_of("barrier.cta.arrive.aligned 1, 32;").barrier == BarrierMode::Arrive);
  CHECK(modifiers_of("bar.warp.sync -1;").barrier == BarrierMode::Warp);
}

TEST_CASE("modifiers may stand in any order") {
  for (const char* text :
       {"vote.sync.ballot.b32 %r1, %p1, -1;", "vote.ballot.sync.b32 %r1, %p1, -1;"}) {
    const Modifiers vote = modifiers_of(text);
    CHECK(vote.vote == VoteMode::Ballot);
    CHECK(vote.sync);
  }
  for (const char* text : {"atom.add.release.gpu.global.u32 %r1, [%rd1], 1;",
                           "atom.release.gpu.global.add.u32 %r1, [%rd1], 1;",
                           "atom.global.gpu.release.add.u32 %r1, [%rd1], 1;"}) {
    const Modifiers atom = modifiers_of(text);
    CHECK(atom.atomic == AtomicOp::Add);
    CHECK(atom.ordering == Ordering::Release);
    CHECK(atom.scope == Scope::Gpu);
    CHECK(atom.space == Space::Global);
  }
  for (const char* text :
       {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [staging];",
        "ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%r1, %r2, %r3, %r4}, [staging];"}) {
    CHECK(modifiers_of(text).has("x4"));
    CHECK(modifiers_of(text).has("m8n8"));
  }
}

TEST_CASE("l and r are directions of shf") {
  CHECK(modifiers_of("shf.l.wrap.b32 %r1, %r2, %r3, %r4;").direction == Direction::Left);
  CHECK(modifiers_of("shf.r.clamp.b32 %r1, %r2, %r3, %r4;").direction == Direction::Right);
  CHECK(modifiers_of("shf.r.clamp.b32 %r1, %r2, %r3, %r4;").shift == ShiftMode::Clamp);
}

TEST_CASE("nan is a comparison and NaN a way to treat it") {
  CHECK(modifiers_of("setp.nan.f32 %p1, %f1, %f2;").compare == Compare::Nan);
  CHECK(modifiers_of("min.NaN.f32 %f1, %f2, %f3;").nan);
  const Modifiers sign = modifiers_of("max.xorsign.abs.f32 %f1, %f2, %f3;");
  CHECK(sign.xorsign_abs);
}

TEST_CASE("memory accesses know space, order, scope, width and hints") {
  const Modifiers load =
      modifiers_of("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];");
  CHECK(load.space == Space::Global);
  CHECK(load.nc);
  CHECK(load.vector == 4);
  CHECK(load.has("L1::no_allocate"));
  CHECK(load.has("L2::128B"));
  CHECK(load.ordering == Ordering::Weak);
  const Modifiers acquire = modifiers_of("ld.acquire.sys.u32 %r1, [%rd1];");
  CHECK(acquire.ordering == Ordering::Acquire);
  CHECK(acquire.scope == Scope::Sys);
  CHECK(!acquire.has_space);
  const Modifiers is_volatile = modifiers_of("st.volatile.shared.u32 [staging], %r1;");
  CHECK(is_volatile.ordering == Ordering::Volatile);
  CHECK(is_volatile.volatile_);
  CHECK(modifiers_of("ld.param::entry.u64 %rd1, [out];").space == Space::Param);
  CHECK(modifiers_of("membar.gl;").scope == Scope::Gpu);
  CHECK(modifiers_of("fence.acq_rel.gpu;").ordering == Ordering::AcqRel);
  CHECK(modifiers_of("fence.sc.cta;").scope == Scope::Cta);
}

TEST_CASE("the other block's shared memory stays distinguishable from ours") {
  CHECK(modifiers_of("isspacep.shared::cta %p1, %rd1;").others.empty());
  CHECK(modifiers_of("isspacep.shared::cluster %p1, %rd1;").has("shared::cluster"));
  CHECK(modifiers_of("cvta.to.shared.u64 %rd1, %rd2;").to);
}

TEST_CASE("a copy has a space for each side") {
  const Modifiers copy = modifiers_of("cp.async.ca.shared.global [staging], [%rd1], 4;");
  CHECK(copy.space == Space::Shared);
  CHECK(copy.second_space == Space::Global);
  CHECK(copy.has("async"));
  CHECK(copy.has("ca"));
}

TEST_CASE("types keep their order") {
  CHECK(modifiers_of("cvt.rn.f32.s32 %f1, %r1;").types == std::vector{Type::F32, Type::S32});
  CHECK(modifiers_of("set.lt.u32.f32 %r1, %f1, %f2;").types == std::vector{Type::U32, Type::F32});
  CHECK(modifiers_of("cvt.rn.f16x2.f32 %r1, %f1, %f2;").types ==
        std::vector{Type::F16x2, Type::F32});
}

TEST_CASE("roundings, permutations and properties are read") {
  CHECK(modifiers_of("cvt.rni.s32.f32 %r1, %f1;").rounding == Rounding::Rni);
  CHECK(modifiers_of("add.rm.ftz.f32 %f1, %f2, %f3;").rounding == Rounding::Rm);
  CHECK(modifiers_of("prmt.b32.f4e %r1, %r2, %r3, %r4;").permute == PermuteMode::F4e);
  CHECK(modifiers_of("testp.notanumber.f32 %p1, %f1;").property == TestProperty::NotANumber);
  CHECK(modifiers_of("bfind.shiftamt.u32 %r1, %r2;").shiftamt);
}

TEST_CASE("the text of an instruction keeps its modifiers for messages") {
  CHECK(parsed_instruction("add .rn .f32 %f1, %f2, %f3;").text == "add.rn.f32");
}

TEST_CASE("modifiers that an opcode does not have, or that contradict each other, are errors") {
  CHECK(error_of(kernel_text("add.lo.u32 %r1, %r2, %r3;")) ==
        "14:4 the modifier '.lo' does not fit 'add.lo'");
  CHECK(error_of(kernel_text("add.rn.rz.f32 %f1, %f2, %f3;")) ==
        "14:7 the modifier '.rz' does not fit 'add.rn.rz'");
  CHECK(error_of(kernel_text("and.f32 %f1, %f2, %f3;")) ==
        "14:4 the modifier '.f32' does not fit 'and.f32'");
  CHECK(error_of(kernel_text("ld.global.shared.u32 %r1, [%rd1];")) ==
        "14:10 the modifier '.shared' does not fit 'ld.global.shared'");
}
