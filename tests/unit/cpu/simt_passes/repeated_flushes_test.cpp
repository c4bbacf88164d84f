// SPDX-License-Identifier: MIT
// Which flushes of subnormal numbers are needed.
#include "cpu/simt/repeated_flushes.h"

#include <doctest/doctest.h>

#include <string>

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
           flush("a", "s") + "%u = fadd float %a, 1.0\n" + flush("t", "u") +
           "%j = add i32 %i, 1\n%more = icmp ult i32 %j, %n\n"
           "br i1 %more, label %loop, label %end\nend:\nret float %t";
  };
  CHECK(selects(loop("0.0")) == 1);
  CHECK(selects(loop("1.0")) == 1);
  CHECK(selects(loop("%x")) == 2);
  CHECK(selects(loop("0x36A0000000000000")) == 2);
}
