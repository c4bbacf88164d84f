// SPDX-License-Identifier: MIT
// What guards ask beside their own conditions.

#include <doctest/doctest.h>

#include <string>

#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/versioning/versioning_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::gang_all;
using pycuda::cpu::simt::version_uniform_branches;
using pycuda::cpu::testing::FunctionText;

namespace pseudo = pycuda::cpu::lower::pseudo;

namespace {

const std::string declarations = R"(
declare ptr @ptx.params(ptr) memory(none)
declare i32 @ptx.sreg.tid.x(ptr) memory(none)
declare void @check.alignment(ptr, i64, i64, i64)
attributes #0 = { "ptx-parameter-bytes"="16" }
)";

/// Stores to the parameter's array, or to where `tested` says, behind a guard.
std::string kernel(const std::string& tested, const std::string& behind_guard = "br label %run") {
  return "define void @f(ptr %thread) #0 {\nentry: %params = call ptr @ptx.params(ptr %thread)\n"
         "%out = load i64, ptr %params, align 8, !invariant.load !0\n"
         "%end = getelementptr i8, ptr %params, i64 8\n%n = load i32, ptr %end, align 8, "
         "!invariant.load !0\n%x = call i32 @ptx.sreg.tid.x(ptr %thread)\n"
         "%c = icmp slt i32 %x, %n\nbr i1 %c, label %inside, label %outside\n"
         "inside: " +
         behind_guard +
         "\nrun: %i = zext i32 %x to i64\n%o = shl i64 %i, 2\n%a = add i64 %out, %o\n"
         "call void @check.alignment(ptr %thread, i64 " +
         tested +
         ", i64 %a, i64 3)\n%p = inttoptr i64 %a to ptr\nstore i32 1, ptr %p\nbr label %end.of.it\n"
         "outside: br label %end.of.it\nend.of.it: ret void\n}\n!0 = !{}\n" +
         declarations;
}

struct Opened {
  unsigned checks = 0;           ///< that are left
  bool asks_with_guard = false;  ///< whether gangs go on as a whole for more than their condition
};

Opened open(const std::string& text) {
  FunctionText parsed(text);
  llvm::Function* opened = version_uniform_branches(parsed.function(), 16);
  REQUIRE(opened);
  REQUIRE(!llvm::verifyFunction(*opened));
  Opened found;
  for (const llvm::Instruction& instruction : llvm::instructions(*opened)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction()) continue;
    if (call->getCalledFunction()->getName() == pseudo::check_alignment) ++found.checks;
    if (call->getCalledFunction()->getName() == gang_all)
      found.asks_with_guard |=
          call->hasOneUser() && !llvm::isa<llvm::BranchInst>(call->user_back());
  }
  return found;
}

}  // namespace

TEST_CASE("whole gangs ask once, with the guard, whether parameters are aligned") {
  const Opened found = open(kernel("%out"));
  CHECK(found.checks == 1);  // of those gangs that the guard divides
  CHECK(found.asks_with_guard);
}

TEST_CASE("checks of anything else stay where they are") {
  const Opened found = open(kernel("%a"));
  CHECK(found.checks == 2);
  CHECK(!found.asks_with_guard);
}

TEST_CASE("a guard within another one leaves the question to that") {
  const Opened found = open(kernel("%out",
                                   "%d = icmp slt i32 %x, 77\nbr i1 %d, label %run, label %skip\n"
                                   "skip: br label %end.of.it"));
  CHECK(found.checks == 1);
}
