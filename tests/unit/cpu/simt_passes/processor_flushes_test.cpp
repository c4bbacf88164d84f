// SPDX-License-Identifier: MIT
// Which flushes are left to a processor that flushes by itself.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::leave_flushes_to_processor;
using pycuda::cpu::testing::FunctionText;

namespace {

/// How many flushes are made of integers; no mark may be left.
unsigned flushes(const std::string& body) {
  FunctionText text(R"(
declare float @llvm.canonicalize.f32(float)
declare float @llvm.fma.f32(float, float, float)
define float @f(float %x, float %y, ptr %p) "denormal-fp-math-f32"="preserve-sign,preserve-sign" {
start:
)" + body + "\n}\n");
  leave_flushes_to_processor(text.function());
  CHECK(text.count(llvm::Instruction::Call) == 0);
  return text.count(llvm::Instruction::And) / 2;
}

const std::string mark_x = "%a = call float @llvm.canonicalize.f32(float %x)\n";

}  // namespace

TEST_CASE("arithmetic flushes what it gives and what it takes") {
  CHECK(flushes(mark_x + "%s = fadd float %a, %y\nret float %s") == 0);
  CHECK(flushes("%s = fmul float %x, %y\n%r = call float @llvm.canonicalize.f32(float %s)\n"
                "ret float %r") == 0);
  CHECK(flushes(mark_x + "%n = fneg float %a\n%s = fmul float %n, %y\nret float %s") == 0);
}

TEST_CASE("numbers whose bits are seen are flushed by code") {
  CHECK(flushes(mark_x + "ret float %a") == 1);
  CHECK(flushes(mark_x + "store float %a, ptr %p\n%s = fadd float %a, %y\nret float %s") == 1);
  CHECK(flushes(mark_x + "%n = fneg float %a\nret float %n") == 1);
}

TEST_CASE("a choice of numbers as they are becomes no instruction that flushes them") {
  CHECK(flushes("%c = fcmp olt float %x, %y\n%r = select i1 %c, float %x, float %y\n"
                "ret float %r") == 2);
  CHECK(flushes("%s = fadd float %x, %x\n%t = fadd float %y, %y\n%c = fcmp olt float %s, %t\n"
                "%r = select i1 %c, float %s, float %t\nret float %r") == 0);
}
