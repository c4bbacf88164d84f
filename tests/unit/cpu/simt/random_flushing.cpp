// SPDX-License-Identifier: MIT
// Arithmetic with and without .ftz, for random kernels, on numbers that are about to be flushed.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

/// Modifier of an f32 instruction.
std::string RandomKernel::ftz() {
  if (traits_.flushing == Flushing::Hardly) return {};
  return traits_.flushing == Flushing::All || pick(3) != 0 ? ".ftz" : "";
}

/// Of a sum or product. The processor flushes none that is directed.
std::string RandomKernel::rounding() {
  if (traits_.flushing == Flushing::Some && one_in(4)) return any_of({".rz", ".rp", ".rm"});
  return ".rn";
}

/// A number that is subnormal or nearly, or one of two whose product is.
void RandomKernel::tiny_number() {
  const std::string to = f();
  switch (pick(5)) {
    case 0:  // exponents from that of subnormal numbers on
      line("and.b32 %t0, " + r() + ", " + any_of({"0x80ffffff", "0x81ffffff", "0x807fffff"}) + ";");
      break;
    case 1:
      line("and.b32 %t0, " + r() + ", 0x80ffffff; or.b32 %t0, %t0, " +
           any_of({"0x1f800000", "0x20000000", "0x3f000000", "0x0b800000"}) + ";");
      break;
    case 2:  // products that round up to a power of two
      line("and.b32 %t0, " + r() + ", 0x80800003; xor.b32 %t0, %t0, " +
           any_of({"0x3f7fffff", "0x1fffffff", "0x00ffffff", "0x007fffff"}) + ";");
      break;
    case 3:
      line("and.b32 %t0, " + r() + ", 0x80000003; add.u32 %t0, %t0, " +
           any_of({"0x007fffff", "0x00800000", "0x20000000", "0x00ffffff"}) + ";");
      break;
    default:
      line(std::string("mov.b32 %t0, ") +
           any_of({"0x00800000", "0x80800000", "0x007fffff", "0x00000001", "0x80000001"}) + ";");
      break;
  }
  line("mov.b32 " + to + ", %t0;");
}

void RandomKernel::flushing_real() {
  const std::string to = f(), from = f(), other = f();
  switch (pick(16)) {
    case 0:
    case 1:
      return line(any_of({"add", "sub", "mul"}) + rounding() + ftz() + (one_in(6) ? ".sat" : "") +
                  ".f32 " + to + ", " + from + ", " + other + ";");
    case 2:
    case 3:
      return line("fma" + rounding() + ftz() + (one_in(6) ? ".sat" : "") + ".f32 " + to + ", " +
                  from + ", " + other + ", " + (pick(2) ? to : f()) + ";");
    case 4:
      return line("div" + rounding() + ftz() + ".f32 " + to + ", " + from + ", " + other + ";");
    case 5:
      return line("abs" + ftz() + ".f32 " + to + ", " + from + "; sqrt" + rounding() + ftz() +
                  ".f32 " + to + ", " + to + ";");
    case 6:
      return line("rcp" + rounding() + ftz() + ".f32 " + to + ", " + from + ";");
    case 7:
    case 8:
      return line(std::string(any_of({"min", "max"})) + ftz() + (one_in(4) ? ".NaN" : "") +
                  (one_in(6) ? ".xorsign.abs" : "") + ".f32 " + to + ", " + from + ", " + other +
                  ";");
    case 9:
      return line(std::string(any_of({"neg", "abs"})) + ftz() + ".f32 " + to + ", " + from + ";");
    case 10:
      return line("mul" + ftz() + ".f32 " + to + ", " + from + ", " +
                  any_of({"0f00800000", "0f1f800000", "0f3f7fffff", "0f5f000000", "0f00000001"}) +
                  ";");
    case 11:
      return line("fma.rn" + ftz() + ".f32 " + to + ", " + from + ", 0f3f000000, " +
                  any_of({"0f00800000", "0f80000000", "0f007fffff"}) + ";");
    case 12:
      return line("mov.b32 " + to + ", " + r() + ";");
    case 13:
      return flushing_compare();
    default:
      return tiny_number();
  }
}

void RandomKernel::flushing_compare() {
  const std::string to = f(), from = f(), other = f();
  switch (pick(5)) {
    case 0:
      return line("copysign.f32 " + to + ", " + from + ", " + other + ";");
    case 1:
      return line("slct" + ftz() + ".f32.f32 " + to + ", " + from + ", " + other + ", " + f() +
                  ";");
    case 2:
      return line(std::string("set.") + any_of({"lt", "geu", "eq", "num"}) + ftz() + ".u32.f32 " +
                  r() + ", " + from + ", " + other + ";");
    case 3:
      return line(std::string("testp.") + any_of({"subnormal", "normal", "finite"}) + ".f32 %z, " +
                  from + "; selp.f32 " + to + ", " + other + ", " + from + ", %z;");
    default:
      return line(std::string("setp.") + any_of({"lt", "ge", "equ", "ne"}) + ftz() + ".f32 %z, " +
                  from + ", " + other + "; selp.f32 " + to + ", " + other + ", " + from + ", %z;");
  }
}

void RandomKernel::flushing_approximate() {
  const std::string to = f(), from = f();
  switch (pick(6)) {
    case 0:
      return line("div.approx" + ftz() + ".f32 " + to + ", " + from + ", " + f() + ";");
    case 1:
      return line("div.full" + ftz() + ".f32 " + to + ", " + from + ", " + f() + ";");
    case 2:
      return line("tanh.approx.f32 " + to + ", " + from + ";");
    default:
      return line(std::string(any_of({"ex2", "lg2", "sin", "cos", "rcp", "rsqrt", "sqrt"})) +
                  ".approx" + ftz() + ".f32 " + to + ", " + from + ";");
  }
}

void RandomKernel::flushing_convert() {
  const std::string to = f(), from = f();
  switch (pick(11)) {
    case 9:
      return line("cvt.rn.f32.u32 " + to + ", " + source() + ";");
    case 10:
      return line("cvt.rn.f32.s64 " + to + ", " + l() + ";");
    case 0:
      return line("cvt." + std::string(any_of({"rzi", "rni", "rmi", "rpi"})) + ftz() + ".s32.f32 " +
                  r() + ", " + from + ";");
    case 1:
      return line("cvt." + std::string(any_of({"rzi", "rni", "rmi", "rpi"})) + ftz() + ".u64.f32 " +
                  l() + ", " + from + ";");
    case 2:
      return line("cvt." + std::string(any_of({"rmi", "rpi", "rni", "rzi"})) + ftz() +
                  (one_in(4) ? ".sat" : "") + ".f32.f32 " + to + ", " + from + ";");
    case 3:
      return line("cvt" + ftz() + ".sat.f32.f32 " + to + ", " + from + ";");
    case 4:
      return line("cvt" + ftz() + ".f64.f32 %v0, " + from + "; cvt.rn" + ftz() + ".f32.f64 " + to +
                  ", %v0;");
    case 5:
      line("and.b64 %m0, " + l() + ", 0x801fffffffffffff; or.b64 %m0, %m0, 0x3800000000000000;");
      return line("mov.b64 %v0, %m0; cvt.rn" + ftz() + ".f32.f64 " + to + ", %v0;");
    case 6:
      return line("cvt.rn.bf16.f32 %w0, " + from + "; cvt.f32.bf16 " + to + ", %w0;");
    case 7:
      return line("cvt.rn" + ftz() + ".f16.f32 " + g() + ", " + from + ";");
    default:
      return line("cvt.rna.tf32.f32 " + r() + ", " + from + ";");
  }
}

}  // namespace pycuda::cpu::testing
