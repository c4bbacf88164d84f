// SPDX-License-Identifier: MIT
// Which divisions by what all lanes have in common become multiplications.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::multiply_by_reciprocals;
using pycuda::cpu::target::DividerCosts;
using pycuda::cpu::testing::FunctionText;

namespace {

constexpr DividerCosts costs{.division = {.divider = 60, .multipliers = 20},
                             .root = {.divider = 100, .multipliers = 20},
                             .division_of_doubles = {.divider = 90, .multipliers = 20},
                             .multiplied_root = 90,
                             .multiplied_reciprocal = 20,
                             .multiplication = 10,
                             .addition = 0,
                             .in_registers = true};

/// How many divisions the pass replaces in the loop of a function of the vectors %a and %b, the
/// numbers %s and %t (of f64) and the pointer %p.
unsigned replaced_in(const std::string& loop, const std::string& before = "") {
  FunctionText text(
      "define void @f(<64 x float> %a, <8 x double> %b, float %s, double %t, ptr %p) {\n"
      "entry:\n"
      "  %si = insertelement <64 x float> poison, float %s, i64 0\n"
      "  %ss = shufflevector <64 x float> %si, <64 x float> poison, <64 x i32> zeroinitializer\n"
      "  %ti = insertelement <8 x double> poison, double %t, i64 0\n"
      "  %ts = shufflevector <8 x double> %ti, <8 x double> poison, <8 x i32> zeroinitializer\n" +
      before +
      "  br label %loop\n"
      "loop:\n"
      "  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n" +
      loop +
      "  %j = add i32 %i, 1\n"
      "  %more = icmp slt i32 %j, 10\n"
      "  br i1 %more, label %loop, label %end\n"
      "end:\n"
      "  ret void\n"
      "}\n");
  const unsigned replaced = multiply_by_reciprocals(text.function(), costs);
  CHECK(text.count(llvm::Instruction::Ret) == 1);
  return replaced;
}

std::string stored(const std::string& name, const std::string& type) {
  return "store volatile " + type + " %" + name + ", ptr %p\n";
}

std::string quotient(const std::string& name, const std::string& by) {
  return "%" + name + " = fdiv <64 x float> %a, " + by + "\n" + stored(name, "<64 x float>");
}

std::string products(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "%m" + std::to_string(i) + " = fmul <64 x float> %a, %a\n";
  return text;
}

}  // namespace

TEST_CASE("divisions by a number that is known before the loop become multiplications") {
  CHECK(replaced_in(quotient("q", "%ss")) == 1);
  CHECK(replaced_in(quotient("q", "splat (float 255.0)")) == 1);
  CHECK(replaced_in("%q = fdiv <8 x double> %b, %ts\n" + stored("q", "<8 x double>")) == 1);
}

TEST_CASE("other divisors stay with the divider") {
  CHECK(replaced_in(quotient("q", "%a")) == 0);
  for (const char* number : {"-3.0", "0.0", "0x7FF0000000000000", "0x4690000000000000"}) {
    CAPTURE(number);
    CHECK(replaced_in(quotient("q", std::string("splat (float ") + number + ")")) == 0);
  }
  CHECK(replaced_in("%n = load volatile float, ptr %p\n"
                    "%ni = insertelement <64 x float> poison, float %n, i64 0\n"
                    "%ns = shufflevector <64 x float> %ni, <64 x float> poison, <64 x i32> "
                    "zeroinitializer\n" +
                    quotient("q", "%ns")) == 0);
}

TEST_CASE("a divider that is not the bottleneck keeps its divisions") {
  // 240 and 80 tenths of a cycle, or 0 and 120 without the division; and 40 for each product.
  CHECK(replaced_in(quotient("q", "%ss") + products(2)) == 1);
  CHECK(replaced_in(quotient("q", "%ss") + products(3)) == 0);
}

TEST_CASE("of two divisions the one is left to the divider, which is free then") {
  CHECK(replaced_in(quotient("q", "%ss") + quotient("r", "%ss")) == 1);
}

TEST_CASE("a number that divides often has one reciprocal") {
  FunctionText text(
      "define void @f(<64 x float> %a, float %s, ptr %p) {\n"
      "  %si = insertelement <64 x float> poison, float %s, i64 0\n"
      "  %ss = shufflevector <64 x float> %si, <64 x float> poison, <64 x i32> zeroinitializer\n"
      "  %q = fdiv <64 x float> %a, %ss\n"
      "  store volatile <64 x float> %q, ptr %p\n"
      "  br label %next\n"
      "next:\n"
      "  %r = fdiv <64 x float> %a, %ss\n"
      "  store volatile <64 x float> %r, ptr %p\n"
      "  ret void\n"
      "}\n");
  CHECK(multiply_by_reciprocals(text.function(), costs) == 2);
  CHECK(text.count(llvm::Instruction::FDiv) == 3);
}
