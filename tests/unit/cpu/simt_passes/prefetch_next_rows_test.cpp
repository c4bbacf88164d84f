// SPDX-License-Identifier: MIT
// Where threads fetch what others will walk.

#include <doctest/doctest.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "cpu/simt/memory/memory_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using namespace pycuda::cpu;

namespace {

/// A thread that walks a row of two arrays, from one number of a list to the one `bytes` behind.
std::string row_walk(const std::string& bytes, const std::string& start = "%begin") {
  return R"(
define void @f(i64 %starts, i64 %columns, i64 %values, i64 %x, ptr %out) {
entry:
  %list = inttoptr i64 %starts to ptr
  %begin = load i32, ptr %list
  %behind = getelementptr i8, ptr %list, i64 )" +
         bytes + R"(
  %end = load i32, ptr %behind
  %any = icmp slt i32 %begin, %end
  br i1 %any, label %before, label %done
before:
  %first = sext i32 )" +
         start + R"( to i64
  %offset = shl nsw i64 %first, 2
  %first_column = add i64 %columns, %offset
  br label %loop
loop:
  %k = phi i32 [ %begin, %before ], [ %next, %loop ]
  %column_at = phi i64 [ %first_column, %before ], [ %next_column, %loop ]
  %sum = phi float [ 0.0, %before ], [ %new_sum, %loop ]
  %column_place = inttoptr i64 %column_at to ptr
  %column = load i32, ptr %column_place
  %column64 = sext i32 %column to i64
  %x_offset = shl nsw i64 %column64, 2
  %x_at = add i64 %x, %x_offset
  %x_place = inttoptr i64 %x_at to ptr
  %indirect_access = load float, ptr %x_place
  %k64 = sext i32 %k to i64
  %value_offset = shl nsw i64 %k64, 2
  %value_at = add i64 %values, %value_offset
  %value_place = inttoptr i64 %value_at to ptr
  %value = load float, ptr %value_place
  %product = fmul float %value, %indirect_access
  %new_sum = fadd float %sum, %product
  %next_column = add i64 %column_at, 4
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";
}

unsigned fetches_in(llvm::Function& function, const char* block) {
  unsigned found = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    found += call && call->getIntrinsicID() == llvm::Intrinsic::prefetch &&
                     call->getParent()->getName() == block
                 ? 1
                 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE("a thread fetches what threads behind it will walk, once for each of its row's arrays") {
  testing::FunctionText text(row_walk("4"));
  CHECK(simt::prefetch_next_rows(text.function()) == 2);
  REQUIRE(text.count(llvm::Instruction::PHI) == 3);
  // Before the loop, and not what is looked up.
  CHECK(fetches_in(text.function(), "entry") == 4);
  CHECK(fetches_in(text.function(), "loop") == 0);
}

TEST_CASE("rows follow one another where each ends at the next number of the list") {
  for (const char* const bytes : {"8", "-4", "400"}) {
    testing::FunctionText text(row_walk(bytes));
    CHECK(simt::prefetch_next_rows(text.function()) == 0);
  }
}

TEST_CASE("where a place does not follow from the row's beginning nothing is fetched") {
  std::string text = row_walk("4", "%end");
  text.replace(text.find("[ %begin, %before ]"), 19, "[ %end, %before ]");
  testing::FunctionText elsewhere(text);
  CHECK(simt::prefetch_next_rows(elsewhere.function()) == 0);
}
