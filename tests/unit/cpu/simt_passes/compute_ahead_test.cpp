// SPDX-License-Identifier: MIT
// What may be computed before instructions that stood before it.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::compute_ahead;
using pycuda::cpu::testing::FunctionText;

namespace {

/// The names of values in order, with %user's operands moved before %place.
std::string order_after(const std::string& body) {
  FunctionText text("define float @f(float %a, i32 %n, ptr %p, ptr %q) {\n" + body +
                    "ret float %user\n}");
  llvm::Instruction* user = nullptr;
  llvm::Instruction* place = nullptr;
  for (llvm::Instruction& instruction : llvm::instructions(text.function())) {
    if (instruction.getName() == "user") user = &instruction;
    if (instruction.getName() == "place") place = &instruction;
  }
  compute_ahead(*user, *place, [](const llvm::Instruction& instruction) {
    return instruction.getOpcode() == llvm::Instruction::FRem;
  });
  CHECK(text.count(llvm::Instruction::Ret) == 1);
  std::string names;
  for (const llvm::Instruction& instruction : llvm::instructions(text.function()))
    if (instruction.hasName()) names += instruction.getName().str() + " ";
  return names;
}

const std::string place = "%place = fadd float %a, 1.0\n";
const std::string user = "%user = fadd float %y, 3.0\n";

}  // namespace

TEST_CASE("what an instruction needs is computed ahead, the rest stays") {
  CHECK(order_after(place +
                    "%x = fmul float %a, %a\n%z = fmul float %place, %x\n"
                    "%y = fsub float %x, 2.0\n" +
                    user) == "x y place z user ");
  CHECK(order_after(place + "%x = load float, ptr %p\n%y = fsub float %x, 2.0\n" + user) ==
        "x y place user ");
}

TEST_CASE("nothing is computed ahead of what it is computed from") {
  CHECK(order_after(place + "%x = fmul float %a, %a\n%y = fsub float %x, %place\n" + user) ==
        "place x y user ");
}

TEST_CASE("nothing is computed ahead that somebody wants to stay") {
  CHECK(order_after(place + "%x = frem float %a, 2.0\n%y = fsub float %x, 2.0\n" + user) ==
        "place x y user ");
}

TEST_CASE("loads and divisions that may fault pass no store") {
  const std::string store = "store volatile i32 1, ptr %q\n";
  CHECK(order_after(place + store + "%x = load float, ptr %p\n%y = fsub float %x, 2.0\n" + user) ==
        "place x y user ");
  CHECK(order_after(place + store + "%x = udiv i32 7, %n\n%y = sitofp i32 %x to float\n" + user) ==
        "place x y user ");
  CHECK(order_after(place + store + "%x = fmul float %a, %a\n%y = fsub float %x, 2.0\n" + user) ==
        "x y place user ");
  CHECK(order_after(place + "%x = load volatile float, ptr %p\n%y = fsub float %x, 2.0\n" + user) ==
        "place x y user ");
}
