// SPDX-License-Identifier: MIT
// Which questions change places, and what is computed before them.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/branches/branch_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::if_convert_likely;
using pycuda::cpu::simt::Odds;
using pycuda::cpu::simt::odds_of;
using pycuda::cpu::simt::test_ranges_first;
using pycuda::cpu::testing::FunctionText;

namespace {

/// As cos asks: is %a infinite, else is it in range? `second` is where it is asked again.
std::string reduction(const std::string& second, const std::string& near) {
  return "declare double @slow(double)\n"
         "declare double @llvm.sqrt.f64(double)\n"
         "define double @f(double %x, double %a, ptr %p) {\n"
         "  %special = fcmp oeq double %a, 0x7FF0000000000000\n"
         "  br i1 %special, label %infinite, label %finite\n"
         "infinite:\n  %i = fmul double %x, 0.0\n  br label %end\n"
         "finite:\n" +
         second + "  br i1 %small, label %near, label %far\nnear:\n" + near +
         "  br label %end\n"
         "far:\n  %s = call double @slow(double %x)\n  br label %end\n"
         "end:\n  %r = phi double [ %i, %infinite ], [ %n, %near ], [ %s, %far ]\n"
         "  ret double %r\n}\n";
}

const std::string in_range = "  %small = fcmp ult double %a, 0x41E0000000000000\n";
const std::string few = "  %n = fadd double %x, 1.0\n";

llvm::BasicBlock& block(FunctionText& text, llvm::StringRef name) {
  for (llvm::BasicBlock& each : text.function())
    if (each.getName() == name) return each;
  FAIL("no such block");
  return text.function().front();
}

}  // namespace

TEST_CASE("a range is asked for before a number outside of it") {
  FunctionText text(reduction(in_range, few));
  CHECK(test_ranges_first(text.function()) == 1);
  CHECK(text.count(llvm::Instruction::Br) == 5);
  llvm::BasicBlock& entry = text.function().front();
  const auto* asks = llvm::cast<llvm::BranchInst>(entry.getTerminator());
  CHECK(asks->getCondition()->getName() == "small");
  CHECK(asks->getSuccessor(0)->getName() == "near");
  const auto* asks_again = llvm::cast<llvm::BranchInst>(asks->getSuccessor(1)->getTerminator());
  CHECK(asks_again->getCondition()->getName() == "special");
  CHECK(asks_again->getSuccessor(0)->getName() == "infinite");
  CHECK(asks_again->getSuccessor(1)->getName() == "far");
  CHECK(odds_of(block(text, "near")) == Odds::Likely);
  CHECK(odds_of(block(text, "finite")) == Odds::Unlikely);
  CHECK(odds_of(block(text, "far")) == Odds::Unknown);
  CHECK(test_ranges_first(text.function()) == 0);
}

TEST_CASE("a question that the number would answer otherwise stays where it is") {
  for (const char* second :
       {"  %small = fcmp ugt double %a, 1.0\n", "  %small = fcmp oeq double %a, 1.0\n",
        "  %small = fcmp ult double %x, 1.0\n",
        "  store double %x, ptr %p\n  %small = fcmp ult double %a, 1.0\n",
        "  %y = call double @slow(double %x)\n  %small = fcmp ult double %a, 1.0\n"}) {
    CAPTURE(second);
    FunctionText text(reduction(second, few));
    const bool inverse = std::string(second).find("ugt") != std::string::npos;
    // Then it is the other side that the number is outside of.
    CHECK(test_ranges_first(text.function()) == (inverse ? 1 : 0));
    CHECK(text.count(llvm::Instruction::Br) == 5);
    const auto* asks = llvm::cast<llvm::BranchInst>(text.function().front().getTerminator());
    if (inverse) CHECK(asks->getSuccessor(1)->getName() == "far");
  }
}

TEST_CASE("few operations of the likely way are computed before the branch") {
  FunctionText text(reduction(in_range, few));
  if_convert_likely(text.function());
  CHECK(block(text, "near").size() == 2);
  test_ranges_first(text.function());
  if_convert_likely(text.function());
  CHECK(text.count(llvm::Instruction::FAdd) == 1);
  CHECK(block(text, "near").size() == 1);
  CHECK(block(text, "infinite").size() == 2);
}

TEST_CASE("what is slow, or can be told, stays on its way") {
  for (const char* near :
       {"  %n = fdiv double %x, 3.0\n", "  %n = call double @llvm.sqrt.f64(double %x)\n",
        "  %n = call double @slow(double %x)\n", "  %n = load double, ptr %p\n",
        "  %n = fadd double %x, 1.0\n  store double %n, ptr %p\n"}) {
    CAPTURE(near);
    FunctionText text(reduction(in_range, near));
    CHECK(test_ranges_first(text.function()) == 1);
    const std::size_t before = block(text, "near").size();
    if_convert_likely(text.function());
    CHECK(block(text, "near").size() == before);
    CHECK(text.count(llvm::Instruction::Br) == 5);
  }
}
