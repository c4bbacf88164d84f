// SPDX-License-Identifier: MIT
// Which flushes of subnormal numbers are needed.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::drop_repeated_flushes;
using pycuda::cpu::testing::FunctionText;

namespace {

/// %`to` is %`from`, flushed.
std::string flush(const std::string& to, const std::string& from) {
  return "%" + to + ".b = bitcast float %" + from + " to i32\n%" + to + ".e = and i32 %" + to +
         ".b, 2139095040\n%" + to + ".t = icmp eq i32 %" + to + ".e, 0\n%" + to + ".s = and i32 %" +
         to + ".b, -2147483648\n%" + to + ".f = select i1 %" + to + ".t, i32 %" + to + ".s, i32 %" +
         to + ".b\n%" + to + " = bitcast i32 %" + to + ".f to float\n";
}

/// How many selects are left.
unsigned selects(const std::string& body) {
  FunctionText text(R"(
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @approximate.rsqrt.ftz(float)
declare float @approximate.rsqrt(float)
declare i1 @approximate.is-tiny(float, float, float, float)
define float @f(float %x, float %y, i1 %c, i32 %n) {
start:
)" + body + "\n}\n");
  drop_repeated_flushes(text.function());
  return text.count(llvm::Instruction::Select);
}

}  // namespace

TEST_CASE("what was flushed is not flushed again") {
  CHECK(selects(flush("a", "x") + "ret float %a") == 1);
  CHECK(selects(flush("a", "x") + flush("b", "a") + "ret float %b") == 1);
  CHECK(selects(flush("a", "x") + "%s = fadd float %a, %a\n" + flush("b", "s") + "ret float %b") ==
        2);
  CHECK(selects(flush("a", "x") + "%s = fneg float %a\n%t = call float @llvm.fabs.f32(float %s)\n" +
                flush("b", "t") + "ret float %b") == 1);
  // A NaN made canonical is a third select that stays.
  CHECK(selects(flush("a", "x") +
                "%u = fcmp uno float %a, %a\n"
                "%k = select i1 %u, float 0x7FFFFFFFE0000000, float %a\n" +
                flush("b", "k") + "ret float %b") == 2);
}

TEST_CASE("results of other operations with .ftz are flushed, those of any are not") {
  const std::string product = R"(%p = fmul float %x, %y
%tiny = call i1 @approximate.is-tiny(float %p, float %x, float %y, float 0.0)
%raw = bitcast float %p to i32
%zero = and i32 %raw, -2147483648
%result = select i1 %tiny, i32 %zero, i32 %raw
%r = bitcast i32 %result to float
)";
  CHECK(selects(product + flush("b", "r") + "ret float %b") == 1);
  CHECK(selects("%r = call float @approximate.rsqrt.ftz(float %x)\n" + flush("b", "r") +
                "ret float %b") == 0);
  CHECK(selects("%r = call float @approximate.rsqrt(float %x)\n" + flush("b", "r") +
                "ret float %b") == 1);
  // Of another number.
  CHECK(selects("%p = fmul float %x, %y\n"
                "%tiny = call i1 @approximate.is-tiny(float %y, float %x, float %y, float 0.0)\n"
                "%raw = bitcast float %p to i32\n%zero = and i32 %raw, -2147483648\n"
                "%result = select i1 %tiny, i32 %zero, i32 %raw\n"
                "%r = bitcast i32 %result to float\n" +
                flush("b", "r") + "ret float %b") == 2);
}

TEST_CASE("sums round a loop are flushed where they begin so") {
  const auto loop = [](const std::string& first) {
    return "br label %loop\nloop:\n%s = phi float [ " + first +
           ", %start ], [ %t, %loop ]\n%i = phi i32 [ 0, %start ], [ %j, %loop ]\n" +
           flush("a", "s") + "%u = fadd float %a, %y\n" + flush("t", "u") +
           "%j = add i32 %i, 1\n%more = icmp ult i32 %j, %n\n"
           "br i1 %more, label %loop, label %end\nend:\nret float %t";
  };
  CHECK(selects(loop("0.0")) == 1);
  CHECK(selects(loop("1.0")) == 1);
  CHECK(selects(loop("%x")) == 2);
  CHECK(selects(loop("0x36A0000000000000")) == 2);
}

TEST_CASE("sums with a constant that is not small are no subnormal numbers") {
  const auto flushed = [](const std::string& sum) {
    return selects("%s = " + sum + "\n" + flush("a", "s") + "ret float %a");
  };
  CHECK(flushed("fadd float %x, 1.0") == 0);
  CHECK(flushed("fsub float 1.0, %x") == 0);
  CHECK(flushed("call float @llvm.fma.f32(float %x, float %y, float -0.5)") == 0);
  CHECK(flushed("call float @llvm.fma.f32(float %x, float 0.5, float %y)") == 1);
  CHECK(flushed("fadd float %x, 0x3A00000000000000") == 1);
  CHECK(flushed("fadd float %x, 0x7FF0000000000000") == 1);
  CHECK(flushed("fmul float %x, 1.0") == 1);
}

TEST_CASE("what is added to constants that are far larger is not flushed") {
  const auto flushed = [](const std::string& readers) {
    return selects(flush("a", "x") + readers);
  };
  CHECK(flushed("%r = fadd float %a, 1.0\nret float %r") == 0);
  CHECK(flushed("%r = call float @llvm.fma.f32(float %a, float -2.0, float 1.0)\nret float %r") ==
        0);
  CHECK(flushed("%r = call float @llvm.fma.f32(float %a, float %y, float 1.0)\nret float %r") == 1);
  CHECK(flushed("%r = call float @llvm.fma.f32(float %y, float %y, float %a)\nret float %r") == 1);
  CHECK(flushed("%r = fadd float %a, 1.0\n%q = fmul float %a, %r\nret float %q") == 1);
}
