// SPDX-License-Identifier: MIT
// Which square roots and reciprocals leave the divider. The test needs a processor whose roots are
// multiplied from an estimate: x86 with AVX-512 (target/multiplied_root.h).
#if defined(__x86_64__)

#include <doctest/doctest.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::relieve_divider;
using pycuda::cpu::target::DividerCosts;
using pycuda::cpu::testing::FunctionText;

namespace {

constexpr DividerCosts in_registers{.division = {.divider = 30, .multipliers = 10},
                                    .root = {.divider = 50, .multipliers = 10},
                                    .division_of_doubles = {.divider = 40, .multipliers = 10},
                                    .multiplied_root = 45,
                                    .multiplied_reciprocal = 10,
                                    .multiplication = 5,
                                    .addition = 0,
                                    .in_registers = true};
constexpr DividerCosts whole{.division = {.divider = 90, .multipliers = 0},
                             .root = {.divider = 110, .multipliers = 0},
                             .division_of_doubles = {.divider = 160, .multipliers = 0},
                             .multiplied_root = 50,
                             .multiplied_reciprocal = 0,
                             .multiplication = 5,
                             .addition = 5,
                             .in_registers = false};

/// What is left to do for each register that is not out of range.
struct Found {
  unsigned multiplied = 0;  ///< registers whose roots are
  unsigned inverted = 0;    ///< of these, with their reciprocals
  unsigned roots = 0;       ///< registers whose roots the divider takes
  unsigned quotients = 0;   ///< registers that the divider divides

  bool operator==(const Found&) const = default;
};

unsigned registers(const llvm::Instruction& instruction) {
  return llvm::cast<llvm::FixedVectorType>(instruction.getType())->getNumElements() / 16;
}

/// In blocks that are entered in the usual case: those after an unlikely branch are not.
Found found_in(llvm::Function& function) {
  Found found;
  for (llvm::BasicBlock& block : function) {
    const auto* before = block.getSinglePredecessor();
    if (before && before->getTerminator()->getNumSuccessors() == 2 &&
        before->getTerminator()->getSuccessor(0) == &block)
      continue;
    for (llvm::Instruction& instruction : block) {
      if (instruction.getOpcode() == llvm::Instruction::FDiv)
        found.quotients += registers(instruction);
      const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call) continue;
      if (call->getIntrinsicID() == llvm::Intrinsic::sqrt) found.roots += registers(*call);
      found.multiplied += call->getIntrinsicID() == llvm::Intrinsic::x86_avx512_rsqrt14_ps_512;
      found.inverted += call->getIntrinsicID() == llvm::Intrinsic::x86_avx512_add_ps_512;
    }
  }
  return found;
}

/// After the pass, of a function of two vectors of 64 lanes %a and %b, stored to %p.
Found relieved(const std::string& body, const DividerCosts& costs) {
  FunctionText text(
      "declare <64 x float> @llvm.sqrt.v64f32(<64 x float>)\n"
      "define void @f(<64 x float> %a, <64 x float> %b, ptr %p) {\n" +
      body + "ret void\n}");
  relieve_divider(text.function(), costs);
  CHECK(text.count(llvm::Instruction::Ret) == 1);
  return found_in(text.function());
}

std::string root(const std::string& name, const std::string& of) {
  return "%" + name + " = call <64 x float> @llvm.sqrt.v64f32(<64 x float> %" + of + ")\n" +
         "store volatile <64 x float> %" + name + ", ptr %p\n";
}

std::string quotient(const std::string& name, const std::string& dividend, const std::string& by) {
  return "%" + name + " = fdiv <64 x float> " + dividend + ", %" + by + "\n" +
         "store volatile <64 x float> %" + name + ", ptr %p\n";
}

std::string products(unsigned count, const std::string& operation = "fmul") {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += "%m" + std::to_string(i) + " = " + operation + " <64 x float> %a, %b\n";
  return text;
}

const std::string one = "splat (float 1.0)";

}  // namespace

TEST_CASE("of a wide root as many registers are multiplied as keep both units busy") {
  // 200 and 40 tenths of a cycle; 100 and 110 with two registers multiplied.
  CHECK(relieved(root("r", "a"), in_registers) == Found{.multiplied = 2, .roots = 2});
  CHECK(relieved(root("r", "a") + products(4), in_registers) == Found{.multiplied = 1, .roots = 3});
  CHECK(relieved(root("r", "a") + products(8), in_registers) == Found{.roots = 4});
}

TEST_CASE("where next to nothing would be gained all stays as it is") {
  // 400 and 300 or 340 tenths of a cycle; 350 and 335 or 375 with one register multiplied.
  CHECK(relieved(root("r", "a") + root("s", "b") + products(11), in_registers) ==
        Found{.multiplied = 1, .roots = 7});
  CHECK(relieved(root("r", "a") + root("s", "b") + products(13), in_registers) ==
        Found{.roots = 8});
}

TEST_CASE("arithmetic that has units of its own leaves room for multiplied roots") {
  CHECK(relieved(root("r", "a") + products(8, "fadd"), in_registers) ==
        Found{.multiplied = 2, .roots = 2});
}

TEST_CASE("a root's reciprocal leaves the divider with it") {
  const std::string both = root("r", "a") + quotient("q", one, "r");
  CHECK(relieved(both, in_registers) ==
        Found{.multiplied = 2, .inverted = 2, .roots = 2, .quotients = 2});
  CHECK(relieved(both + products(6), in_registers) ==
        Found{.multiplied = 1, .inverted = 1, .roots = 3, .quotients = 3});
}

TEST_CASE("other quotients by a root stay with the divider") {
  for (const char* other : {"%b", "splat (float 2.0)"}) {
    CAPTURE(other);
    const Found found = relieved(root("r", "a") + quotient("q", other, "r"), in_registers);
    CHECK(found.multiplied != 0);
    CHECK(found.inverted == 0);
    CHECK(found.quotients == 4);
  }
}

TEST_CASE("several roots in a block are relieved in turn") {
  const Found found = relieved(root("r", "a") + root("s", "b") + products(8), in_registers);
  CHECK(found == Found{.multiplied = 2, .roots = 6});
}

TEST_CASE("where roots are not taken apart, whole ones are multiplied and reciprocals are not") {
  CHECK(relieved(root("r", "a") + quotient("q", one, "r"), whole) ==
        Found{.multiplied = 4, .quotients = 4});
  // 330 and 100, 220 and 150, 110 and 200; not 0 and 250.
  CHECK(relieved(root("r", "a") + root("s", "b") + root("t", "s") + products(20), whole) ==
        Found{.multiplied = 8, .roots = 4});
  CHECK(relieved(root("r", "a") + products(12), whole) == Found{.roots = 4});
}

TEST_CASE("what the root after the next is computed from is ready before a root") {
  FunctionText text(
      "declare <64 x float> @llvm.sqrt.v64f32(<64 x float>)\n"
      "define void @f(<64 x float> %a, <64 x float> %b, ptr %p) {\n" +
      root("r", "a") + root("s", "b") + "%m = fadd <64 x float> %a, %b\n" + root("t", "m") +
      "ret void\n}");
  relieve_divider(text.function(), in_registers);
  bool is_ready = false;
  for (const llvm::Instruction& instruction : text.function().getEntryBlock())
    is_ready |= instruction.getName() == "m";
  CHECK(is_ready);
}
#endif
