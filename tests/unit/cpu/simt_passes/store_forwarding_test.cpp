// SPDX-License-Identifier: MIT
// What loads find in registers, and what they must read from memory.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/finished/finished_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::forward_vector_stores;
using pycuda::cpu::testing::FunctionText;

namespace {

/// How many loads are left of a function with this body; the shared memory's is one of them.
unsigned loads_left(const std::string& body, const char* attribute = "\"pycuda.runs-regions\"") {
  FunctionText text(R"(
define <4 x float> @f(ptr %block, ptr %thread, <8 x float> %v, float %s, i64 %n, i1 %c) )" +
                    std::string(attribute) + R"( {
  %field = getelementptr i8, ptr %block, i64 32
  %shared = load ptr, ptr %field, !invariant.load !0
  %at4 = getelementptr i8, ptr %shared, i64 4
  %at8 = getelementptr i8, ptr %shared, i64 8
  %at12 = getelementptr i8, ptr %shared, i64 12
  %at16 = getelementptr i8, ptr %shared, i64 16
  %far = getelementptr i8, ptr %shared, i64 32
  %any = getelementptr i8, ptr %shared, i64 %n
  %global = inttoptr i64 %n to ptr
  %tid = getelementptr i8, ptr %thread, i64 8
  %line = getelementptr i8, ptr %thread, i64 88
)" + body + R"(
  ret <4 x float> %r
}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @unknown()
!0 = !{}
)");
  forward_vector_stores(text.function());
  return text.count(llvm::Instruction::Load);
}

const std::string low = "store <8 x float> %v, ptr %shared, align 4\n";
const std::string upper = "%r = load <4 x float>, ptr %at16, align 4\n";

}  // namespace

TEST_CASE("a part of a vector that was stored is not loaded") {
  CHECK(loads_left(low + upper) == 1);
  CHECK(loads_left(low + "%r = load <4 x float>, ptr %at4, align 4") == 1);
  CHECK(loads_left(
            low + "%i = load <4 x i32>, ptr %at16\n%r = bitcast <4 x i32> %i to <4 x float>") == 1);
  // Beyond its end; of other elements; in functions that run no regions.
  CHECK(loads_left("store <8 x float> %v, ptr %at4, align 4\n" +
                   std::string("%r = load <4 x float>, ptr %shared")) == 2);
  CHECK(loads_left(low + "%w = load <2 x double>, ptr %at16\n"
                         "%r = bitcast <2 x double> %w to <4 x float>") == 2);
  CHECK(loads_left(low + upper, "") == 2);
}

TEST_CASE("what several stores have filled is put together, the later of two counts") {
  const std::string words =
      "store float %s, ptr %shared\nstore float %s, ptr %at4\n"
      "store float %s, ptr %at8\nstore float %s, ptr %at12\n";
  const std::string whole = "%r = load <4 x float>, ptr %shared, align 4\n";
  CHECK(loads_left(words + whole) == 1);
  CHECK(loads_left(low + "store float %s, ptr %at8\n" + whole) == 1);
  CHECK(loads_left(words.substr(0, words.rfind("store")) + whole) == 2);
  // A volatile store is no one's to look behind.
  CHECK(loads_left(low + "store volatile float %s, ptr %at8\n" + whole) == 2);
}

TEST_CASE("frames are no memory of the kernel's; addresses that nobody knows may be anywhere") {
  CHECK(loads_left(low + "store i32 32, ptr %tid\nstore volatile i32 5, ptr %line\n" + upper) == 1);
  CHECK(loads_left(low + "call void @llvm.prefetch.p0(ptr %global, i32 0, i32 3, i32 1)\n" +
                   upper) == 1);
  CHECK(loads_left(low + "store float %s, ptr %global\n" + upper) == 2);
  CHECK(loads_left(low + "store float %s, ptr %any\n" + upper) == 2);
  CHECK(loads_left(low + "call void @unknown()\n" + upper) == 2);
}

TEST_CASE("what gangs keep may hold local arrays, which computed addresses reach") {
  const std::string kept =
      "%scratch = getelementptr i8, ptr %thread, i64 96\n%kept = load ptr, ptr %scratch\n"
      "store <8 x float> %v, ptr %kept, align 4\n";
  const std::string upper_of_kept =
      "%at = getelementptr i8, ptr %kept, i64 16\n%r = load <4 x float>, ptr %at, align 4\n";
  // The loads of shared memory's address and of that of what is kept are left.
  CHECK(loads_left(kept + "store float %s, ptr %global\n" + upper_of_kept) == 2);
  CHECK(loads_left(kept +
                   "%number = ptrtoint ptr %kept to i64\n%sum = add i64 %number, %n\n"
                   "%array = inttoptr i64 %sum to ptr\nstore float %s, ptr %array\n" +
                   upper_of_kept) == 3);
  CHECK(loads_left(kept + "%again = load ptr, ptr %scratch\nstore float %s, ptr %again\n" +
                   upper_of_kept) == 4);
}

TEST_CASE("behind branches what both have left, behind loops what no trip touches") {
  const auto branch = [](const std::string& arm) {
    return low + "br i1 %c, label %a, label %b\na:\n" + arm + "br label %b\nb:\n" + upper;
  };
  CHECK(loads_left(branch("store i32 0, ptr %tid\n")) == 1);
  CHECK(loads_left(branch("store <8 x float> %v, ptr %shared\n")) == 2);
  CHECK(loads_left(branch("store float %s, ptr %any\n")) == 2);
  const auto loop = [](const std::string& trip) {
    return low + "br label %a\na:\n" + trip + "br i1 %c, label %a, label %b\nb:\n" + upper;
  };
  CHECK(loads_left(loop("")) == 1);
  CHECK(loads_left(loop("store float %s, ptr %far\n")) == 1);
  CHECK(loads_left(loop("store float %s, ptr %at16\n")) == 2);
  CHECK(loads_left(loop("call void @unknown()\n")) == 2);
}
