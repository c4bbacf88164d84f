// SPDX-License-Identifier: MIT
// Which reciprocals become quotients, which negations join products, and what is no log, atan or
// pow.
#include <doctest/doctest.h>

#include <string>

#include "cpu/libdevice/recognise_pow_double.h"
#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::libdevice::recognise_pow_double;
using pycuda::cpu::simt::divide_for_reciprocals;
using pycuda::cpu::simt::fuse_negations;
using pycuda::cpu::testing::FunctionText;

namespace {

const std::string declarations =
    "declare double @llvm.fma.f64(double, double, double)\n"
    "declare double @approximate.rcp.f64.ftz(double) memory(none) nounwind willreturn\n";

/// %n = -%x as PTX negates.
const std::string negation =
    "  %b = bitcast double %x to i64\n  %q = or i64 %b, 2251799813685248\n"
    "  %y = bitcast i64 %q to double\n  %u = fcmp uno double %x, 0.0\n"
    "  %m = fneg double %x\n  %n = select i1 %u, double %y, double %m\n";

std::string reciprocal(const std::string& operand,
                       const std::string& correction = "%e, double %e") {
  return declarations + "define double @f(double %v, i64 %w) {\n" + operand + negation +
         "  %s = call double @approximate.rcp.f64.ftz(double %x)\n"
         "  %e = call double @llvm.fma.f64(double %n, double %s, double 1.0)\n"
         "  %c = call double @llvm.fma.f64(double %e, double " +
         correction +
         ")\n  %r = call double @llvm.fma.f64(double %c, double %s, double %s)\n"
         "  ret double %r\n}\n";
}

const std::string anything = "  %x = fmul double %v, 3.0\n";
/// From 1 to 4, plus 1.
const std::string moderate =
    "  %h = and i64 %w, 4607182418800017407\n  %g = or i64 %h, 4607182418800017408\n"
    "  %a = bitcast i64 %g to double\n  %x = fadd double %a, 1.0\n";

}  // namespace

TEST_CASE("a refined reciprocal is a quotient where the number is known to be normal") {
  FunctionText text(reciprocal(moderate));
  CHECK(divide_for_reciprocals(text.function()) == 1);
  CHECK(text.count(llvm::Instruction::FDiv) == 1);
  CHECK(text.count(llvm::Instruction::Br) == 0);
}

TEST_CASE("of any other number it is one behind a test, with the sequence on the other way") {
  FunctionText text(reciprocal(anything));
  CHECK(divide_for_reciprocals(text.function()) == 1);
  CHECK(text.count(llvm::Instruction::FDiv) == 1);
  CHECK(text.count(llvm::Instruction::Br) == 2);
  llvm::BasicBlock& entry = text.function().front();
  for (const llvm::Instruction& instruction : entry) CHECK(!llvm::isa<llvm::CallInst>(instruction));
}

TEST_CASE("a seed that is refined otherwise stays") {
  FunctionText text(reciprocal(moderate, "%s, double %e"));
  CHECK(divide_for_reciprocals(text.function()) == 0);
  CHECK(text.count(llvm::Instruction::FDiv) == 0);
}

TEST_CASE("a fused product negates its operands, and nothing else stays of negations") {
  for (const char* operands :
       {"%n, double %v, double %v", "%v, double %n, double %v", "%v, double %v, double %n"}) {
    CAPTURE(operands);
    FunctionText text(declarations + "define double @f(double %x, double %v) {\n" + negation +
                      "  %r = call double @llvm.fma.f64(double " + operands +
                      ")\n  ret double %r\n}\n");
    fuse_negations(text.function());
    CHECK(text.count(llvm::Instruction::Select) == 0);
    CHECK(text.count(llvm::Instruction::FNeg) == 1);
    CHECK(text.count(llvm::Instruction::FCmp) == 0);
  }
}

TEST_CASE("a negation that others read stays, and products have their own") {
  FunctionText text(declarations + "define double @f(double %x, double %v) {\n" + negation +
                    "  %p = call double @llvm.fma.f64(double %n, double %v, double %v)\n"
                    "  %r = fmul double %p, %n\n  ret double %r\n}\n");
  fuse_negations(text.function());
  CHECK(text.count(llvm::Instruction::Select) == 1);
  CHECK(text.count(llvm::Instruction::FNeg) == 2);
}

TEST_CASE("a function is no power by its name") {
  FunctionText text(
      "define internal i64 @f.__internal_accurate_pow(ptr %t, i64 %x, i64 %y) {\n"
      "  %s = add i64 %x, %y\n  ret i64 %s\n}\n"
      "define i64 @f(ptr %t, i64 %x) {\n"
      "  %p = call i64 @f.__internal_accurate_pow(ptr %t, i64 %x, i64 %x)\n  ret i64 %p\n}\n");
  CHECK(recognise_pow_double(*text.function().getParent()) == 0);
  CHECK(text.count(llvm::Instruction::Call) == 1);
}
