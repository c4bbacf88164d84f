// SPDX-License-Identifier: MIT
// Which divisions one division does for.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/branches/branch_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::share_divisions;
using pycuda::cpu::testing::FunctionText;

namespace {

/// One way or the other.
std::string diamond(const std::string& yes, const std::string& no,
                    const std::string& condition = "fcmp olt float %x, %y") {
  return "define float @f(float %x, float %y, float %d, float %e, ptr %p, i1 %q) {\n  %c = " +
         condition + "\n  br i1 %c, label %yes, label %no\nyes:\n" + yes +
         "  br label %end\nno:\n" + no +
         "  br label %end\nend:\n  %r = phi float [ %a, %yes ], [ %b, %no ]\n  ret float %r\n}\n";
}

const std::string first = "  %n = fsub float %x, %y\n  %a = fdiv float %n, %d\n";

}  // namespace

TEST_CASE("two ways that divide by the same number divide once") {
  FunctionText text(diamond(first, "  %s = fdiv float %y, %d\n  %b = fadd float %s, 2.0\n"));
  CHECK(share_divisions(text.function()) == 1);
  CHECK(text.count(llvm::Instruction::FDiv) == 1);
  CHECK(text.count(llvm::Instruction::Select) == 1);
  CHECK(text.function().getEntryBlock().getTerminator()->getPrevNode()->getOpcode() ==
        llvm::Instruction::FDiv);
}

TEST_CASE("ways of ways share what they all divide by") {
  FunctionText text(
      "define float @f(float %x, float %y, float %d) {\n"
      "  %c = fcmp olt float %x, %y\n  br i1 %c, label %yes, label %no\n"
      "yes:\n  %a = fdiv float %x, %d\n  br label %end\n"
      "no:\n  %g = fcmp olt float %y, %d\n  br i1 %g, label %one, label %two\n"
      "one:\n  %b = fdiv float %y, %d\n  br label %end\n"
      "two:\n  %m = fneg float %y\n  %e = fdiv float %m, %d\n  br label %end\n"
      "end:\n  %r = phi float [ %a, %yes ], [ %b, %one ], [ %e, %two ]\n  ret float %r\n}\n");
  CHECK(share_divisions(text.function()) == 2);
  CHECK(text.count(llvm::Instruction::FDiv) == 1);
}

TEST_CASE("divisions by other numbers, or of what may not be computed for all, stay") {
  const auto unchanged = [](const std::string& source) {
    FunctionText text(source);
    const unsigned before = text.count(llvm::Instruction::FDiv);
    return share_divisions(text.function()) == 0 && text.count(llvm::Instruction::FDiv) == before;
  };
  CHECK(unchanged(diamond(first, "  %b = fdiv float %y, %e\n")));
  CHECK(unchanged(diamond(first, "  %b = fadd float %y, %d\n")));
  CHECK(unchanged(diamond(first, "  %l = load float, ptr %p\n  %b = fdiv float %l, %d\n")));
  CHECK(unchanged(diamond(first, "  %h = fadd float %d, 1.0\n  %b = fdiv float %y, %h\n")));
  CHECK(unchanged(diamond(first,
                          "  %1 = fadd float %x, %y\n  %2 = fmul float %1, %x\n"
                          "  %3 = fmul float %2, %y\n  %4 = fmul float %3, %e\n"
                          "  %5 = fadd float %4, %x\n  %b = fdiv float %5, %d\n")));
  // All threads go the same way.
  CHECK(unchanged(diamond(first, "  %b = fdiv float %y, %d\n", "freeze i1 %q")));
}
