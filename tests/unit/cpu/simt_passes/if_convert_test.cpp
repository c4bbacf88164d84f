// SPDX-License-Identifier: MIT
// Which branches of a gang's source become choices.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/branches/branch_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::if_convert;
using pycuda::cpu::testing::FunctionText;

namespace {

std::string function(const std::string& body) {
  return "declare float @llvm.fma.f32(float, float, float)\n"
         "declare float @other(float)\n"
         "define float @f(float %x, float %y, i32 %n, ptr %p) {\n" +
         body + "}\n";
}

/// One way or the other, by `condition`.
std::string diamond(const std::string& condition, const std::string& yes, const std::string& no,
                    const std::string& weights = "") {
  return function("  %c = " + condition + "\n  br i1 %c, label %yes, label %no" + weights +
                  "\nyes:\n" + yes + "  br label %end\nno:\n" + no +
                  "  br label %end\nend:\n  %r = phi float [ %a, %yes ], [ %b, %no ]\n"
                  "  ret float %r\n") +
         "!0 = !{!\"branch_weights\", i32 1, i32 2000}\n";
}

const std::string less = "fcmp olt float %x, %y";
const std::string sum = "  %a = fadd float %x, %y\n";
const std::string fused = "  %b = call float @llvm.fma.f32(float %x, float %y, float %x)\n";

}  // namespace

TEST_CASE("two short ways become a choice") {
  FunctionText text(diamond(less, sum, fused));
  CHECK(if_convert(text.function()) == 1);
  CHECK(text.count(llvm::Instruction::Select) == 1);
  CHECK(text.count(llvm::Instruction::FAdd) == 1);
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
    CHECK_FALSE((branch && branch->isConditional()));
  }
}

TEST_CASE("ways within ways become choices from the inside") {
  FunctionText text(function(R"(
  %c = fcmp olt float %x, %y
  br i1 %c, label %low, label %high
low:
  %d = fcmp ogt float %x, 2.0
  br i1 %d, label %one, label %end
one:
  %a = fadd float %x, %y
  br label %end
high:
  %b = fsub float %x, %y
  br label %end
end:
  %r = phi float [ %x, %low ], [ %a, %one ], [ %b, %high ]
  ret float %r
)"));
  CHECK(if_convert(text.function()) == 2);
  CHECK(text.count(llvm::Instruction::Select) == 2);
  CHECK(text.count(llvm::Instruction::PHI) <= 1);
}

TEST_CASE("what is long, slow or can be told is done by those who go there") {
  std::string many;
  for (int i = 0; i < 9; ++i)
    many += "  %t" + std::to_string(i) + " = fadd float " +
            (i == 0 ? "%x" : "%t" + std::to_string(i - 1)) + ", %y\n";
  many += "  %a = fadd float %t8, %y\n";
  for (const std::string& way :
       {many, std::string("  %a = fdiv float %x, %y\n"), std::string("  %a = load float, ptr %p\n"),
        std::string("  %a = call float @other(float %x)\n"), sum + "  store float %x, ptr %p\n"}) {
    CAPTURE(way);
    FunctionText text(diamond(less, way, fused));
    CHECK(if_convert(text.function()) == 0);
  }
}

TEST_CASE("branches that hardly anybody takes, and those on integers, stay") {
  for (const char* condition : {"fcmp oeq float %x, 1.0", "fcmp uno float %x, %y",
                                "fcmp olt float %x, 0x7FF0000000000000", "icmp slt i32 %n, 5"}) {
    CAPTURE(condition);
    FunctionText text(diamond(condition, sum, fused));
    CHECK(if_convert(text.function()) == 0);
  }
  FunctionText text(diamond(less, sum, fused, ", !prof !0"));
  CHECK(if_convert(text.function()) == 0);
}
