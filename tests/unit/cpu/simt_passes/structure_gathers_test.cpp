// SPDX-License-Identifier: MIT
// Which gathers of structures' parts become loads of whole structures.

#include <doctest/doctest.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "cpu/jit/finishing_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using namespace pycuda::cpu;

namespace {

struct Gathers {
  std::string second = "4", third = "8";  ///< bytes behind the first part
  std::string between = "";               ///< stands before the last one
  std::string last_mask = "%mask";
  std::string last_type = "float", last_code = "f32";
};

/// Three gathers from one base and index.
std::string text_of(const Gathers& gathers) {
  const auto gather = [](const std::string& name, const std::string& from, const std::string& mask,
                         const std::string& type = "float", const std::string& code = "f32") {
    return "  %index" + name + " = sext <16 x i32> %narrow to <16 x i64>\n  %start" + name +
           " = add i64 %base, " + from + "\n  %place" + name + " = inttoptr i64 %start" + name +
           " to ptr\n  %at" + name + " = getelementptr i32, ptr %place" + name +
           ", <16 x i64> %index" + name + "\n  %" + name + " = call <16 x " + type +
           "> @llvm.masked.gather.v16" + code + ".v16p0(<16 x ptr> %at" + name +
           ", i32 4, <16 x i1> " + mask + ", <16 x " + type + "> poison)\n";
  };
  return "declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, "
         "<16 x float>)\n"
         "declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, "
         "<16 x i32>)\n"
         "define <16 x float> @f(i64 %base, <16 x i32> %narrow, <16 x i1> %mask, <16 x i1> "
         "%other, ptr %frame) {\n" +
         gather("x", "0", "%mask") + gather("y", gathers.second, "%mask") + gathers.between +
         gather("z", gathers.third, gathers.last_mask, gathers.last_type, gathers.last_code) +
         "  %xy = fadd <16 x float> %x, %y\n  %last = bitcast <16 x " + gathers.last_type +
         "> %z to <16 x float>\n  %xyz = fadd <16 x float> %xy, %last\n"
         "  ret <16 x float> %xyz\n}\n";
}

/// How many gathers are left.
unsigned left_in(const std::string& code, const jit::StructureLoads& loads = {64, true, 2}) {
  testing::FunctionText text(code);
  jit::join_structure_gathers(text.function(), loads);
  unsigned left = 0;
  REQUIRE(text.count(llvm::Instruction::Ret) == 1);
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    left += call && call->getIntrinsicID() == llvm::Intrinsic::masked_gather ? 1 : 0;
  }
  return left;
}
unsigned left_of(const Gathers& gathers, const jit::StructureLoads& loads = {64, true, 2}) {
  return left_in(text_of(gathers), loads);
}

/// Gathers from one vector of pointers, as index_gathers leaves them: constants are bases.
std::string text_from_pointers(const std::string& first, const std::string& second) {
  const auto gather = [](const std::string& name, const std::string& from) {
    return "  %" + name + " = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> " +
           from + ", i32 4, <16 x i1> splat (i1 true), <16 x float> poison)\n";
  };
  return "declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, "
         "<16 x float>)\n"
         "define <16 x float> @f(<16 x i64> %numbers) {\n"
         "  %pointers = inttoptr <16 x i64> %numbers to <16 x ptr>\n"
         "  %behind = getelementptr i8, ptr inttoptr (i64 4 to ptr), <16 x i64> %numbers\n"
         "  %far = getelementptr i8, ptr inttoptr (i64 12 to ptr), <16 x i64> %numbers\n" +
         gather("x", first) + gather("y", second) +
         "  %xy = fadd <16 x float> %x, %y\n  ret <16 x float> %xy\n}\n";
}

}  // namespace

TEST_CASE("gathers of neighbouring parts become one load for each lane") {
  for (const unsigned bytes : {16u, 32u, 64u}) {
    for (const bool masks : {false, true}) {
      CHECK(left_of({}, {bytes, masks, 2}) == 0);
      CHECK(left_of({}, {bytes, masks, 3}) == 0);
    }
  }
  CHECK(left_of({.second = "8", .third = "4"}) == 0);
  CHECK(left_of({.second = "-4", .third = "4"}) == 0);
  // A note of a line is nothing that a kernel reads.
  CHECK(left_of({.between = "  store volatile i32 7, ptr %frame\n"}) == 0);
}

TEST_CASE("parts that pointers name, with a constant for a base or without one") {
  CHECK(left_in(text_from_pointers("%pointers", "%behind")) == 0);
  CHECK(left_in(text_from_pointers("%behind", "%pointers")) == 0);
  CHECK(left_in(text_from_pointers("%pointers", "%far")) == 2);
}

TEST_CASE("parts of several types become one load for each lane") {
  CHECK(left_of({.last_type = "i32", .last_code = "i32"}) == 0);
  CHECK(left_of({.second = "-4", .third = "-8", .last_type = "i32", .last_code = "i32"}) == 0);
}

TEST_CASE("bytes that no gather reads are not read") {
  CHECK(left_of({.second = "8", .third = "16"}) == 3);
  CHECK(left_of({.third = "12"}) == 1);
  CHECK(left_of({.third = "6"}) == 1);
}

TEST_CASE("parts that other lanes read, or that may have been written, stay gathers") {
  CHECK(left_of({.last_mask = "%other"}) == 1);
  CHECK(left_of({.between = "  store i32 7, ptr %frame\n"}) == 1);
  CHECK(left_of({.last_mask = "%other"}, {64, true, 3}) == 3);
}
