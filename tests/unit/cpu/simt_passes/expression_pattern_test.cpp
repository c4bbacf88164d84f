// SPDX-License-Identifier: MIT
// What counts in a pattern written as text and what does not, and which regions go.
#include "cpu/libdevice/expression_pattern.h"

#include <doctest/doctest.h>
#include <llvm/IR/Dominators.h>

#include <cstdint>
#include <string>

#include "cpu/libdevice/region_fingerprint.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::libdevice::drop_regions;
using pycuda::cpu::libdevice::ExpressionPattern;
using pycuda::cpu::libdevice::FoundExpression;
using pycuda::cpu::libdevice::region_result;
using pycuda::cpu::libdevice::two_ways;
using pycuda::cpu::testing::FunctionText;

namespace {

constexpr const char* pattern =
    "a = abs $x\n"
    "large = > a 0x3f800000\n"
    "s = * $x $y\n"
    "f = fma s a 0x40000000\n"
    "d = - f $y\n"
    "r = ? large d f\n";

const std::string declarations =
    "declare float @llvm.fma.f32(float, float, float)\ndeclare float @llvm.fabs.f32(float)\n";

/// The operands that `pattern` has in what the function returns: those of these indexes, or none.
std::string operands_in(const std::string& body) {
  FunctionText text(declarations + "define float @f(float %x, float %y) {\n" + body + "}\n");
  const llvm::DominatorTree dominators(text.function());
  FoundExpression found;
  llvm::Value* result = nullptr;
  for (llvm::Instruction& instruction : llvm::instructions(text.function())) {
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) result = end->getReturnValue();
  }
  if (!ExpressionPattern(pattern).match(result, dominators, found)) return "none";
  std::string names;
  for (const llvm::Value* operand : found.operands) names += operand->getName().str();
  return names;
}

std::string computed(const std::string& product, const std::string& constant,
                     const std::string& test) {
  return "  %a = call float @llvm.fabs.f32(float %x)\n  %s = fmul float " + product +
         "\n  %f = call float @llvm.fma.f32(float %s, float %a, float " + constant +
         ")\n  %c = fcmp " + test +
         "  %n = fneg float %y\n  %d = fadd float %n, %f\n  %r = select i1 %c, float ";
}

/// A loop of its own between the branch and the end, in which `operation` is done.
std::string loop(const std::string& operation, const std::string& side_effect = "") {
  return "define i32 @f(i32 %n, ptr %p) {\nentry:\n  %place = alloca i32\n"
         "  %c = icmp sgt i32 %n, 3\n  br i1 %c, label %turn, label %end\n"
         "turn:\n  %i = phi i32 [ %n, %entry ], [ %j, %turn ]\n  %j = " +
         operation + " i32 %i, 3\n" + side_effect +
         "  %d = icmp sgt i32 %j, 3\n  br i1 %d, label %turn, label %end\n"
         "end:\n  %r = phi i32 [ %n, %entry ], [ %j, %turn ]\n  ret i32 %r\n}\n";
}

std::uint64_t fingerprint(const std::string& text_of_function) {
  FunctionText text(text_of_function);
  auto& phi = llvm::cast<llvm::PHINode>(text.function().back().front());
  auto* asks = llvm::cast<llvm::BranchInst>(text.function().getEntryBlock().getTerminator());
  return region_result(phi, asks->getCondition(), llvm::DominatorTree(text.function())).fingerprint;
}

/// Whether the loop goes, once its result is not read.
bool is_dropped(const std::string& text_of_function) {
  FunctionText text(text_of_function);
  auto& phi = llvm::cast<llvm::PHINode>(text.function().back().front());
  phi.replaceAllUsesWith(text.function().getArg(0));
  phi.eraseFromParent();
  return drop_regions({&text.function().getEntryBlock()}, llvm::DominatorTree(text.function())) ==
         1;
}

}  // namespace

TEST_CASE("a pattern is found whichever way round it is written") {
  const std::string usual = "ogt float %a, 1.0\n";
  CHECK(operands_in(computed("%x, %y", "2.0", usual) + "%d, float %f\n  ret float %r\n") == "xy");
  CHECK(operands_in(computed("%y, %x", "2.0", usual) + "%d, float %f\n  ret float %r\n") == "xy");
  CHECK(operands_in(computed("%x, %y", "2.0", "olt float 1.0, %a\n") +
                    "%d, float %f\n  ret float %r\n") == "xy");
  CHECK(operands_in(computed("%x, %y", "2.0", "ule float %a, 1.0\n") +
                    "%f, float %d\n  ret float %r\n") == "xy");
}

TEST_CASE("a pattern is found behind selects that make NaNs canonical") {
  const std::string body = computed("%x, %y", "2.0", "ogt float %a, 1.0\n");
  CHECK(operands_in(body + "%d, float %f\n  %u = fcmp uno float %r, 0.0\n"
                           "  %q = select i1 %u, float 0x7FFFFFFFE0000000, float %r\n"
                           "  ret float %q\n") == "xy");
}

TEST_CASE("other constants, operands and choices are no such pattern") {
  const std::string usual = "ogt float %a, 1.0\n";
  CHECK(operands_in(computed("%x, %y", "3.0", usual) + "%d, float %f\n  ret float %r\n") == "none");
  CHECK(operands_in(computed("%x, %x", "2.0", usual) + "%d, float %f\n  ret float %r\n") == "none");
  CHECK(operands_in(computed("%x, %y", "2.0", usual) + "%f, float %d\n  ret float %r\n") == "none");
  CHECK(operands_in(computed("%x, %y", "2.0", "oge float %a, 1.0\n") +
                    "%d, float %f\n  ret float %r\n") == "none");
}

TEST_CASE("a choice is found where its ways end with others") {
  FunctionText text(
      "define float @f(i1 %b, float %x, float %y) {\nentry:\n"
      "  br i1 %b, label %first, label %second\nfirst:\n  %c = fcmp ogt float %x, 1.0\n"
      "  br i1 %c, label %more, label %end\nmore:\n  %s = fadd float %x, %y\n"
      "  br label %end\nsecond:\n  br label %end\n"
      "end:\n  %r = phi float [ %x, %second ], [ %s, %more ], [ %y, %first ]\n"
      "  ret float %r\n}\n");
  auto& phi = llvm::cast<llvm::PHINode>(text.function().back().front());
  const llvm::DominatorTree dominators(text.function());
  const ExpressionPattern wanted("c = > $x 0x3f800000\ns = + $x $y\nr = ? c s $y\n");
  FoundExpression found;
  CHECK_FALSE(wanted.match(&phi, dominators, found));
  CHECK_FALSE(two_ways(phi, 0, 1).has_value());
  const auto ways = two_ways(phi, 2, 1);
  REQUIRE(ways.has_value());
  CHECK(wanted.match(*ways, dominators, found));
  CHECK_FALSE(ExpressionPattern("c = > $x 0x3f800000\ns = + $x $y\nr = ? c $y s\n")
                  .match(*ways, dominators, found));
}

TEST_CASE("the fingerprint of a region tells what it computes") {
  const std::uint64_t known = fingerprint(loop("sub"));
  CHECK(known != 0);
  CHECK(fingerprint(loop("sub", "  %unread = mul i32 %i, 5\n")) == known);
  CHECK(fingerprint(loop("lshr")) != known);
  CHECK(fingerprint(loop("sub", "  store i32 %i, ptr %place\n")) != known);
}

TEST_CASE("a region is the same wherever its operations are, and however a sign is asked for") {
  // Of |x|, or x where that is negative as a number, three times as much and more or less.
  const auto placed = [](const std::string& before, const std::string& inside,
                         const std::string& choice) {
    return fingerprint("define i32 @f(i32 %x) {\nentry:\n  %c = icmp ult i32 %x, 7\n" + before +
                       "  br i1 %c, label %end, label %way\nway:\n" + inside +
                       "  %r = select i1 %s, " + choice +
                       "\n  br label %end\n"
                       "end:\n  %p = phi i32 [ %x, %entry ], [ %r, %way ]\n  ret i32 %p\n}\n");
  };
  const std::string multiple = "  %m = mul i32 %x, 3\n", usual = "i32 %m, i32 5";
  const std::string is_negative = "  %s = icmp slt i32 %x, 0\n";
  const std::uint64_t known = placed("", multiple + is_negative, usual);
  CHECK(placed(multiple, is_negative, usual) == known);
  CHECK(placed(multiple + is_negative, "", usual) == known);
  CHECK(placed(multiple, "  %s = icmp sgt i32 %x, -1\n", "i32 5, i32 %m") == known);
  const std::string bit = "  %b = and i32 %x, -2147483648\n";
  CHECK(placed(bit, multiple + "  %s = icmp eq i32 %b, 0\n", "i32 5, i32 %m") == known);
  CHECK(placed(bit, multiple + "  %s = icmp ne i32 %b, 0\n", usual) == known);
  CHECK(placed(bit, multiple + "  %s = icmp ne i32 %b, 0\n", "i32 5, i32 %m") != known);
  CHECK(placed("", multiple + is_negative, "i32 5, i32 %m") != known);
  CHECK(placed("  %m = mul i32 %x, 5\n", is_negative, usual) != known);
}

TEST_CASE("which way of a branch gives which value counts, also where the ways do nothing") {
  const auto chosen = [](const std::string& values) {
    return fingerprint(
        "define i32 @f(i32 %x) {\nentry:\n  %c = icmp ult i32 %x, 7\n"
        "  br i1 %c, label %yes, label %no\nyes:\n  br label %end\n"
        "no:\n  br label %end\nend:\n  %p = phi i32 " +
        values + "\n  ret i32 %p\n}\n");
  };
  CHECK(chosen("[ 1, %yes ], [ 2, %no ]") == chosen("[ 2, %no ], [ 1, %yes ]"));
  CHECK(chosen("[ 1, %yes ], [ 2, %no ]") != chosen("[ 2, %yes ], [ 1, %no ]"));
}

TEST_CASE("addresses in an array of the thread's own are the same however they are added up") {
  // Of the third word behind %n: as one sum, and with parts of it from before the region.
  const auto in_array = [](const std::string& before, const std::string& address) {
    return fingerprint(
        "define i32 @f(i32 %n) {\nentry:\n  %place = alloca [64 x i8]\n"
        "  %base = ptrtoint ptr %place to i64\n  %wide = zext i32 %n to i64\n" +
        before +
        "  %c = icmp sgt i32 %n, 3\n  br i1 %c, label %turn, label %end\n"
        "turn:\n" +
        address +
        "  %q = inttoptr i64 %a to ptr\n  %j = load i32, ptr %q\n  br label %end\n"
        "end:\n  %r = phi i32 [ %n, %entry ], [ %j, %turn ]\n  ret i32 %r\n}\n");
  };
  const std::uint64_t known = in_array("", "  %b = add i64 %base, %wide\n  %a = add i64 %b, 12\n");
  CHECK(known != 0);
  CHECK(in_array("  %b = add i64 %base, 16\n",
                 "  %d = add i64 %wide, -4\n  %a = add i64 %d, %b\n") == known);
  CHECK(in_array("",
                 "  %p = getelementptr i8, ptr %place, i64 12\n"
                 "  %b = ptrtoint ptr %p to i64\n  %a = add i64 %wide, %b\n") == known);
  CHECK(in_array("", "  %b = add i64 %base, %wide\n  %a = add i64 %b, 8\n") != known);
  CHECK(in_array("", "  %b = add i64 %base, %wide\n  %a = add i64 %b, %wide\n") != known);
}

TEST_CASE("a variable of the module is known by its name") {
  const auto is_found = [](const std::string& wanted) {
    FunctionText text(
        "@v.table = external global [4 x i8]\ndefine i64 @f(i64 %x) {\n"
        "  %r = add i64 %x, ptrtoint (ptr @v.table to i64)\n  ret i64 %r\n}\n");
    const llvm::DominatorTree dominators(text.function());
    FoundExpression found;
    return ExpressionPattern("r = i+ $x " + wanted + "\n")
        .match(&text.function().front().front(), dominators, found);
  };
  CHECK(is_found("@table"));
  CHECK_FALSE(is_found("@other"));
}

TEST_CASE("a region goes if nothing of it is seen from outside") {
  CHECK(is_dropped(loop("sub")));
  CHECK(is_dropped(loop("sub", "  store i32 %i, ptr %place\n")));
  CHECK_FALSE(is_dropped(loop("sub", "  store i32 %i, ptr %p\n")));
  CHECK_FALSE(
      is_dropped(loop("sub", "  call void @other(ptr %p)\n") + "declare void @other(ptr)\n"));
}

TEST_CASE("a loop that walks through memory of its own goes, checks of alignment and all") {
  const auto walk = [](const std::string& start) {
    return "define i32 @f(i32 %n, ptr %out) {\nentry:\n  %place = alloca [64 x i8]\n"
           "  %base = ptrtoint ptr " +
           start +
           " to i64\n"
           "  %c = icmp sgt i32 %n, 3\n  br i1 %c, label %turn, label %end\n"
           "turn:\n  %i = phi i32 [ %n, %entry ], [ %j, %turn ]\n"
           "  %a = phi i64 [ %base, %entry ], [ %b, %turn ]\n"
           "  %t = ptrtoint ptr %out to i64\n"
           "  call void @check.alignment(ptr %out, i64 %t, i64 %t, i64 3)\n"
           "  %q = inttoptr i64 %a to ptr\n  store i32 %i, ptr %q\n"
           "  %b = add i64 %a, 4\n  %j = sub i32 %i, 1\n"
           "  %d = icmp sgt i32 %j, 3\n  br i1 %d, label %turn, label %end\n"
           "end:\n  %r = phi i32 [ %n, %entry ], [ %j, %turn ]\n  ret i32 %r\n}\n"
           "declare void @check.alignment(ptr, i64, i64, i64)\n";
  };
  CHECK(is_dropped(walk("%place")));
  CHECK_FALSE(is_dropped(walk("%out")));
}
