// SPDX-License-Identifier: MIT
// Which stores of a thread's loops lose their branches.

#include <doctest/doctest.h>
#include <llvm/ADT/STLExtras.h>

#include <string>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/branches/branch_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using namespace pycuda::cpu;
using llvm::Instruction;

namespace {

/// A loop over `list` that looks up places of `levels`: `way` is what it does by what it finds, and
/// where it goes back to. `next_end` is the end of the list for the next trip.
std::string search(const std::string& way, const std::string& next_end = "%end",
                   const std::string& elsewhere = "") {
  return R"(
declare void @change(ptr)
define void @f(ptr %thread, ptr %ends, ptr %list, ptr %levels, ptr %out) {
entry:
  %file = getelementptr inbounds i8, ptr %thread, i64 )" +
         std::to_string(offsetof(ThreadFrame, source_line)) + R"(
  %first_end = load i32, ptr %ends
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %end = phi i32 [ %first_end, %entry ], [ %new_end, %join ]
  %i64 = sext i32 %i to i64
  %at = getelementptr i32, ptr %list, i64 %i64
  %place = load i32, ptr %at
  %place64 = sext i32 %place to i64
  %there = getelementptr i32, ptr %levels, i64 %place64
  %level = load i32, ptr %there
  %found = icmp slt i32 %level, 0
)" + elsewhere +
         R"(
  br i1 %found, label %way, label %join
way:
  store volatile i32 7, ptr %file
  %target = getelementptr i32, ptr %out, i64 %place64
)" + way +
         R"(
  br label %join
join:
  %new_end = phi i32 [ )" +
         next_end + R"(, %way ], [ %end, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %new_end
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";
}

}  // namespace

TEST_CASE("what a thread stores by what it has looked up needs no branch") {
  testing::FunctionText text(search("store i32 1, ptr %target"));
  CHECK(simt::if_convert_stores(text.function()) == 1);
  CHECK(text.count(Instruction::Select) == 1);
  // Its place or nobody's, and the note of its line.
  CHECK(text.count(Instruction::Store) == 2);
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
    if (branch && branch->isConditional()) CHECK(branch->getCondition()->getName() == "more");
    // LLVM makes branches of choices that it may guess.
    if (llvm::isa<llvm::SelectInst>(instruction))
      CHECK(instruction.hasMetadata(llvm::LLVMContext::MD_unpredictable));
  }
}

TEST_CASE("a store that an unlucky thread does not do goes to nobody's place") {
  testing::FunctionText text(search("store i32 1, ptr %target"));
  auto* branch = llvm::cast<llvm::BranchInst>(
      llvm::find_if(text.function(), [](const llvm::BasicBlock& block) {
        return block.getName() == "loop";
      })->getTerminator());
  branch->swapSuccessors();
  CHECK(simt::if_convert_stores(text.function()) == 1);
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (!choice) continue;
    const auto* memory = llvm::dyn_cast<llvm::PtrToIntInst>(choice->getTrueValue());
    REQUIRE(memory != nullptr);
    CHECK(llvm::isa<llvm::AllocaInst>(memory->getPointerOperand()));
  }
}

TEST_CASE("what the store might have changed is read again in any case") {
  const std::string way =
      "store i32 1, ptr %target\n  store volatile i32 8, ptr %file\n  %again = load i32, ptr %ends";
  testing::FunctionText text(search(way, "%again"));
  CHECK(simt::if_convert_stores(text.function()) == 1);
  // The loop does not wait for the choice.
  CHECK(text.count(Instruction::Select) == 1);
  // That it could be read is known: its line need not be.
  CHECK(text.count(Instruction::Store) == 2);
}

TEST_CASE("what else has been written might be read again too soon") {
  const std::string way = "store i32 1, ptr %target\n  %again = load i32, ptr %ends";
  for (const char* const other :
       {"store i32 3, ptr %ends", "call void @change(ptr %ends)", "fence seq_cst"}) {
    testing::FunctionText text(search(way, "%again", other));
    CHECK(simt::if_convert_stores(text.function()) == 0);
  }
  const std::string late = "%again = load i32, ptr %ends\n  store i32 1, ptr %target";
  testing::FunctionText text(search(late, "%again"));
  CHECK(simt::if_convert_stores(text.function()) == 0);
}

TEST_CASE("branches stay round all that not every thread may do") {
  for (const char* const way :
       {"store volatile i32 1, ptr %target", "store atomic i32 1, ptr %target monotonic, align 4",
        "call void @change(ptr %target)\n  store i32 1, ptr %target",
        "%other = load i32, ptr %target\n  store i32 %other, ptr %out",
        "%share = sdiv i32 100, %level\n  store i32 %share, ptr %target",
        "store <8 x i32> zeroinitializer, ptr %target"}) {
    testing::FunctionText text(search(way));
    CHECK(simt::if_convert_stores(text.function()) == 0);
  }
  // A number that lives on would have the loop wait for what was looked up.
  testing::FunctionText text(search("store i32 1, ptr %target", "8"));
  CHECK(simt::if_convert_stores(text.function()) == 0);
}

TEST_CASE("branches by what comes in order can be guessed, or corrected soon") {
  std::string text = search("store i32 1, ptr %target");
  text.replace(text.find("icmp slt i32 %level"), 19, "icmp slt i32 %place");
  testing::FunctionText in_order(text);
  CHECK(simt::if_convert_stores(in_order.function()) == 0);
}
