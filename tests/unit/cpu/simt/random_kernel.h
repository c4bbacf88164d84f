// SPDX-License-Identifier: MIT
// Random structured kernels as PTX text: whatever a thread computes depends on no other thread but
// through barriers and warp operations.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace pycuda::cpu::testing {

/// `.entry k(u64 in, u64 out, u64 bins, u32 n)`: `in` has 1024 words, `out` 16 words for each of n
/// threads, `bins` 64 words. Equal seeds give equal kernels.
class RandomKernel {
 public:
  explicit RandomKernel(std::uint64_t seed) : random_(seed) {}

  std::string text(bool barriers, bool warps = false) {
    barriers_ = barriers;
    warps_ = warps;
    body_.clear();
    line(
        "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %bins, [bins]; "
        "ld.param.u32 %n, [n];");
    line(
        "mov.u32 %tx, %tid.x; mov.u32 %nx, %ntid.x; mov.u32 %bx, %ctaid.x; mov.u32 %ty, %tid.y; "
        "mov.u32 %ny, %ntid.y;");
    line(
        "mad.lo.s32 %lin, %ty, %nx, %tx; mul.lo.s32 %u1, %nx, %ny; mad.lo.s32 %i, %bx, %u1, %lin;");
    line("mad.lo.s32 %g, %bx, %nx, %tx; mov.u32 %u0, %nctaid.x;");
    line("setp.ge.u32 %p0, %i, %n;");
    if (warps_) {
      line("mov.u32 %w0, %laneid; mov.u32 %w1, %lanemask_lt; mov.u32 %w2, %warpid;");
      line("setp.lt.u32 %q5, %w0, 7;");
    }
    if (!barriers_) line("@%p0 bra DONE;");
    for (int k = 0; k < 8; ++k)
      line("xor.b32 %r" + str(k) + ", " + source() + ", " + str(pick(1000)) + ";");
    for (int k = 0; k < 4; ++k) line("cvt.rn.f32.s32 %f" + str(k) + ", %r" + str(k) + ";");
    for (int k = 0; k < 3; ++k) line("cvt.rn.f64.s32 %d" + str(k) + ", %r" + str(k + 4) + ";");
    statements(4 + pick(6), 0);
    if (barriers_) line("@%p0 bra DONE;");
    line("mul.wide.u32 %a, %i, 64; add.u64 %a, %a, %out;");
    for (int k = 0; k < 8; ++k) line("st.global.u32 [%a+" + str(4 * k) + "], %r" + str(k) + ";");
    for (int k = 0; k < 2; ++k)
      line("st.global.f32 [%a+" + str(32 + 4 * k) + "], %f" + str(k) + ";");
    for (int k = 0; k < 3; ++k)
      line("st.global.f64 [%a+" + str(40 + 8 * k) + "], %d" + str(k) + ";");
    return ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 bins, .param .u32 n) {\n"
           ".shared .align 16 .b8 tile[8192];\n.local .align 4 .b8 mine[32];\n"
           ".reg .b64 %in, %out, %bins, %a, %x; .reg .b32 %r<8>, %n, %tx, %ty, %nx, %ny, %bx, "
           "%lin, %i, %g, %u0, %u1, "
           "%t0, %t1, %t2, %w<3>, %c<8>; .reg .f32 %f<4>; .reg .f64 %d<3>; .reg .pred %p0, %q<8>; "
           ".reg "
           ".b16 %h;\n" +
           body_ + "DONE:\nret;\n}\n";
  }

 private:
  static std::string str(int value) { return std::to_string(value); }
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  void line(const std::string& text) { body_ += text + "\n"; }
  std::string reg() { return "%r" + str(pick(8)); }
  std::string source() {
    if (warps_ && pick(8) == 0) return "%w" + str(pick(3));
    switch (pick(10)) {
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
      default:
        return reg();
    }
  }
  std::string operand() { return pick(3) == 0 ? str(pick(200) - 40) : source(); }

  void statements(int count, int depth) {
    for (int k = 0; k < count; ++k) statement(depth);
  }

  void statement(int depth) {
    if (warps_ && depth_is_uniform_ && pick(4) == 0) return warp_operation();
    switch (pick(depth < 4 ? 18 : 11)) {
      case 0:
      case 1:
      case 2:
        return arithmetic();
      case 3:
        return real();
      case 4:
        return division();
      case 5:
      case 6:
        return load();
      case 7:
        return store();
      case 8:
        return add_to_bin();
      case 9:
        return select();
      case 10:
        return local();
      case 11:
      case 12:
      case 13:
        return branch(depth);
      case 14:
      case 15:
        return loop(depth);
      case 16:
        return barriers_ && depth_is_uniform_ ? exchange() : real();
      default:
        return neighbour(depth);
    }
  }

  void arithmetic() {
    static constexpr const char* operations[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32",
                                                 "or.b32",  "xor.b32", "min.s32",    "max.u32",
                                                 "shl.b32", "shr.s32", "shr.u32",    "mul.hi.u32"};
    const int k = pick(12);
    const std::string right = k >= 8 && k <= 10 ? str(pick(35)) : operand();
    line(std::string(operations[k]) + " " + reg() + ", " + source() + ", " + right + ";");
    if (pick(6) == 0) line("popc.b32 " + reg() + ", " + reg() + ";");
    if (pick(6) == 0)
      line("bfe.u32 " + reg() + ", " + reg() + ", " + str(pick(20)) + ", " + str(pick(20)) + ";");
  }

  void real() {
    const std::string f = "%f" + str(pick(4)), g = "%f" + str(pick(4)), h = "%f" + str(pick(4));
    const std::string d = "%d" + str(pick(3)), e = "%d" + str(pick(3));
    switch (pick(9)) {
      case 0:
        return line("add.f32 " + f + ", " + g + ", " + h + ";");
      case 1:
        return line("fma.rn.f32 " + f + ", " + g + ", " + h + ", " + f + ";");
      case 2:
        return line("div.rn.f32 " + f + ", " + g + ", " + h + ";");
      case 3:
        return line("abs.f32 " + f + ", " + f + "; sqrt.rn.f32 " + f + ", " + f + ";");
      case 4:
        return line("cvt.rzi.s32.f32 " + reg() + ", " + f + ";");
      case 5:
        return line("fma.rn.f64 " + d + ", " + e + ", " + d + ", " + e + ";");
      case 6:
        return line("cvt.rn.f64.s32 " + d + ", " + source() + ";");
      case 7:
        return line("ex2.approx.f32 " + f + ", " + g + ";");
      default:
        return line("cvt.rn.f32.u32 " + f + ", " + source() + ";");
    }
  }

  void division() {
    const std::string kind = pick(2) ? "s32" : "u32";
    const std::string divisor = pick(3) == 0 ? str(1 + pick(30)) : source();
    line((pick(2) ? "div." : "rem.") + kind + " " + reg() + ", " + source() + ", " + divisor + ";");
  }

  void load() {
    line("and.b32 %t0, " + source() + ", 1023; mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %in;");
    switch (pick(5)) {
      case 0:
        return line("ld.global.u8 " + reg() + ", [%a];");
      case 1:
        return line("ld.global.s16 " + reg() + ", [%a];");
      case 2:
        return line("and.b64 %a, %a, -16; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%a];");
      default:
        return line("ld.global.u32 " + reg() + ", [%a];");
    }
  }

  /// Own words of `out` only, written again at the end.
  void store() {
    line("setp.lt.u32 %q7, %i, %n; mul.wide.u32 %a, %i, 64; add.u64 %a, %a, %out;");
    line("@%q7 st.global.u32 [%a+" + str(4 * pick(8)) + "], " + reg() + ";");
    if (pick(3) == 0) line("@%q7 st.global.u16 [%a+" + str(2 * pick(16)) + "], " + reg() + ";");
    if (pick(2) == 0) line("@%q7 ld.global.u32 " + reg() + ", [%a+" + str(4 * pick(8)) + "];");
  }

  void add_to_bin() {
    line("and.b32 %t0, " + source() + ", 63; mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %bins;");
    line("red.global.add.u32 [%a], " + source() + ";");
  }

  void select() {
    line("setp." + comparison() + ".s32 %q6, " + source() + ", " + operand() + ";");
    line("selp.b32 " + reg() + ", " + source() + ", " + source() + ", %q6;");
  }

  void local() {
    line("and.b32 %t0, " + source() +
         ", 7; shl.b32 %t0, %t0, 2; cvt.u64.u32 %a, %t0; mov.u64 %x, mine; add.u64 %a, %a, %x;");
    line("st.local.u32 [%a], " + source() + "; st.local.u32 [mine+" + str(4 * pick(8)) + "], " +
         source() + ";");
    line("ld.local.u32 " + reg() + ", [%a];");
  }

  std::string comparison() {
    static constexpr const char* names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    return names[pick(6)];
  }

  /// A predicate that may be the same for all threads, monotonous in the thread's number, or
  /// anything.
  std::string condition() {
    const std::string q = "%q" + str(pick(6));
    switch (pick(4)) {
      case 0:
        line("setp." + comparison() + ".s32 " + q + ", " + (pick(2) ? "%bx" : "%u0") + ", " +
             str(pick(4)) + ";");
        break;
      case 1:
        line("setp." + comparison() + ".s32 " + q + ", " + (pick(2) ? "%tx" : "%i") + ", " +
             str(pick(80)) + ";");
        break;
      case 2:
        line("and.b32 %t1, " + source() + ", 3; setp.eq.s32 " + q + ", %t1, " + str(pick(4)) + ";");
        break;
      default:
        line("setp." + comparison() + ".s32 " + q + ", " + source() + ", " + operand() + ";");
        break;
    }
    return q;
  }

  void branch(int depth) {
    const bool outer = depth_is_uniform_;
    std::string q;
    if (outer && pick(3) == 0) {
      q = "%q0";
      line("setp." + comparison() + ".s32 %q0, %bx, " + str(pick(3)) + ";");
    } else if (outer && warps_ && !barriers_ && pick(2) == 0) {
      // The same for all threads of a warp.
      q = "%q1";
      line(pick(2) ? "setp.lt.u32 %q1, %tx, " + str(32 * pick(4)) + ";"
                   : "shr.u32 %t0, %tx, 5; setp.eq.u32 %q1, %t0, " + str(pick(3)) + ";");
    } else {
      q = condition();
      depth_is_uniform_ = false;
    }
    const std::string other = label(), end = label();
    const bool both = pick(2) == 0;
    line("@!" + q + " bra " + (both ? other : end) + ";");
    statements(1 + pick(4), depth + 1);
    if (!loop_exit_.empty() && pick(3) == 0)
      line("bra " + (pick(2) ? loop_exit_ : loop_next_) + ";");
    if (both) {
      line("bra " + end + ";");
      line(other + ":");
      statements(1 + pick(3), depth + 1);
    }
    line(end + ":");
    depth_is_uniform_ = outer;
  }

  void loop(int depth) {
    if (depth >= 4) return arithmetic();
    const std::string counter = "%c" + str(depth),
                      bound = "%c" + str(depth + 4 > 7 ? 7 : depth + 4);
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
    line(start + ":");
    // Breaks divide lanes; none where barriers may be.
    depth_is_uniform_ = uniform && outer && (barriers_ || warps_) && pick(2) == 0;
    loop_exit_ = depth_is_uniform_ ? "" : end;
    loop_next_ = depth_is_uniform_ ? "" : next;
    statements(1 + pick(4), depth + 1);
    line(next + ":");
    line("add.u32 " + counter + ", " + counter + ", 1; setp.lt.u32 %q7, " + counter + ", " + bound +
         ";");
    line("@%q7 bra " + start + ";");
    line(end + ":");
    depth_is_uniform_ = outer;
    loop_exit_ = saved_exit;
    loop_next_ = saved_next;
  }

  /// What one thread wrote is read by another.
  void exchange() {
    line("shl.b32 %t0, %lin, 2; mov.u32 %t1, tile; add.u32 %t0, %t0, %t1; st.shared.u32 [%t0], " +
         source() + ";");
    line("bar.sync 0;");
    line("mad.lo.s32 %t2, %lin, " + str(1 + 2 * pick(4)) + ", " + str(pick(50)) +
         "; rem.u32 %t2, %t2, %u1;");
    line("shl.b32 %t2, %t2, 2; add.u32 %t2, %t2, %t1; ld.shared.u32 " + reg() + ", [%t2];");
    line("bar.sync 0;");
  }

  /// Of all lanes that there are.
  void warp_operation() {
    static constexpr const char* modes[] = {"up", "down", "bfly", "idx"};
    static constexpr const char* reductions[] = {"add.s32", "add.u32", "min.s32",
                                                 "max.s32", "min.u32", "max.u32",
                                                 "and.b32", "or.b32",  "xor.b32"};
    static constexpr const char* shapes[] = {"31", "0", "0x181f", "0x1c03", "0x1000", "0x100f"};
    const std::string to = reg();
    switch (pick(10)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const std::string distance = pick(3) == 0 ? source() : str(pick(33));
        const std::string shape = pick(8) == 0 ? source() : shapes[pick(6)];
        line(std::string("shfl.sync.") + modes[pick(4)] + ".b32 " + to + "|%q5, " + source() +
             ", " + distance + ", " + shape + ", -1;");
        return line("@%q5 add.s32 " + reg() + ", " + reg() + ", 3;");
      }
      case 4:
        line("and.b32 %t0, " + source() + ", 1; setp.eq.u32 %q6, %t0, 0;");
        line(std::string("vote.sync.") +
             (pick(2)   ? "all"
              : pick(2) ? "any"
                        : "uni") +
             ".pred %q5, %q6, -1;");
        return line("selp.b32 " + to + ", " + source() + ", " + source() + ", %q5;");
      case 5:
        line("setp.lt.s32 %q6, " + source() + ", " + source() + ";");
        return line("vote.sync.ballot.b32 " + to + ", %q6, -1;");
      case 6:
        return line("and.b32 %t0, " + source() + ", 3; match.any.sync.b32 " + to + ", %t0, -1;");
      case 7:
        line("shr.u32 %t0, " + source() + ", " + str(pick(32)) + ";");
        return line("match.all.sync.b32 " + to + "|%q5, %t0, -1;");
      case 8:
        return line(std::string("redux.sync.") + reductions[pick(9)] + " " + to + ", " + source() +
                    ", -1;");
      default:
        line("activemask.b32 " + to + ";");
        return line("bar.warp.sync -1;");
    }
  }

  /// Indexes that wrap for the first or last threads, behind a guard.
  void neighbour(int) {
    const std::string end = label();
    const int away = 1 + pick(3);
    line("sub.s32 %t0, %g, " + str(away) + "; setp.ge.u32 %q7, %t0, 1024;");
    line("@%q7 bra " + end + ";");
    line("mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %in; ld.global.u32 " + reg() + ", [%a];");
    line(end + ":");
  }

  std::string label() { return "L" + str(next_label_++); }

  std::mt19937_64 random_;
  std::string body_;
  bool barriers_ = false;
  bool warps_ = false;
  bool depth_is_uniform_ = true;
  std::string loop_exit_, loop_next_;
  int next_label_ = 0;
};

}  // namespace pycuda::cpu::testing
