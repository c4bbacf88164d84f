// SPDX-License-Identifier: MIT
// What threads do together, for random kernels: exchanges through shared memory, warp operations.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

/// What one thread wrote is read by another.
void RandomKernel::exchange() {
  const bool wide = one_in(4);
  const std::string size = wide ? "3" : "2";
  line("shl.b32 %t0, %lin, " + size + "; mov.u32 %t1, tile; add.u32 %t0, %t0, %t1;");
  if (one_in(6)) {
    line("setp.lt.u32 %q7, %lin, %u1;");
    line("@%q7 st.shared." + (wide ? "u64 [%t0], " + l() : "u32 [%t0], " + source()) + ";");
  } else {
    line("st.shared." + (wide ? "u64 [%t0], " + l() : "u32 [%t0], " + source()) + ";");
  }
  line("bar.sync 0;");
  if (one_in(3)) {
    line("sub.u32 %t2, %u1, %lin; sub.u32 %t2, %t2, 1;");
  } else {
    line("mad.lo.s32 %t2, %lin, " + str(1 + 2 * pick(4)) + ", " + str(pick(50)) +
         "; rem.u32 %t2, %t2, %u1;");
  }
  line("shl.b32 %t2, %t2, " + size + "; add.u32 %t2, %t2, %t1;");
  line("ld.shared." + (wide ? "u64 " + l() : "u32 " + r()) + ", [%t2];");
  line("bar.sync 0;");
}

/// Barriers that reduce, additions to shared counters by some threads, or a tree of halving
/// strides, read by all.
void RandomKernel::share_and_reduce() {
  if (one_in(4)) {
    const std::string q = condition();
    if (one_in(2)) return line("bar.red.popc.u32 " + r() + ", 0, " + q + ";");
    line(std::string("bar.red.") + (pick(2) ? "and" : "or") + ".pred %z, 0, " + q + ";");
    return line("selp.u32 " + r() + ", 1, 0, %z;");
  }
  if (one_in(2)) {
    line(
        "mov.u32 %t4, counts; setp.lt.u32 %q7, %lin, 16; shl.b32 %t0, %lin, 2; add.u32 %t0, %t0, "
        "%t4;");
    line("@%q7 st.shared.u32 [%t0], %lin;");
    line("bar.sync 0;");
    const std::string q = condition();
    line("and.b32 %t2, " + source() + ", 15; shl.b32 %t2, %t2, 2; add.u32 %t2, %t2, %t4;");
    line("@" + q + " red.shared.add.u32 [%t2], " + source() + ";");
    line("bar.sync 0;");
    line("ld.shared.u32 " + r() + ", [counts+" + str(4 * pick(16)) + "];");
    return line("bar.sync 0;");
  }
  const std::string start = label(), skip = label(), end = label();
  line("shl.b32 %t0, %lin, 2; mov.u32 %t1, tile; add.u32 %t0, %t0, %t1;");
  line("st.shared.u32 [%t0], " + source() + "; mov.u32 %t3, " + str(8 << pick(3)) + ";");
  line("bar.sync 0;");
  line(start + ":");
  line("add.u32 %t4, %lin, %t3; setp.ge.u32 %q7, %t4, %u1; setp.ge.u32 %z, %lin, %t3;");
  line("or.pred %q7, %q7, %z;");
  line("@%q7 bra " + skip + ";");
  line("shl.b32 %t4, %t4, 2; add.u32 %t4, %t4, %t1; ld.shared.u32 %t5, [%t4];");
  line("ld.shared.u32 %t2, [%t0]; add.u32 %t2, %t2, %t5; st.shared.u32 [%t0], %t2;");
  line(skip + ":");
  line("bar.sync 0; shr.u32 %t3, %t3, 1; setp.ne.u32 %q7, %t3, 0;");
  line("@%q7 bra " + start + ";");
  line(end + ":");
  line("ld.shared.u32 " + r() + ", [tile];");
  line("bar.sync 0;");
}

/// Own and another lane's number, without a barrier in between; `own` and `other` are addresses.
void RandomKernel::exchange_in_step(const std::string& own, const std::string& other) {
  const std::string to = r();
  switch (pick(4)) {
    case 0:  // one number each
      line("st.volatile.shared.u32 " + own + ", " + source() + ";");
      return line("ld.volatile.shared.u32 " + to + ", " + other + ";");
    case 1:  // a sum
      line("ld.volatile.shared.u32 %t4, " + own + "; ld.volatile.shared.u32 %t5, " + other + ";");
      line("add.u32 %t4, %t4, %t5; st.volatile.shared.u32 " + own + ", %t4;");
      return line("xor.b32 " + to + ", " + to + ", %t4;");
    case 2:  // read without volatile
      line("st.volatile.shared.u32 " + own + ", " + source() + ";");
      // Out of a loop, compilers may move such a load behind the trips of other lanes.
      return line((traits_.trips || loops_ > 0 ? "ld.volatile.shared.u32 " : "ld.shared.u32 ") +
                  to + ", " + other + ";");
    default: {  // by some lanes
      const std::string q = condition();
      line("@" + q + " st.volatile.shared.u32 " + own + ", " + source() + ";");
      return line("ld.volatile.shared.u32 " + to + ", " + other + ";");
    }
  }
}

/// Threads of a warp exchange numbers in lockstep, each place in slots of its own: what lanes that
/// are elsewhere put there is from earlier.
void RandomKernel::step() {
  const std::string place = str(4096 * step_places_++);
  line("add.u32 %o1, %lane, " + str(1 + pick(31)) + "; rem.u32 %o1, %o1, %members;");
  line("add.u32 %o1, %o1, %first; shl.b32 %o1, %o1, 2; mov.u32 %o2, slots;");
  line("add.u32 %o1, %o1, %o2; shl.b32 %o0, %lin, 2; add.u32 %o0, %o0, %o2;");
  for (int times = 1 + pick(3); times > 0; --times)
    exchange_in_step("[%o0+" + place + "]", "[%o1+" + place + "]");
}

/// As programs do that are written for blocks of one width.
void RandomKernel::load_by_literal() {
  line("mad.lo.u32 %t0, %ty, " + str(traits_.literal_width) + ", %tx;");
  if (one_in(2)) line("mad.lo.u32 %t0, %bx, 256, %t0;");
  line("and.b32 %t0, %t0, " + str(in_words - 1) +
       "; mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %in;");
  line("ld.global.u32 " + r() + ", [%a];");
}

/// Between the lanes that have threads; or only between those for which a condition holds.
void RandomKernel::shuffle() {
  const std::string value = pick(2) ? r() : source(), to = r();
  const std::string where = std::string(" %t0|%z, ") + value + ", ";
  switch (pick(5)) {
    case 0:
      line("shfl.sync.up.b32" + where + str(1 + pick(16)) + ", 0, %warp;");
      break;
    case 1:
      line("shfl.sync.bfly.b32" + where + str(1 << pick(5)) + ", 31, %warp;");
      break;
    case 2:
      line("and.b32 %t1, " + source() + ", 31; shfl.sync.idx.b32" + where + "%t1, 31, %warp;");
      break;
    case 3:
      line("shfl.sync.down.b32" + where + str(1 + pick(3)) + ", " +
           (pick(2) ? "0x181f" : "0x1c1f") + ", %warp;");
      break;
    default: {
      const std::string q = condition(), end = label();
      line("vote.sync.ballot.b32 %t1, " + q + ", %warp;");
      line("@!" + q + " bra " + end + ";");
      line("bfind.u32 %t2, %t1; shfl.sync.idx.b32" + where + "%t2, 31, %t1;");
      line("add.u32 " + to + ", " + to + ", %t0;");
      line(end + ":");
      return;
    }
  }
  // A lane without a thread gives nothing that could be relied on.
  line("selp.b32 %t0, %t0, 7, %z;");
  if (value.empty()) return;
  line("setp.eq.u32 %z, %warp, -1; selp.b32 " + to + ", %t0, " + to + ", %z;");
}

/// A branch that the threads of a warp take together, other warps perhaps not: by a number of one
/// of them, or by what they have voted.
void RandomKernel::agreed_branch(int depth) {
  const std::string end = label(), last = "bfind.u32 %t1, %warp; ";
  if (one_in(4)) {
    const std::string q = condition();
    line(std::string("vote.sync.") + any_of({"any", "all", "uni"}) + ".pred %q6, " + q +
         ", %warp;");
  } else {
    static constexpr const char* lanes[] = {"mov.u32 %t1, 0;", "bfind.u32 %t1, %warp;",
                                            "and.b32 %t2, %bx, 31; min.u32 %t1, %t1, %t2;"};
    const int lane = pick(3);
    line((lane == 2 ? last : "") + lanes[lane]);
    line("shfl.sync.idx.b32 %t0, " + source() + ", " + (lane == 0 && one_in(2) ? "32" : "%t1") +
         ", 31, %warp;");
    line("setp." + comparison() + ".s32 %q6, %t0, " + str(pick(200)) + ";");
  }
  const bool outer = depth_is_uniform_;
  const std::string saved_exit = loop_exit_, saved_next = loop_next_;
  depth_is_uniform_ = false;
  loop_exit_.clear();
  loop_next_.clear();
  const bool both = one_in(2);
  const std::string other = both ? label() : end;
  const auto side = [&] {
    shuffle();
    if (one_in(2)) statements(1 + pick(2), depth + 1);
    if (one_in(2)) vote();
    if (depth < 3 && one_in(3)) agreed_branch(depth + 1);
  };
  line("@!%q6 bra " + other + ";");
  side();
  if (both) {
    line("bra " + end + ";");
    line(other + ":");
    side();
  }
  line(end + ":");
  depth_is_uniform_ = outer;
  loop_exit_ = saved_exit;
  loop_next_ = saved_next;
}

void RandomKernel::vote() {
  const std::string q = condition();
  switch (pick(3)) {
    case 0:
      line("vote.sync.ballot.b32 " + r() + ", " + q + ", %warp;");
      break;
    case 1:
      line("vote.sync.any.pred %z, " + q + ", %warp; selp.b32 " + r() + ", 1, 2, %z;");
      break;
    default:
      line("vote.sync.all.pred %z, " + q + ", %warp; selp.b32 " + r() + ", 3, 4, %z;");
      break;
  }
}

}  // namespace pycuda::cpu::testing
