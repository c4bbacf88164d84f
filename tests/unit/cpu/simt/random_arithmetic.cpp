// SPDX-License-Identifier: MIT
// Instructions of one thread, for random kernels.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

std::string RandomKernel::functions(Flushing flushing) {
  const auto head = [](const char* name) {
    return std::string(".func (.param .b32 result) ") + name +
           "(.param .b32 left, .param .b32 right) {\n.reg .b32 %x, %y, %k; .reg .pred %p;\n"
           "ld.param.b32 %x, [left]; ld.param.b32 %y, [right];\n";
  };
  const std::string tail = "DONE:\nst.param.b32 [result], %x; ret;\n}\n";
  return head("collatz") +
         "mov.u32 %k, 0;\nNEXT:\nsetp.le.u32 %p, %x, 1;\n@%p bra DONE;\n"
         "and.b32 %y, %x, 1; setp.eq.u32 %p, %y, 0;\n@%p bra EVEN;\n"
         "mad.lo.u32 %x, %x, 3, 1;\nbra COUNT;\nEVEN:\nshr.u32 %x, %x, 1;\nCOUNT:\n"
         "add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 9;\n@%p bra NEXT;\n" +
         tail + head("pick_bits") +
         "and.b32 %k, %y, 15; shr.u32 %x, %x, %k; and.b32 %x, %x, 0xff; popc.b32 %y, %y; "
         "add.u32 %x, %x, %y;\n" +
         tail + head("clamped") +
         "setp.gt.s32 %p, %x, %y;\n@%p bra HIGH;\nmax.s32 %x, %x, -100;\nbra DONE;\nHIGH:\n"
         "min.s32 %x, %x, 1000; sub.s32 %x, %x, %y;\n" +
         tail +
         // Calls itself up to seven times; says which thread it runs for.
         head("deep") +
         "and.b32 %k, %x, 7; setp.eq.u32 %p, %k, 0;\n@%p bra BASE;\n"
         "sub.u32 %x, %x, 1; xor.b32 %y, %y, %k;\n"
         "{ .param .b32 a0; .param .b32 a1; .param .b32 res; st.param.b32 [a0], %x;\n"
         "st.param.b32 [a1], %y; call.uni (res), deep, (a0, a1); ld.param.b32 %x, [res]; }\n"
         "mad.lo.u32 %x, %x, 3, %k;\nbra DONE;\nBASE:\nmov.u32 %k, %tid.x;\n"
         "add.u32 %x, %x, %k; mov.u32 %k, %laneid; mad.lo.u32 %x, %k, 64, %x;\n"
         "mov.u32 %k, %ctaid.x; mad.lo.u32 %x, %k, 9, %x; mov.u32 %k, %tid.y;\n"
         "mad.lo.u32 %x, %k, 5, %x; add.u32 %x, %x, %y;\n" +
         tail +
         (flushing == Flushing::Hardly
              ? ".global .align 8 .u64 targets[4] = {collatz, pick_bits, clamped, deep};\n"
              : "");
}

void RandomKernel::integer() {
  static constexpr const char* operations[] = {"add.s32",    "sub.s32", "mul.lo.s32", "and.b32",
                                               "or.b32",     "xor.b32", "min.s32",    "max.u32",
                                               "mul.hi.u32", "max.s32", "mul.hi.s32", "min.u32"};
  if (one_in(4)) {
    return line(std::string(any_of({"shl.b32 ", "shr.s32 ", "shr.u32 "})) + r() + ", " + source() +
                ", " + (pick(2) ? str(pick(35)) : r()) + ";");
  }
  if (one_in(6))
    return line("mad.lo.s32 " + r() + ", " + source() + ", " + operand() + ", " + source() + ";");
  line(std::string(any_of(operations)) + " " + r() + ", " + source() + ", " + operand() + ";");
}

void RandomKernel::integer_bits() {
  switch (pick(11)) {
    case 0:
      return line("popc.b32 " + r() + ", " + source() + ";");
    case 1:
      return line("clz.b32 " + r() + ", " + source() + ";");
    case 2:
      return line("brev.b32 " + r() + ", " + source() + ";");
    case 3:
      return line("bfe." + std::string(pick(2) ? "u32 " : "s32 ") + r() + ", " + r() + ", " +
                  str(pick(33)) + ", " + str(pick(33)) + ";");
    case 4:
      return line("bfi.b32 " + r() + ", " + r() + ", " + source() + ", " + str(pick(31)) + ", " +
                  str(pick(20)) + ";");
    case 5:
      return line("lop3.b32 " + r() + ", " + r() + ", " + source() + ", " + source() + ", " +
                  str(pick(256)) + ";");
    case 6:
      return line("prmt.b32 " + r() + ", " + r() + ", " + source() + ", " + str(pick(0x8000)) +
                  ";");
    case 7:
      return line(std::string("shf.") + (pick(2) ? "l" : "r") + (pick(2) ? ".wrap" : ".clamp") +
                  ".b32 " + r() + ", " + r() + ", " + source() + ", " +
                  (pick(2) ? str(pick(40)) : r()) + ";");
    case 8:
      return line("bfind." + std::string(pick(2) ? "u32 " : "s32 ") + r() + ", " + source() + ";");
    case 9:
      return line("sad.s32 " + r() + ", " + source() + ", " + source() + ", " + r() + ";");
    default:
      return line(std::string(any_of({"abs.s32 ", "neg.s32 ", "not.b32 ", "cnot.b32 "})) + r() +
                  ", " + source() + ";");
  }
}

void RandomKernel::integer64() {
  static constexpr const char* operations[] = {"add.s64", "sub.s64", "mul.lo.s64",
                                               "and.b64", "or.b64",  "xor.b64",
                                               "min.s64", "max.u64", "mul.hi.u64"};
  switch (pick(7)) {
    case 0:
      return line(std::string("mul.wide.") + (pick(2) ? "s32 " : "u32 ") + l() + ", " + source() +
                  ", " + operand() + ";");
    case 1:
      return line("cvt." + std::string(pick(2) ? "u64.u32 " : "s64.s32 ") + l() + ", " + source() +
                  ";");
    case 2:
      return line("cvt.u32.u64 " + r() + ", " + l() + ";");
    case 3:
      return line(std::string(any_of({"shl.b64 ", "shr.s64 ", "shr.u64 "})) + l() + ", " + l() +
                  ", " + (pick(2) ? str(pick(70)) : r()) + ";");
    case 4:
      return line(std::string(any_of({"popc.b64 ", "clz.b64 "})) + r() + ", " + l() + ";");
    default:
      return line(std::string(any_of(operations)) + " " + l() + ", " + l() + ", " + l() + ";");
  }
}

void RandomKernel::integer16() {
  static constexpr const char* operations[] = {"add.s16", "sub.s16", "mul.lo.s16", "and.b16",
                                               "xor.b16", "min.s16", "max.u16",    "mul.hi.u16"};
  switch (pick(5)) {
    case 0:
      return line("cvt.u16.u32 " + h() + ", " + source() + ";");
    case 1:
      return line("cvt." + std::string(pick(2) ? "u32.u16 " : "s32.s16 ") + r() + ", " + h() + ";");
    case 2:
      return line("mul.wide.s16 " + r() + ", " + h() + ", " + h() + ";");
    case 3:
      return line("shr.s16 " + h() + ", " + h() + ", " + str(pick(18)) + ";");
    default:
      return line(std::string(any_of(operations)) + " " + h() + ", " + h() + ", " + h() + ";");
  }
}

void RandomKernel::division() {
  const std::string kind = pick(2) ? "s32" : "u32";
  const std::string divisor = one_in(3) ? str(1 + pick(30)) : source();
  if (one_in(5))
    return line((pick(2) ? "div." : "rem.") + std::string(pick(2) ? "s64 " : "u64 ") + l() + ", " +
                l() + ", " + l() + ";");
  if (one_in(8)) return line("div.u16 " + h() + ", " + h() + ", " + h() + ";");
  line((pick(2) ? "div." : "rem.") + kind + " " + r() + ", " + source() + ", " + divisor + ";");
}

void RandomKernel::real() {
  if (flushes()) return flushing_real();
  const std::string to = f(), from = f(), other = f();
  switch (pick(10)) {
    case 0:
      return line("add.f32 " + to + ", " + from + ", " + other + ";");
    case 1:
      return line("fma.rn.f32 " + to + ", " + from + ", " + other + ", " + to + ";");
    case 2:
      // By what all threads divide by too, without a further choice: others' numbers stay.
      if (other == to) return line("div.rn.f32 " + to + ", " + from + ", 0f437f0000;");
      if (other == from)
        return line("{ .reg .f32 %same; cvt.rn.f32.u32 %same, %n; div.rn.f32 " + to + ", " + from +
                    ", %same; }");
      return line("div.rn.f32 " + to + ", " + from + ", " + other + ";");
    case 3:
      return line("abs.f32 " + to + ", " + from + "; sqrt.rn.f32 " + to + ", " + to + ";");
    case 4:
      return line("mul.ftz.f32 " + to + ", " + from + ", " + other + ";");
    case 5:
      return line(
          std::string(any_of({"min.f32 ", "max.f32 ", "copysign.f32 ", "sub.f32 ", "mul.f32 "})) +
          to + ", " + from + ", " + other + ";");
    case 6:
      return line("fma.rn.f32 " + to + ", " + from + ", 0f3f000000, 0f3e800000;");
    case 7:
      return line(
          std::string(any_of({"add.rz.f32 ", "mul.rp.f32 ", "sub.rm.f32 ", "add.sat.f32 "})) + to +
          ", " + from + ", " + other + ";");
    case 8:
      return line("mov.b32 " + to + ", " + r() + ";");
    default:
      return line("neg.f32 " + to + ", " + from + ";");
  }
}

void RandomKernel::real64() {
  if (traits_.flushing == Flushing::All) return flushing_real();
  const std::string to = d(), from = d();
  switch (pick(6)) {
    case 0:
      return line("fma.rn.f64 " + to + ", " + from + ", " + to + ", " + from + ";");
    case 1:
      if (from == to) return line("div.rn.f64 " + to + ", " + from + ", 0d4008000000000000;");
      return line("div.rn.f64 " + to + ", " + from + ", " + to + ";");
    case 2:
      return line("mul.f64 " + to + ", " + from + ", 0d3fe0000000000000;");
    case 3:
      return line("abs.f64 " + to + ", " + from + "; sqrt.rn.f64 " + to + ", " + to + ";");
    case 4:
      return line("cvt.rn.f64.s32 " + to + ", " + source() + ";");
    default:
      return line(std::string(any_of({"add.f64 ", "min.f64 ", "max.f64 ", "sub.f64 "})) + to +
                  ", " + from + ", " + d() + ";");
  }
}

void RandomKernel::half() {
  switch (pick(5)) {
    case 0:
      return line("fma.rn.f16 " + g() + ", " + g() + ", " + g() + ", " + g() + ";");
    case 1:
      return line("cvt.rn.f16.f32 " + g() + ", " + f() + ";");
    case 2:
      return line("cvt.f32.f16 " + f() + ", " + g() + ";");
    case 3:
      return line("mov.b16 " + g() + ", " + h() + ";");
    default:
      return line(std::string(any_of({"add.f16 ", "mul.f16 ", "sub.f16 ", "min.f16 "})) + g() +
                  ", " + g() + ", " + g() + ";");
  }
}

void RandomKernel::approximate() {
  if (flushes()) return flushing_approximate();
  const std::string to = f(), from = f();
  switch (pick(5)) {
    case 0:
      return line("div.approx.f32 " + to + ", " + from + ", " + f() + ";");
    case 1:
      return line("div.full.f32 " + to + ", " + from + ", " + f() + ";");
    default:
      return line(
          std::string(any_of({"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt", "tanh"})) +
          ".approx.f32 " + to + ", " + from + ";");
  }
}

void RandomKernel::convert() {
  if (traits_.flushing == Flushing::All || (flushes() && pick(2) == 0)) return flushing_convert();
  switch (pick(9)) {
    case 0:
      return line("cvt.rzi.s32.f32 " + r() + ", " + f() + ";");
    case 1:
      return line("cvt.rni.u32.f32 " + r() + ", " + f() + ";");
    case 2:
      return line("cvt.rn.f32.u32 " + f() + ", " + source() + ";");
    case 3:
      return line("cvt.rzi.s64.f64 " + l() + ", " + d() + ";");
    case 4:
      return line("cvt.rn.f32.f64 " + f() + ", " + d() + ";");
    case 5:
      return line("cvt.f64.f32 " + d() + ", " + f() + ";");
    case 6:
      return line("cvt.rn.f32.s64 " + f() + ", " + l() + ";");
    case 7:
      return line("cvt.sat.u8.s32 " + r() + ", " + source() + ";");
    default:
      return line("cvt.s8.s32 " + r() + ", " + source() + "; cvt.rmi.f32.f32 " + f() + ", " + f() +
                  ";");
  }
}

void RandomKernel::carry() {
  const std::string low = r(), high = r();
  line("add.cc.u32 " + low + ", " + source() + ", " + source() + "; addc.u32 " + high + ", " +
       source() + ", " + source() + ";");
  if (one_in(3))
    line("sub.cc.u32 " + low + ", " + source() + ", " + source() + "; subc.u32 " + high + ", " +
         source() + ", " + source() + ";");
}

}  // namespace pycuda::cpu::testing
