// SPDX-License-Identifier: MIT
// Control flow, memory and what threads do together; random_arithmetic.cpp has the rest.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

std::string RandomKernel::text(const std::string& name, const KernelTraits& traits) {
  traits_ = traits;
  body_.clear();
  next_label_ = 0;
  depth_is_uniform_ = true;
  loops_ = 0;
  loop_exit_.clear();
  loop_next_.clear();
  prologue();
  const std::size_t start = body_.size();
  statements(traits_.size, 0);
  epilogue(body_.substr(start));
  return ".visible .entry " + name +
         "(.param .u64 in, .param .u64 out, .param .u64 soa, .param .u64 bins, .param .u32 n) {\n"
         ".shared .align 16 .b8 tile[8192];\n.shared .align 4 .b8 counts[64];\n"
         ".local .align 8 .b8 mine[64];\n"
         ".reg .b64 %in, %out, %soa, %bins, %a, %x, %l<4>, %m<2>;\n"
         ".reg .b32 %r<8>, %n, %tx, %ty, %nx, %ny, %bx, %lin, %i, %g, %u0, %u1, %lane, %warp, "
         "%t<6>, %c<8>, %s<2>;\n"
         ".reg .b16 %h<4>, %g<2>, %w<2>; .reg .f32 %f<4>, %e<2>; .reg .f64 %d<3>, %v<2>;\n"
         ".reg .pred %p0, %q<8>, %z;\n" +
         body_ + "DONE:\nret;\n}\n";
}

void RandomKernel::prologue() {
  line(
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %soa, [soa]; "
      "ld.param.u64 %bins, [bins]; ld.param.u32 %n, [n];");
  line(
      "mov.u32 %tx, %tid.x; mov.u32 %nx, %ntid.x; mov.u32 %bx, %ctaid.x; mov.u32 %ty, %tid.y; "
      "mov.u32 %ny, %ntid.y; mov.u32 %t0, %tid.z; mov.u32 %t1, %ntid.z;");
  line("mad.lo.s32 %lin, %t0, %ny, %ty; mad.lo.s32 %lin, %lin, %nx, %tx;");
  line("mul.lo.s32 %u1, %nx, %ny; mul.lo.s32 %u1, %u1, %t1;");
  line("mad.lo.s32 %i, %bx, %u1, %lin; mad.lo.s32 %g, %bx, %nx, %tx; mov.u32 %u0, %nctaid.x;");
  line("setp.ge.u32 %p0, %i, %n;");
  if (!traits_.barriers && !traits_.warps) line("@%p0 bra DONE;");
  if (traits_.warps) {
    // The lanes of this warp that have threads.
    line("and.b32 %lane, %lin, 31; sub.u32 %t0, %lin, %lane; sub.u32 %t0, %u1, %t0;");
    line("min.u32 %t0, %t0, 32; sub.u32 %t0, 32, %t0; mov.u32 %warp, -1;");
    line("shr.u32 %warp, %warp, %t0;");
  }
  for (int k = 0; k < 8; ++k)
    line("xor.b32 %r" + str(k) + ", " + (k == 0 ? "%i" : source()) + ", " + str(pick(1000)) + ";");
  for (int k = 0; k < 4; ++k) line("cvt.s64.s32 %l" + str(k) + ", %r" + str(k) + ";");
  for (int k = 0; k < 4; ++k) line("cvt.u16.u32 %h" + str(k) + ", %r" + str(k + 2) + ";");
  for (int k = 0; k < 4; ++k) line("cvt.rn.f32.s32 %f" + str(k) + ", %r" + str(k) + ";");
  for (int k = 0; k < 3; ++k) line("cvt.rn.f64.s32 %d" + str(k) + ", %r" + str(k + 4) + ";");
  for (int k = 0; k < 2; ++k) line("cvt.rn.f16.f32 %g" + str(k) + ", %f" + str(k) + ";");
}

/// One word of all that the thread knows, or, to see which part differs, every part to a row of
/// `soa`, from the fifth on. Registers that `used` does not name still hold what they held first.
/// Which NaN a double is PTX leaves open.
void RandomKernel::epilogue(const std::string& used) {
  if (traits_.barriers || traits_.warps) line("@%p0 bra DONE;");
  line("mul.wide.u32 %a, %i, 8; add.u64 %a, %a, %soa; mov.u64 %x, 0;");
  int row = 4;
  const auto keep = [&](const std::string& name, const std::string& as_word) {
    if (used.find(name) == std::string::npos) return;
    line(as_word);
    if (traits_.every_part) line("st.global.u64 [%a+" + str(row++ * 2048 * 8) + "], %m0;");
    line("shl.b64 %m1, %x, 5; sub.u64 %x, %m1, %x; xor.b64 %x, %x, %m0;");
  };
  for (const char* name : {"%r0", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7"})
    keep(name, std::string("cvt.u64.u32 %m0, ") + name + ";");
  for (const char* name : {"%f0", "%f1", "%f2", "%f3"})
    keep(name, std::string("mov.b32 %t0, ") + name + "; cvt.u64.u32 %m0, %t0;");
  for (const char* name : {"%l0", "%l1", "%l2", "%l3"})
    keep(name, std::string("mov.u64 %m0, ") + name + ";");
  for (const std::string name : {"%d0", "%d1", "%d2"})
    keep(name, "setp.nan.f64 %z, " + name + ", " + name + "; selp.f64 %v0, 0d7ff8000000000000, " +
                   name + ", %z; mov.b64 %m0, %v0;");
  for (const char* name : {"%h0", "%h1", "%h2", "%h3"})
    keep(name, std::string("cvt.u64.u16 %m0, ") + name + ";");
  for (const char* name : {"%g0", "%g1"})
    keep(name, std::string("mov.b16 %w0, ") + name + "; cvt.u64.u16 %m0, %w0;");
  line("st.global.u64 [%a+" + str(row * 2048 * 8) + "], %x;");
}

std::string RandomKernel::source() {
  switch (pick(14)) {
    case 0:
      return "%tx";
    case 1:
      return "%lin";
    case 2:
      return "%i";
    case 3:
      return "%u0";
    case 4:
      return "%bx";
    case 5:
      return "%g";
    case 6:
      return "%ty";
    case 7:
      return loops_ > 0 ? "%c" + str(pick(loops_)) : r();
    default:
      return r();
  }
}

std::string RandomKernel::comparison() { return any_of({"lt", "le", "gt", "ge", "eq", "ne"}); }

/// A predicate that may be the same for all threads, monotonous in the thread's number, or
/// anything.
std::string RandomKernel::condition() {
  const std::string q = "%q" + str(pick(6));
  switch (pick(7)) {
    case 0:
      line("setp." + comparison() + ".s32 " + q + ", " + (pick(2) ? "%bx" : "%u0") + ", " +
           str(pick(4)) + ";");
      break;
    case 1:
      line("setp." + comparison() + ".s32 " + q + ", " + any_of({"%tx", "%i", "%ty"}) + ", " +
           str(pick(80)) + ";");
      break;
    case 2:
      line("and.b32 %t1, " + source() + ", 3; setp.eq.s32 " + q + ", %t1, " + str(pick(4)) + ";");
      break;
    case 3:
      line(std::string("setp.") + any_of({"lt", "gt", "neu", "leu", "nan", "num"}) + ".f32 " + q +
           ", " + f() + ", " + f() + ";");
      break;
    case 4:
      line(std::string("setp.") + any_of({"lt", "ge", "equ", "ne"}) + ".f64 " + q + ", " + d() +
           ", " + d() + ";");
      break;
    case 5:
      line("setp." + comparison() + ".u64 " + q + ", " + l() + ", " + l() + ";");
      break;
    default:
      line("setp." + comparison() + (pick(2) ? ".s32 " : ".u32 ") + q + ", " + source() + ", " +
           operand() + ";");
      break;
  }
  return q;
}

void RandomKernel::statements(int count, int depth) {
  for (int k = 0; k < count; ++k) statement(depth);
}

void RandomKernel::statement(int depth) {
  const bool together = depth_is_uniform_;
  switch (pick(depth < 4 ? 36 : 25)) {
    case 0:
    case 1:
    case 2:
      return integer();
    case 3:
      return integer_bits();
    case 4:
    case 5:
      return integer64();
    case 6:
      return integer16();
    case 7:
      return division();
    case 8:
    case 9:
      return real();
    case 10:
      return real64();
    case 11:
      return half();
    case 12:
      return approximate();
    case 13:
      return convert();
    case 14:
      return carry();
    case 15:
    case 16:
    case 17:
      return load();
    case 18:
      return store();
    case 19:
      return store_row();
    case 20:
      return add_to_bin();
    case 21:
      return select();
    case 22:
      return local();
    case 23:
      return one_in(2) ? call() : neighbour();
    case 24:
      return traits_.barriers && together ? exchange() : neighbour();
    case 25:
      return traits_.barriers && together ? share_and_reduce() : load();
    case 26:
      return traits_.warps && together ? shuffle() : real();
    case 27:
      return traits_.warps && together ? vote() : integer();
    case 28:
    case 29:
    case 30:
    case 31:
      return branch(depth);
    case 32:
      return one_in(3) ? jump_table(depth) : branch(depth);
    default:
      return loop(depth);
  }
}

/// An index below in_words into %t0: anything, or one that a vector path can see through.
void RandomKernel::index_to(const std::string& name) {
  switch (pick(10)) {
    case 9:
      return line("mad.lo.u32 " + name + ", %ty, " + str(1 + pick(40)) + ", " + str(pick(64)) +
                  ";");
    case 0:
      return line("add.u32 " + name + ", %i, " + str(pick(64)) + ";");
    case 1:
      return line("mad.lo.u32 " + name + ", %i, " + str(1 + pick(3)) + ", " + str(pick(64)) + ";");
    case 2:
      return line("sub.u32 " + name + ", " + str(4000 + pick(64)) + ", %i;");
    case 3:
      return line("mad.lo.u32 " + name + ", %ty, " + str(1 + pick(40)) + ", %tx;");
    case 4:
      return line("shl.b32 " + name + ", %tx, " + str(pick(3)) + ";");
    case 5:
      if (loops_ > 0) {
        const std::string counter = "%c" + str(pick(loops_));
        line("and.b32 " + name + ", " + counter + ", 63;");
        return line("mad.lo.u32 " + name + ", " + name + ", " + (pick(2) ? "1" : "17") + ", %i;");
      }
      return line("and.b32 " + name + ", %i, 31;");
    case 6:
      return line("mov.u32 " + name + ", " + str(pick(64)) + ";");
    default:
      return line("and.b32 " + name + ", " + source() + ", " + str(in_words - 1) + ";");
  }
}

/// Neighbours of neighbouring threads, at an index that might wrap for all one can see.
void RandomKernel::load_row() {
  if (one_in(2)) {
    line("mul.lo.s32 %t0, %i, 3; add.s32 %t0, %t0, %n; cvt.s64.s32 %a, %t0; add.u64 %a, %a, %in;");
    return line("ld.global.u8 " + r() + ", [%a]; ld.global.u8 " + r() + ", [%a+1]; ld.global.u8 " +
                r() + ", [%a+2];");
  }
  line("add.s32 %t0, %i, %n; mul.wide.s32 %a, %t0, 4; add.u64 %a, %a, %in;");
  line("ld.global.u32 " + r() + ", [%a]; ld.global.u8 " + r() + ", [%a+" + str(pick(8)) + "];");
}

/// Of the thread's own words.
void RandomKernel::atomic() {
  static constexpr const char* operations[] = {"add.u32", "exch.b32", "max.s32", "xor.b32",
                                               "inc.u32"};
  line("setp.lt.u32 %q7, %i, %n; mul.wide.u32 %a, %i, " + str(4 * out_words) +
       "; add.u64 %a, %a, %out;");
  const std::string place = ", [%a+" + str(4 * pick(16)) + "], ";
  if (one_in(3))
    return line("@%q7 atom.global.cas.b32 " + r() + place + source() + ", " + source() + ";");
  line(std::string("@%q7 atom.global.") + any_of(operations) + " " + r() + place + source() + ";");
}

void RandomKernel::load() {
  if (one_in(5)) return load_row();
  if (one_in(8)) return atomic();
  index_to("%t0");
  line("mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %in;");
  switch (pick(12)) {
    case 0:
      return line("ld.global.u8 " + r() + ", [%a+" + str(pick(4)) + "];");
    case 1:
      return line("ld.global.s8 " + r() + ", [%a];");
    case 2:
      return line("ld.global.s16 " + r() + ", [%a+2];");
    case 3:
      return line("ld.global.u16 " + h() + ", [%a];");
    case 4:
      return line("and.b64 %a, %a, -16; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a];");
    case 5:
      return line("and.b64 %a, %a, -8; ld.global.v2.f32 {%f0, %f1}, [%a];");
    case 6:
      return line("and.b64 %a, %a, -8; ld.global.u64 " + l() + ", [%a];");
    case 7:
      line("ld.global.f32 %e0, [%a];");
      return line("add.f32 " + f() + ", " + f() + ", %e0;");
    case 8:
      line("ld.global.s32 %s0, [%a];");
      return line("cvt.rn.f64.s32 " + d() + ", %s0;");
    default:
      return line("ld.global.u32 " + r() + ", [%a];");
  }
}

/// Own words of `out` only.
void RandomKernel::store() {
  line("setp.lt.u32 %q7, %i, %n; mul.wide.u32 %a, %i, " + str(4 * out_words) +
       "; add.u64 %a, %a, %out;");
  line("@%q7 st.global.u32 [%a+" + str(4 * pick(16)) + "], " + r() + ";");
  if (one_in(3)) line("@%q7 st.global.u16 [%a+" + str(2 * pick(32)) + "], " + h() + ";");
  if (one_in(3)) line("@%q7 st.global.u8 [%a+" + str(pick(64)) + "], " + r() + ";");
  if (one_in(2)) line("@%q7 ld.global.u32 " + r() + ", [%a+" + str(4 * pick(16)) + "];");
}

/// One element of an array with as many elements as there are threads; each width has its own.
void RandomKernel::store_row() {
  const int log = pick(4), row = log * 2048 * 8;
  line("setp.lt.u32 %q7, %i, %n; mul.wide.u32 %a, %i, " + str(1 << log) +
       "; add.u64 %a, %a, %soa;");
  const std::string place = " [%a+" + str(row) + "], ";
  const std::string guard = traits_.barriers || traits_.warps || one_in(2) ? "@%q7 " : "";
  if (log == 0) line(guard + "st.global.u8" + place + r() + ";");
  if (log == 1) line(guard + "st.global.b16" + place + (pick(2) ? h() : g()) + ";");
  if (log == 2)
    line(guard + (pick(2) ? "st.global.u32" + place + r() : "st.global.f32" + place + f()) + ";");
  if (log == 3) line(guard + "st.global.u64" + place + l() + ";");
}

void RandomKernel::add_to_bin() {
  line("and.b32 %t0, " + source() + ", 63; mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %bins;");
  const std::string operation = any_of({"add.u32", "min.s32", "max.u32", "xor.b32", "or.b32"});
  // One operation a bin: different ones do not commute.
  const int first = operation == "add.u32" ? 0 : 64;
  if (first == 0) return line("red.global.add.u32 [%a], " + source() + ";");
  line("and.b32 %t0, %t0, 7; mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %bins;");
  const int part = operation == "min.s32"   ? 0
                   : operation == "max.u32" ? 8
                   : operation == "xor.b32" ? 16
                                            : 24;
  line("red.global." + operation + " [%a+" + str(4 * (first + part)) + "], " + source() + ";");
}

void RandomKernel::select() {
  const std::string q = condition();
  switch (pick(5)) {
    case 0:
      return line("selp.f32 " + f() + ", " + f() + ", " + f() + ", " + q + ";");
    case 1:
      return line("selp.b64 " + l() + ", " + l() + ", " + l() + ", " + q + ";");
    case 2:
      return line("@" + q + " add.u32 " + r() + ", " + source() + ", " + source() + ";");
    case 3: {
      const std::string other = condition();
      line("and.pred %z, " + q + ", " + other + "; selp.u32 " + r() + ", 1, 0, %z;");
      return;
    }
    default:
      return line("selp.b32 " + r() + ", " + source() + ", " + source() + ", " + q + ";");
  }
}

void RandomKernel::local() {
  line("and.b32 %t0, " + source() +
       ", 7; shl.b32 %t0, %t0, 2; cvt.u64.u32 %a, %t0; mov.u64 %x, mine; add.u64 %a, %a, %x;");
  line("st.local.u32 [%a], " + source() + "; st.local.u32 [mine+" + str(4 * pick(8)) + "], " +
       source() + ";");
  if (one_in(3))
    line("st.local.u64 [mine+32], " + l() + "; st.local.u8 [mine+" + str(32 + pick(8)) + "], " +
         r() + ";");
  if (one_in(3))
    line("st.local.u64 [mine+40], " + l() + "; ld.local.s16 " + r() + ", [mine+" +
         str(40 + 2 * pick(4)) + "];");
  line("ld.local.u32 " + r() + ", [%a];");
}

void RandomKernel::call() {
  line("{ .param .b32 a0; .param .b32 a1; .param .b32 res; st.param.b32 [a0], " + source() +
       "; st.param.b32 [a1], " + source() + ";");
  line(std::string("call.uni (res), ") + any_of({"collatz", "pick_bits", "clamped"}) +
       ", (a0, a1);");
  line("ld.param.b32 " + r() + ", [res]; }");
}

/// Indexes that wrap for the first or last threads, behind a guard.
void RandomKernel::neighbour() {
  const std::string end = label();
  line("sub.s32 %t0, %g, " + str(1 + pick(3)) + "; setp.ge.u32 %q7, %t0, 1024;");
  line("@%q7 bra " + end + ";");
  line("mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %in; ld.global.u32 " + r() + ", [%a];");
  line(end + ":");
}

void RandomKernel::branch(int depth) {
  const bool outer = depth_is_uniform_;
  std::string q;
  if (outer && one_in(3)) {
    q = "%q0";
    line("setp." + comparison() + ".s32 %q0, %bx, " + str(pick(3)) + ";");
  } else {
    q = condition();
    depth_is_uniform_ = false;
  }
  const std::string other = label(), end = label();
  const bool both = pick(2) == 0;
  line("@!" + q + " bra " + (both ? other : end) + ";");
  statements(1 + pick(3), depth + 1);
  if (!depth_is_uniform_ && one_in(3)) leave();
  if (both) {
    line("bra " + end + ";");
    line(other + ":");
    statements(1 + pick(3), depth + 1);
  }
  line(end + ":");
  depth_is_uniform_ = outer;
}

/// Out of the loop, to its next trip, or, where nobody waits for the thread, to its end.
void RandomKernel::leave() {
  if (!loop_exit_.empty()) return line("bra " + (pick(2) ? loop_exit_ : loop_next_) + ";");
  if (!traits_.barriers && !traits_.warps && one_in(4)) line("bra DONE;");
}

void RandomKernel::loop(int depth) {
  if (loops_ >= 4) return integer();
  const std::string counter = "%c" + str(loops_), bound = "%c" + str(loops_ + 4);
  const bool outer = depth_is_uniform_;
  const std::string saved_exit = loop_exit_, saved_next = loop_next_;
  const std::string start = label(), next = label(), end = label();
  const bool uniform = pick(2) == 0;
  if (uniform) {
    line("mov.u32 " + bound + ", " + str(1 + pick(5)) + ";");
  } else {
    line("and.b32 " + bound + ", " + source() + ", 7; add.u32 " + bound + ", " + bound + ", 1;");
  }
  line("mov.u32 " + counter + ", 0;");
  // Breaks divide lanes; none where threads wait for each other.
  depth_is_uniform_ = uniform && outer && (traits_.barriers || traits_.warps) && pick(3) != 0;
  loop_exit_ = depth_is_uniform_ ? "" : end;
  loop_next_ = depth_is_uniform_ ? "" : next;
  const bool tested_first = one_in(3);
  ++loops_;
  line(start + ":");
  if (tested_first) {
    line("setp.ge.u32 %q7, " + counter + ", " + bound + ";");
    line("@%q7 bra " + end + ";");
  }
  statements(1 + pick(3), depth + 1);
  line(next + ":");
  line("add.u32 " + counter + ", " + counter + ", 1;");
  if (tested_first) {
    line("bra " + start + ";");
  } else {
    line("setp.lt.u32 %q7, " + counter + ", " + bound + ";");
    line("@%q7 bra " + start + ";");
  }
  line(end + ":");
  --loops_;
  depth_is_uniform_ = outer;
  loop_exit_ = saved_exit;
  loop_next_ = saved_next;
}

void RandomKernel::jump_table(int depth) {
  const bool outer = depth_is_uniform_;
  const int count = 2 + pick(3);
  const std::string table = label(), end = label();
  std::vector<std::string> cases;
  for (int k = 0; k < count; ++k) cases.push_back(label());
  std::string names;
  for (const std::string& name : cases) names += (names.empty() ? "" : ", ") + name;
  line(table + ": .branchtargets " + names + ";");
  line("rem.u32 %t3, " + source() + ", " + str(count) + ";");
  line("brx.idx %t3, " + table + ";");
  depth_is_uniform_ = false;
  for (int k = 0; k < count; ++k) {
    line(cases[static_cast<std::size_t>(k)] + ":");
    statements(1 + pick(2), depth + 2);
    if (one_in(4)) continue;  // falls into the next case
    line("bra " + end + ";");
  }
  line(end + ":");
  depth_is_uniform_ = outer;
}

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
