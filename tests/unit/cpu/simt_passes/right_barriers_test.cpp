// SPDX-License-Identifier: MIT
// Which notes of barriers are dropped: all of them or none.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/blocks/block_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::drop_notes_of_right_barriers;
using pycuda::cpu::testing::FunctionText;

namespace {

/// A gang that notes two barriers; all lanes arrive at the first, and at the second if `both`.
std::string gang(bool both) {
  return std::string(
             "declare void @pycuda_cpu_note_gang_barrier(ptr)\n"
             "define void @f(ptr %t) {\n"
             "  call void @pycuda_cpu_note_gang_barrier(ptr %t) #0\n"
             "  call void @pycuda_cpu_note_gang_barrier(ptr %t)") +
         (both ? " #0" : "") + "\n  ret void\n}\nattributes #0 = { \"for-all-lanes\" }\n";
}

}  // namespace

TEST_CASE("notes of barriers are dropped where all lanes arrive at each of them") {
  FunctionText text(gang(true));
  drop_notes_of_right_barriers(text.function(), nullptr);
  CHECK(text.count(llvm::Instruction::Call) == 0);
}

TEST_CASE("all notes stay if some lanes may miss one of the barriers") {
  FunctionText text(gang(false));
  drop_notes_of_right_barriers(text.function(), nullptr);
  CHECK(text.count(llvm::Instruction::Call) == 2);
}

TEST_CASE("notes of full gangs stay if lanes of the tail may miss a barrier") {
  FunctionText full(gang(true)), tail(gang(false));
  drop_notes_of_right_barriers(full.function(), &tail.function());
  CHECK(full.count(llvm::Instruction::Call) == 2);
  CHECK(tail.count(llvm::Instruction::Call) == 2);
}
