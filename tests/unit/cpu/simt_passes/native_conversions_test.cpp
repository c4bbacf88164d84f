// SPDX-License-Identifier: MIT
// Conversions to integers that are one instruction of AVX-512; the numbers are conversions_test's.
#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::convert_natively;
using pycuda::cpu::target::is_native;
using pycuda::cpu::target::NativeOperation;
using pycuda::cpu::testing::FunctionText;

namespace {

unsigned natives(FunctionText& text, NativeOperation operation) {
  unsigned found = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    found += call && is_native(*call, operation) ? 1 : 0;
  }
  return found;
}

std::string conversion(const std::string& rounding) {
  return "declare float @llvm." + rounding +
         ".f32(float)\n"
         "declare i32 @llvm.fptosi.sat.i32.f32(float)\n"
         "define i32 @f(float %x) {\n  %whole = call float @llvm." +
         rounding +
         ".f32(float %x)\n"
         "  %i = call i32 @llvm.fptosi.sat.i32.f32(float %whole)\n  ret i32 %i\n}\n";
}

}  // namespace

TEST_CASE("f32 to s32 is one instruction, with its rounding to the nearest") {
  FunctionText nearest(conversion("roundeven"));
  convert_natively(nearest.function());
  CHECK(natives(nearest, NativeOperation::Nearest) == 1);
  CHECK(nearest.count(llvm::Instruction::Call) == 1);
  // What is too large, and NaNs.
  CHECK(nearest.count(llvm::Instruction::Select) == 2);
  FunctionText down(conversion("floor"));
  convert_natively(down.function());
  CHECK(natives(down, NativeOperation::Truncated) == 1);
  CHECK(down.count(llvm::Instruction::Call) == 2);
}
