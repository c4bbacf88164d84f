// SPDX-License-Identifier: MIT
// Which stores to shared memory are of no use to anyone before the block ends.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/finished/finished_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::drop_dead_shared_stores;
using pycuda::cpu::testing::FunctionText;

namespace {

/// How many stores are left of a function with this body, whose last block is `end`.
unsigned stores_left(const std::string& body,
                     const std::string& attribute = "\"pycuda.runs-regions\"") {
  FunctionText text(R"(
define void @f(ptr %block, ptr %thread, <8 x float> %v, float %s, i64 %n, i1 %c) )" +
                    attribute + R"( {
  %field = getelementptr i8, ptr %block, i64 32
  %shared = load ptr, ptr %field
  %at4 = getelementptr i8, ptr %shared, i64 4
  %at16 = getelementptr i8, ptr %shared, i64 16
  %far = getelementptr i8, ptr %shared, i64 32
  %any = getelementptr i8, ptr %shared, i64 %n
  %global = inttoptr i64 %n to ptr
  %tid = getelementptr i8, ptr %thread, i64 8
)" + body + R"(
  br label %end
end:
  ret void
}
declare void @unknown()
declare void @pycuda_cpu_fault(ptr, i32, i64)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, i32, <4 x i1>, <4 x float>)
!0 = !{}
)");
  drop_dead_shared_stores(text.function());
  return text.count(llvm::Instruction::Store);
}

const std::string touch = "%touched = load <8 x float>, ptr %shared\n";
const std::string store = "store <8 x float> %v, ptr %shared\n";

}  // namespace

TEST_CASE("what nobody reads before the block ends is not stored") {
  CHECK(stores_left(touch + store) == 0);
  CHECK(stores_left(touch + store + "store float %s, ptr %at4\nstore float %s, ptr %at16\n") == 0);
  CHECK(stores_left(touch + store + "%p = load i64, ptr %thread, !invariant.load !0\n") == 0);
  CHECK(stores_left(touch + store + "%w = load float, ptr %far\n") == 0);
  CHECK(stores_left(touch + store +
                    "br i1 %c, label %end, label %wrong\nwrong:\n"
                    "call void @pycuda_cpu_fault(ptr %thread, i32 1, i64 %n)\n"
                    "unreachable\nnever:\n") == 0);
  // Written over as a whole before it is read.
  CHECK(stores_left(touch + store + store + "%r = load float, ptr %at4\n") == 1);
  CHECK(stores_left(touch + store +
                    "store <8 x float> %v, ptr %at4\n"
                    "%r = load float, ptr %at4\n") == 1);
  // Loops that read something else.
  CHECK(stores_left(touch + store +
                    "br label %loop\nloop:\n%w = load float, ptr %far\n"
                    "br i1 %c, label %loop, label %behind\nbehind:\n") == 0);
}

TEST_CASE("what somebody may still read is stored") {
  CHECK(stores_left(touch + store + "%r = load float, ptr %at16\n") == 1);
  CHECK(stores_left(touch + store + "store float %s, ptr %at4\n%r = load float, ptr %at16\n") == 1);
  CHECK(stores_left(touch + store + "%r = load float, ptr %any\n") == 1);
  CHECK(stores_left(touch + store + "%r = load float, ptr %global\n") == 1);
  CHECK(stores_left(touch + store + "call void @unknown()\n") == 1);
  CHECK(stores_left(touch + store +
                    "%r = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %shared, "
                    "i32 4, <4 x i1> splat (i1 true), <4 x float> zeroinitializer)"
                    "\n") == 1);
  CHECK(stores_left(touch + store +
                    "br i1 %c, label %one, label %end\none:\n"
                    "%r = load float, ptr %at4\n") == 1);
  // The next trip reads what this one has stored.
  CHECK(stores_left(touch + "br label %loop\nloop:\n%r = load float, ptr %at4\n" + store +
                    "br i1 %c, label %loop, label %behind\nbehind:\n") == 1);
  CHECK(stores_left(touch +
                    "br label %loop\nloop:\nbr i1 %c, label %some, label %next\nsome:\n"
                    "%r = load float, ptr %global\nbr label %next\nnext:\n" +
                    store + "br i1 %c, label %loop, label %behind\nbehind:\n") == 1);
}

TEST_CASE("stores of other kinds, to other memory and to places that nothing has touched, stay") {
  CHECK(stores_left(store) == 1);
  CHECK(stores_left(touch + "store <8 x float> %v, ptr %at4\n") == 1);
  CHECK(stores_left(store + touch) == 1);
  CHECK(stores_left("br i1 %c, label %one, label %two\none:\n" + touch + "br label %two\ntwo:\n" +
                    store) == 1);
  CHECK(stores_left(touch + "br i1 %c, label %two, label %end\ntwo:\n" + store) == 0);
  CHECK(stores_left(touch + "store volatile <8 x float> %v, ptr %shared\n") == 1);
  CHECK(stores_left(touch + "store float %s, ptr %any\n") == 1);
  CHECK(stores_left(touch + "store float %s, ptr %global\nstore i32 5, ptr %tid\n") == 2);
}

TEST_CASE("functions that do not run whole blocks store all") {
  CHECK(stores_left(touch + store, "") == 1);
}
