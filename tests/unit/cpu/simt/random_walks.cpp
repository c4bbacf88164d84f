// SPDX-License-Identifier: MIT
// Loops over memory of the thread's own, turns in shared memory, lists, and chains of extrema and
// divisions, for random kernels: what passes for whole patterns look for.
#include <algorithm>

#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

void RandomKernel::begin_walks() {
  const std::string start = label();
  line("mul.lo.u32 %own, %lin, " + str(shared_row_bytes) + "; mov.u32 %k1, rows;");
  line("add.u32 %own, %own, %k1; mov.u32 %k0, 0; mov.u32 %k1, %own;");
  line(start + ":");
  line("mad.lo.u32 %k2, %k0, 7919, %i; st.shared.u32 [%k1], %k2; add.u32 %k1, %k1, 4;");
  line("add.u32 %k0, %k0, 1; setp.lt.u32 %q6, %k0, " + str(shared_row_bytes / 4) + ";");
  line("@%q6 bra " + start + ";");
  if (traits_.barriers) line("bar.sync 0;");
}

void RandomKernel::walk(int depth) {
  if (traits_.whole_warps && one_in(3)) return row_of_warp();
  switch (pick(depth_is_uniform_ && traits_.barriers ? 10 : 8)) {
    case 0:
    case 1:
      return own_row();
    case 2:
      return walk_local();
    case 3:
      return extrema();
    case 4:
      return same_divisor(depth);
    case 5:
      return walk_list();
    case 6:
      return lower_own_words();
    case 7:
      return keep_in_place();
    default:
      return turns();
  }
}

/// %k0 becomes a number of trips up to `most`, a power of two; where it is none, goes to `end`.
void RandomKernel::count_trips(int most, const std::string& end) {
  if (one_in(3)) {
    line("mov.u32 %k0, " + str(pick(most + 1)) + ";");
  } else {
    line("and.b32 %k0, " + source() + ", " + str(2 * most - 1) + "; min.u32 %k0, %k0, " +
         str(most) + ";");
  }
  line("setp.eq.u32 %q6, %k0, 0;");
  line("@%q6 bra " + end + ";");
}

/// A loop's end for the trips that count_trips has counted.
void RandomKernel::next_trip(const std::string& start) {
  if (one_in(2)) {
    line("sub.u32 %k0, %k0, 1; setp.ne.u32 %q6, %k0, 0;");
  } else {
    line("add.u32 %k4, %k4, 1; setp." + std::string(pick(2) ? "lt.u32" : "lt.s32") +
         " %q6, %k4, %k0;");
  }
  line("@%q6 bra " + start + ";");
}

/// What a trip computes for one element, which is in %k3, %e1 or %m0.
void RandomKernel::change_element(RowKind kind) {
  switch (kind) {
    case RowKind::Word:
      line(std::string(any_of({"add.u32", "mul.lo.u32", "xor.b32", "max.s32", "min.u32"})) +
           " %k3, %k3, " + operand() + ";");
      if (one_in(2)) line("shr.u32 %k5, %k3, 3; add.u32 %k3, %k3, %k5;");
      return;
    case RowKind::Real:
      line(std::string(any_of({"add.f32", "mul.f32", "min.f32", "max.f32", "sub.f32"})) +
           " %e1, %e1, " + f() + ";");
      if (one_in(2)) line("fma.rn.f32 %e1, %e1, 0f3f000000, " + f() + ";");
      return;
    default:
      line(std::string(any_of({"add.u64", "mul.lo.u64", "xor.b64", "max.s64"})) + " %m0, %m0, " +
           l() + ";");
      return;
  }
}

/// Reads and writes elements of the thread's own row, along it, maybe where it has just written.
void RandomKernel::own_row() {
  const bool shared = one_in(3);
  const auto kind = static_cast<RowKind>(pick(shared ? 2 : 3));
  const int bytes = kind == RowKind::Wide ? 8 : 4;
  const int most = shared || kind == RowKind::Wide ? 4 : 8;
  const int copies = std::min(1 << pick(3), most);
  const std::string start = label(), end = label();
  const std::string to = shared ? "%k1" : "%y1", from = shared ? "%k2" : "%y2";
  const std::string add = shared ? "add.u32 " : "add.u64 ";
  line("setp.ge.u32 %q6, %i, %n;");
  line("@%q6 bra " + end + ";");
  line(shared ? "mov.u32 %k1, %own;"
              : "mul.wide.u32 %y1, %i, " + str(4 * out_words) + "; add.u64 %y1, %y1, %out;");
  if (one_in(2)) {
    line("and.b32 %k2, " + source() + ", " + str(most - 1) + "; mul.lo.u32 %k2, %k2, " +
         str(bytes) + ";");
    if (!shared) line("cvt.u64.u32 %y2, %k2;");
    line(add + from + ", " + from + ", " + to + ";");
  } else if (!shared && one_in(3)) {
    line("mul.wide.u32 %y2, %i, 16; add.u64 %y2, %y2, %in;");
  } else {
    line(add + from + ", " + to + ", " + str(bytes * pick(most + 1)) + ";");
  }
  line(add + to + ", " + to + ", " + str(bytes * pick(most + 1)) + ";");
  count_trips(most / copies, end);
  line("mov.u32 %k4, 0;");
  line(start + ":");
  const char* value = kind == RowKind::Word ? "%k3" : kind == RowKind::Real ? "%e1" : "%m0";
  const char* type = kind == RowKind::Word ? "u32" : kind == RowKind::Real ? "f32" : "u64";
  const std::string space = shared ? ".shared." : ".global.";
  const bool leaves = one_in(3);
  std::string changes;  // the same for all copies
  for (int copy = 0; copy < copies; ++copy) {
    const std::string at = "+" + str(copy * bytes) + "]";
    line("ld" + space + type + " " + value + ", [" + from + at + ";");
    if (leaves && kind == RowKind::Word) line("mov.u32 %left, %k3;");
    if (copy == 0) {
      const std::size_t before = body_.size();
      change_element(kind);
      changes = body_.substr(before);
    } else {
      body_ += changes;
    }
    line("st" + space + type + " [" + to + at + ", " + value + ";");
  }
  const std::string step = ", " + str(copies * bytes) + ";";
  line(add + to + ", " + to + step);
  line(add + from + ", " + from + step);
  next_trip(start);
  if (leaves && kind == RowKind::Word) line("add.u32 " + r() + ", %left, 1;");
  line(end + ":");
}

/// A loop that keeps a number in a word of the thread's own, and reads other words, or writes them:
/// its own, where that word may be among them, or those of `in`.
void RandomKernel::keep_in_place() {
  const std::string start = label(), end = label();
  const bool own = !one_in(3), back = one_in(3);
  line("setp.ge.u32 %q6, %i, %n;");
  line("@%q6 bra " + end + ";");
  line("mul.wide.u32 %y1, %i, " + str(4 * out_words) + "; add.u64 %y1, %y1, %out;");
  if (own) {
    line("and.b32 %k2, " + source() + ", 7; mul.wide.u32 %y2, %k2, 4; add.u64 %y2, %y2, %y1;");
    if (back) line("add.u64 %y2, %y2, 32;");
  } else {
    line("mul.wide.u32 %y2, %i, 4; add.u64 %y2, %y2, %in;");
    if (back) line("add.u64 %y2, %y2, 32;");
  }
  line("add.u64 %y1, %y1, " + str(4 * pick(16)) + ";");
  count_trips(8, end);
  line("mov.u32 %k4, 0;");
  line(start + ":");
  const bool writes = own && one_in(4);
  line("ld.global.u32 %k3, [%y2];");
  change_element(RowKind::Word);
  switch (pick(4)) {
    case 0:
      line("ld.global.u32 %k5, [%y1]; add.u32 %k3, %k3, %k5; st.global.u32 [%y1], %k3;");
      break;
    case 1:
      line("ld.global.u32 %k5, [%y1]; setp.lt.s32 %q6, %k3, %k5;");
      line("@%q6 st.global.u32 [%y1], %k3;");
      break;
    case 2:
      line("and.b32 %k5, %k3, 3; setp.eq.u32 %q6, %k5, 0;");
      line("@%q6 st.global.u32 [%y1], %k3;");
      break;
    default:
      line("st.global.u32 [%y1], %k3; ld.global.u16 %w0, [%y2]; cvt.u32.u16 %k5, %w0;");
      line("xor.b32 %k3, %k3, %k5; st.global.u32 [%y1], %k3;");
  }
  if (writes) line("st.global.u32 [%y2], %k3;");
  if (one_in(4)) {
    line("and.b32 %k5, %k3, 12; setp.eq.u32 %q6, %k5, 4;");
    line("@%q6 bra " + end + ";");
  }
  line("add.u64 %y2, %y2, " + std::string(back ? "-4" : "4") + ";");
  next_trip(start);
  line(end + ":");
}

/// An array in local memory, at places that the trip says and at such that differ among threads.
void RandomKernel::walk_local() {
  const std::string fill = label(), start = label(), end = label();
  const auto place = [&](const std::string& index, int mask, int bytes) {
    line("and.b32 %k2, " + index + ", " + str(mask) + "; mul.wide.u32 %y1, %k2, " + str(bytes) +
         "; mov.u64 %y2, walked; add.u64 %y1, %y1, %y2;");
  };
  line("mov.u32 %k4, 0;");
  line(fill + ":");
  place("%k4", 15, 4);
  line("xor.b32 %k3, %k4, " + source() + "; st.local.u32 [%y1], %k3; add.u32 %k4, %k4, 1;");
  line("setp.lt.u32 %q6, %k4, 16;");
  line("@%q6 bra " + fill + ";");
  count_trips(16, end);
  line("mov.u32 %k4, 0;");
  line(start + ":");
  place(pick(2) ? "%k4" : source(), 15, 4);
  line("ld.local.u32 %k3, [%y1];");
  change_element(RowKind::Word);
  if (one_in(3)) {
    place("%k3", 31, 2);
    line("ld.local.u16 %k5, [%y1]; add.u32 %k3, %k3, %k5;");
  }
  if (one_in(4)) {
    place(source(), 7, 8);
    line("st.local.u64 [%y1], " + l() + ";");
  }
  place(pick(2) ? "%k4" : pick(2) ? "%k3" : source(), 15, 4);
  line("st.local.u32 [%y1], %k3;");
  next_trip(start);
  line(end + ":");
  place(source(), 15, 4);
  line("ld.local.u32 " + r() + ", [%y1];");
}

/// Of numbers that are NaN, zeros of either sign or subnormal, or known not to be.
void RandomKernel::extrema() {
  const auto number = [&]() -> std::string {
    return pick(3) ? f()
                   : any_of({"0f80000000", "0f00000000", "0f7FC00000", "0f7F800001", "0f00000001",
                             "0f80000001", "0fFF800000", "0f3F800000"});
  };
  const std::string to = f();
  line("mov.f32 %e0, " + number() + ";");
  for (int steps = 2 + pick(5); steps > 0; --steps) {
    switch (pick(9)) {
      case 0:
        line("cvt.rn.f32." + std::string(pick(2) ? "s32" : "u32") + " %e1, " + source() +
             "; min.f32 %e0, %e0, %e1;");
        break;
      case 1:
        line(std::string(any_of({"neg.f32", "abs.f32"})) + " %e0, %e0;");
        break;
      case 2:
        line("setp.nan.f32 %q6, %e0, %e0; selp.f32 %e0, " + number() + ", %e0, %q6;");
        break;
      case 3:
        line("mul.f32 %e1, " + f() + ", " + f() + "; max.f32 %e0, %e1, %e0;");
        break;
      case 4:
        line(std::string(any_of({"min.NaN.f32", "max.NaN.f32", "min.ftz.f32", "max.ftz.f32"})) +
             " %e0, %e0, " + number() + ";");
        break;
      case 5:
        line(std::string(any_of({"min.f64 ", "max.f64 "})) + d() + ", " + d() + ", " +
             any_of({"0d8000000000000000", "0d0000000000000000", "0d3FF0000000000000"}) + ";");
        break;
      default:
        line(std::string(any_of({"min.f32", "max.f32"})) + " %e0, " +
             (pick(2) ? "%e0, " + number() : number() + ", %e0") + ";");
        break;
    }
  }
  line("mov.f32 " + to + ", %e0;");
}

/// Divisions by one number on both ways of a branch.
void RandomKernel::same_divisor(int depth) {
  const std::string other = label(), end = label();
  const bool outer = depth_is_uniform_;
  const auto quotient = [&] {
    const std::string kind = one_in(6) ? "div.full.f32 " : "div.rn.f32 ";
    if (one_in(3)) return line(kind + f() + ", " + f() + ", %divisor;");
    line(std::string(any_of({"add.f32", "sub.f32", "mul.f32"})) + " %e1, " + f() + ", " + f() +
         "; " + kind + f() + ", %e1, %divisor;");
  };
  line("mov.f32 %divisor, " + f() + "; setp." + any_of({"lt", "gt", "leu", "nan", "equ"}) +
       ".f32 %q6, " + f() + ", " + (pick(2) ? f() : "%divisor") + ";");
  line("@%q6 bra " + other + ";");
  depth_is_uniform_ = false;
  quotient();
  if (one_in(3)) statements(1, std::max(depth + 1, 4));
  if (one_in(4)) quotient();
  line("bra " + end + ";");
  line(other + ":");
  if (one_in(3)) statements(1, std::max(depth + 1, 4));
  quotient();
  line(end + ":");
  depth_is_uniform_ = outer;
}

/// From one word of `in` to the next, or a row of it of which two neighbours say where it begins
/// and ends.
/// The lanes of a warp go through a row of `in`, whose number is that of the warp, by steps of 32
/// elements, as compilers write that loop down: a few trips alone, then several at a time.
void RandomKernel::row_of_warp() {
  const std::string first = label(), single = label(), many = label(), end = label();
  const std::string sum = r();
  const std::string index = any_of({"%g", "%g", "%lin"});
  if (one_in(2)) {
    const std::string sign = any_of({"s32", "u32"});
    line("div." + sign + " %k1, " + index + ", 32; rem." + sign + " %k4, " + index + ", 32;");
  } else {
    line(any_of({"shr.u32", "shr.s32"}) + (" %k1, " + index) + ", 5;");
    line("and.b32 %k4, " + index + ", 31;");
  }
  if (one_in(4)) line("shl.b32 %k4, %k4, 1;");
  line("mul.lo.u32 %k1, %k1, " + std::string(any_of({"1", "64", "97", "200"})) + ";");
  if (one_in(3)) {
    // A sparse row says itself how long it is.
    line("and.b32 %k3, %k1, " + str(in_words - 1) +
         "; mul.wide.u32 %y1, %k3, 4; add.u64 %y1, %y1, %in; ld.global.u32 %k5, [%y1];");
    line("and.b32 %k5, %k5, 255;");
  } else {
    line(one_in(2) ? "mov.u32 %k5, " + str(pick(200)) + ";" : "and.b32 %k5, %n, 127;");
  }
  line("setp.ge.s32 %q6, %k4, %k5;");
  if (one_in(3)) {
    line("add.u32 %k0, %k4, 32; max.s32 %k0, %k0, %k5; sub.u32 %k0, %k0, %k4;");
  } else {
    line("sub.u32 %k0, %k5, %k4;");
  }
  line("@%q6 bra " + end + ";");
  const std::string trips = any_of({"shr.u32", "shr.s32"});
  line("add.u32 %k0, %k0, 31; " + trips + " %k0, %k0, 5; and.b32 %k2, %k0, 3;");
  const auto trip = [&] {
    line("add.u32 %k3, %k1, %k4; and.b32 %k3, %k3, " + str(in_words - 1) +
         "; mul.wide.u32 %y1, %k3, 4; add.u64 %y1, %y1, %in; ld.global.u32 %k3, [%y1];");
    line("mad.lo.u32 " + sum + ", " + sum + ", 3, %k3; add.u32 %k4, %k4, 32;");
  };
  line("setp.eq.u32 %q6, %k2, 0;");
  line("@%q6 bra " + single + ";");
  line(first + ":");
  trip();
  line("sub.u32 %k2, %k2, 1; setp.ne.u32 %q6, %k2, 0;");
  line("@%q6 bra " + first + ";");
  line(single + ":");
  line("setp.lt.u32 %q6, %k0, 4;");
  line("@%q6 bra " + end + ";");
  line(many + ":");
  for (int i = 0; i < 4; ++i) trip();
  line("setp.lt.s32 %q6, %k4, %k5;");
  line("@%q6 bra " + many + ";");
  line(end + ":");
}

void RandomKernel::walk_list() {
  const std::string start = label(), end = label();
  const std::string mask = str(in_words - 1), sum = r();
  line("and.b32 %k1, " + source() + ", " + mask + ";");
  const auto read = [&](const std::string& to, const std::string& index) {
    line("mul.wide.u32 %y1, " + index + ", 4; add.u64 %y1, %y1, %in; ld.global.u32 " + to +
         ", [%y1];");
  };
  if (one_in(2)) {
    line("and.b32 %k0, " + source() + ", 31; mov.u32 %k4, 0;");
    line(start + ":");
    line("setp.ge.u32 %q6, %k4, %k0;");
    line("@%q6 bra " + end + ";");
    read("%k3", "%k1");
    line("and.b32 %k1, %k3, " + mask + "; add.u32 " + sum + ", " + sum + ", %k3;");
    line("add.u32 %k4, %k4, 1; and.b32 %k5, %k1, 7; setp.ne.u32 %q6, %k5, " + str(pick(8)) + ";");
    line("@%q6 bra " + start + ";");
    return line(end + ":");
  }
  read("%k0", "%k1");
  line("ld.global.u32 %k4, [%y1+4]; and.b32 %k0, %k0, 31; and.b32 %k4, %k4, 31;");
  line(start + ":");
  line("setp.ge.u32 %q6, %k4, %k0;");
  line("@%q6 bra " + end + ";");
  read("%k3", "%k4");
  line("and.b32 %k3, %k3, " + mask + ";");
  if (one_in(2)) read("%k3", "%k3");
  line("mad.lo.u32 " + sum + ", " + sum + ", 3, %k3; add.u32 %k4, %k4, 1;");
  line("bra " + start + ";");
  line(end + ":");
}

/// Some of the thread's own words become smaller, where a list says; or each is read again behind.
void RandomKernel::lower_own_words() {
  const std::string start = label(), skip = label(), end = label();
  const bool reads_again = one_in(2);
  line("setp.ge.u32 %q6, %i, %n;");
  line("@%q6 bra " + end + ";");
  line("mul.wide.u32 %y2, %i, " + str(4 * out_words) + "; add.u64 %y2, %y2, %out;");
  count_trips(16, end);
  line("mov.u32 %k4, 0; and.b32 %k1, " + source() + ", 1023;");
  if (reads_again) line("ld.global.u32 %k5, [%y2+8];");
  line(start + ":");
  line("add.u32 %k2, %k1, %k4; mul.wide.u32 %y1, %k2, 4; add.u64 %y1, %y1, %in;");
  line("ld.global.u32 %k2, [%y1]; and.b32 %k2, %k2, 1023; mul.wide.u32 %y1, %k2, 4;");
  line("add.u64 %y1, %y1, %in; ld.global.u32 %k3, [%y1]; and.b32 %k2, %k2, 15;");
  line("mul.wide.u32 %y1, %k2, 4; add.u64 %y1, %y1, %y2;");
  if (!reads_again) line("ld.global.u32 %k5, [%y1];");
  line(std::string("setp.") + any_of({"ge.u32", "ge.s32", "eq.u32"}) + " %q6, %k3, %k5;");
  line("@%q6 bra " + skip + ";");
  line("st.global.u32 [%y1], %k3;");
  if (reads_again) line("ld.global.u32 %k5, [%y2+8];");
  line(skip + ":");
  next_trip(start);
  if (reads_again) line("mov.u32 " + r() + ", %k5;");
  line(end + ":");
}

/// At each step one thread, or some, change what is theirs in shared memory; others read it later.
void RandomKernel::turns() {
  const std::string start = label(), skip = label();
  const int kind = pick(3);
  const auto own = [](int word) { return "[%own+" + str(4 * word) + "]"; };
  line("bar.sync 0;");
  line("min.u32 %k0, %u1, " + str(2 + pick(12)) + "; mov.u32 %k4, 0; mov.u32 %k1, %own;");
  line(start + ":");
  if (kind == 0) {
    // A single thread: it may read what any other has.
    line("add.u32 %k1, %lin, " + str(1 + pick(5)) + "; rem.u32 %k1, %k1, %u1;");
    line("setp.ne.u32 %q6, %lin, %k4;");
  } else if (kind == 1) {
    line("mov.u32 %k1, %k4; sub.u32 %k2, %lin, %k4; sub.u32 %k2, %k2, 1;");
    line("setp.ge.u32 %q6, %k2, " + str(1 + pick(20)) + ";");
  } else {
    line("mov.u32 %k1, %lin; and.b32 %k2, %lin, 7; setp.ne.u32 %q6, %k2, %k4;");
  }
  line("mov.u32 %k5, rows; mad.lo.u32 %k1, %k1, " + str(shared_row_bytes) + ", %k5;");
  line("@%q6 bra " + skip + ";");
  for (int steps = 2 + pick(2); steps > 0; --steps) {
    const int word = pick(shared_row_bytes / 4);
    line("ld.shared.u32 %k3, " + own(word) + "; ld.shared.u32 %k5, [%k1+" +
         str(4 * pick(shared_row_bytes / 4)) + "];");
    line(std::string(any_of({"add.u32", "sub.u32", "min.s32", "xor.b32", "mul.lo.u32"})) +
         " %k3, %k3, %k5; st.shared.u32 " + own(pick(2) ? word : pick(9)) + ", %k3;");
  }
  line(skip + ":");
  line("bar.sync 0;");
  line("add.u32 %k4, %k4, 1; setp.lt.u32 %q6, %k4, %k0;");
  line("@%q6 bra " + start + ";");
  line("add.u32 %k1, %lin, " + str(pick(40)) + "; rem.u32 %k1, %k1, %u1; mov.u32 %k5, rows;");
  line("mad.lo.u32 %k1, %k1, " + str(shared_row_bytes) + ", %k5; ld.shared.u32 " + r() + ", [%k1+" +
       str(4 * pick(shared_row_bytes / 4)) + "];");
  line("bar.sync 0;");
}

}  // namespace pycuda::cpu::testing
