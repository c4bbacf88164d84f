// SPDX-License-Identifier: MIT
// Loads, stores and atomics of one thread, for random kernels.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

/// An index of `in` into %t0: anything, or one that a vector path can see through.
void RandomKernel::index_to(const std::string& name) {
  switch (pick(12)) {
    case 10:
    case 11:
      return bits_to(name);
    case 9:
      return line("mad.lo.u32 " + name + ", %ty, " + str(1 + pick(largest_pitch)) + ", " +
                  str(pick(64)) + ";");
    case 0:
      return line("add.u32 " + name + ", %i, " + str(pick(64)) + ";");
    case 1:
      return line("mad.lo.u32 " + name + ", %i, " + str(1 + pick(3)) + ", " + str(pick(64)) + ";");
    case 2:
      return line("sub.u32 " + name + ", " + str(4000 + pick(64)) + ", %i;");
    case 3:
      return line("mad.lo.u32 " + name + ", %ty, " + str(1 + pick(largest_pitch)) + ", %tx;");
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

/// An index below in_words that operations on bits make of the thread's number.
void RandomKernel::bits_to(const std::string& name) {
  line("mov.u32 " + name + ", %tx;");
  for (int steps = 1 + pick(4); steps > 0; --steps) {
    switch (pick(8)) {
      case 0:
        line("and.b32 " + name + ", " + name + ", " + str((1 << (1 + pick(10))) - 1) + ";");
        break;
      case 1:
        line("and.b32 " + name + ", " + name + ", " + str(-(1 << pick(6))) + ";");
        break;
      case 2:
        line("xor.b32 " + name + ", " + name + ", " + str(1 << pick(9)) + ";");
        break;
      case 3:
        line("shl.b32 " + name + ", " + name + ", " + str(pick(4)) + ";");
        break;
      case 4:
        line("shr.u32 " + name + ", " + name + ", " + str(pick(4)) + ";");
        break;
      case 5:
        line("brev.b32 " + name + ", " + name + "; shr.u32 " + name + ", " + name + ", " +
             str(19 + pick(6)) + ";");
        break;
      case 6:
        line("and.b32 %t1, %tx, " + str((1 << pick(6)) - 1) + "; sub.u32 " + name + ", " + name +
             ", %t1; shl.b32 " + name + ", " + name + ", 1; add.u32 " + name + ", " + name +
             ", %t1;");
        break;
      default:
        line("add.u32 " + name + ", " + name + ", " + str(pick(40)) + ";");
        break;
    }
  }
  line("and.b32 " + name + ", " + name + ", " + str(in_words - 1) + ";");
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
      return line("add" + ftz() + ".f32 " + f() + ", " + f() + ", %e0;");
    case 8:
      if (traits_.flushing == Flushing::All) return line("ld.global.f32 " + f() + ", [%a];");
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

/// Indexes that wrap for the first or last threads, behind a guard.
void RandomKernel::neighbour() {
  const std::string end = label();
  line("sub.s32 %t0, %g, " + str(1 + pick(3)) + "; setp.ge.u32 %q7, %t0, 1024;");
  line("@%q7 bra " + end + ";");
  line("mul.wide.u32 %a, %t0, 4; add.u64 %a, %a, %in; ld.global.u32 " + r() + ", [%a];");
  line(end + ":");
}

}  // namespace pycuda::cpu::testing
