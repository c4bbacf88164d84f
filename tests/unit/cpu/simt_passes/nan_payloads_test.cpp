// SPDX-License-Identifier: MIT
// Which NaNs stay canonical.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::bypass_unseen_payloads;
using pycuda::cpu::simt::canonicalise_behind_choices;
using pycuda::cpu::simt::drop_unseen_payloads;
using pycuda::cpu::testing::FunctionText;

namespace {

/// `name` = `of` with its NaNs made canonical.
std::string canonical(const std::string& name, const std::string& of, const std::string& type) {
  const std::string nan = "0x7FFFFFFFE0000000";
  const std::string all = type == "float" ? nan : "splat (float " + nan + ")";
  const std::string lanes = type == "float" ? "i1" : "<4 x i1>";
  return "%u" + name + " = fcmp uno " + type + " " + of + ", zeroinitializer\n%" + name +
         " = select " + lanes + " %u" + name + ", " + type + " " + all + ", " + type + " " + of +
         "\n";
}

/// How many selects are left before those whose result no one reads any more are gone.
unsigned reads_of_selects(const std::string& body,
                          bool (*pass)(llvm::Function&) = bypass_unseen_payloads) {
  FunctionText text(
      "declare float @llvm.fabs.f32(float)\ndefine void @f(<4 x float> %a, <4 x float> %b, float "
      "%s, ptr %p) {\n" +
      body + "ret void\n}");
  pass(text.function());
  unsigned reads = text.count(llvm::Instruction::Select) * 0;
  for (const llvm::Instruction& instruction : llvm::instructions(text.function()))
    reads += llvm::isa<llvm::SelectInst>(instruction) ? instruction.getNumUses() : 0;
  return reads;
}

const std::string vector = "<4 x float>";
const std::string first = "%x = fadd <4 x float> %a, %b\n" + canonical("c", "%x", vector);
const std::string half_sum =
    "%h = shufflevector <4 x float> %c, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 poison, "
    "i32 poison>\n%y = fadd <4 x float> %c, %h\n" +
    canonical("d", "%y", vector);

}  // namespace

TEST_CASE("of sums of vectors' lanes the last one alone is made canonical") {
  CHECK(reads_of_selects(first + half_sum + "store <4 x float> %d, ptr %p\n") == 1);
  CHECK(reads_of_selects(first + half_sum +
                         "%e = extractelement <4 x float> %d, i64 0\nstore float %e, ptr %p\n") ==
        1);
}

TEST_CASE("a value that is stored is canonical where it is, not where it is added to") {
  CHECK(reads_of_selects(first + "store <4 x float> %c, ptr %p\n" + half_sum +
                         "store <4 x float> %d, ptr %p\n") == 2);
  CHECK(reads_of_selects(canonical("c", "%s", "float") + "store float %c, ptr %p\n" +
                         "%y = fmul float %c, %c\n" + canonical("d", "%y", "float") +
                         "store float %d, ptr %p\n") == 2);
}

TEST_CASE("a value that somebody looks at keeps all its readers where sequences are recognised") {
  const std::string both = canonical("c", "%s", "float") + "store float %c, ptr %p\n" +
                           "%y = fmul float %c, %c\n" + canonical("d", "%y", "float") +
                           "store float %d, ptr %p\n";
  CHECK(reads_of_selects(both, drop_unseen_payloads) == 4);
}

TEST_CASE("of a NaN that was made canonical twice nothing is left to who cannot tell") {
  const std::string twice = canonical("c", "%s", "float") + canonical("d", "%c", "float") +
                            "%y = fmul float %d, %d\n%l = fcmp olt float %y, %d\n"
                            "store i1 %l, ptr %p\n";
  CHECK(reads_of_selects(twice, drop_unseen_payloads) == 0);
  CHECK(reads_of_selects(twice) == 0);
}

TEST_CASE("moves of lanes whose bits are looked at are not looked through") {
  CHECK(reads_of_selects(first +
                         "%h = shufflevector <4 x float> %c, <4 x float> poison, <4 x i32> <i32 2, "
                         "i32 3, i32 poison, i32 poison>\nstore <4 x float> %h, ptr %p\n") == 1);
  CHECK(reads_of_selects(first + "%i = bitcast <4 x float> %c to <4 x i32>\n"
                                 "store <4 x i32> %i, ptr %p\n") == 1);
}

TEST_CASE("a NaN that is quieted for who compares it is not") {
  const std::string quieted =
      "%b0 = bitcast float %s to i32\n%q = or i32 %b0, 4194304\n%n = bitcast i32 %q to float\n"
      "%m = call float @llvm.fabs.f32(float %s)\n%u = fcmp uno float %s, 0.0\n"
      "%c = select i1 %u, float %n, float %m\n";
  CHECK(reads_of_selects(quieted + "%l = fcmp olt float %c, 1.0\nstore i1 %l, ptr %p\n",
                         drop_unseen_payloads) == 0);
  CHECK(reads_of_selects(quieted + "store float %c, ptr %p\n", drop_unseen_payloads) == 1);
  const std::string other =
      "%b0 = bitcast float %s to i32\n%q = and i32 %b0, 4194304\n%n = bitcast i32 %q to float\n"
      "%u = fcmp uno float %s, 0.0\n%c = select i1 %u, float %n, float %s\n";
  CHECK(reads_of_selects(other + "%l = fcmp olt float %c, 1.0\nstore i1 %l, ptr %p\n",
                         drop_unseen_payloads) == 1);
}

TEST_CASE("what is chosen from canonical values is made canonical once") {
  const std::string two = "%x = fadd float %s, %s\n%y = fmul float %s, %s\n" +
                          canonical("c", "%x", "float") + canonical("d", "%y", "float") +
                          "%k = fcmp ogt float %s, 0.0\n";
  // The choice is read by the test and the select that make it canonical.
  CHECK(reads_of_selects(two + "%r = select i1 %k, float %c, float %d\nstore float %r, ptr %p\n",
                         canonicalise_behind_choices) == 3);
  const std::string bits =
      "%i = bitcast float %c to i32\n%j = bitcast float %d to i32\n"
      "%r = select i1 %k, i32 %i, i32 %j\nstore i32 %r, ptr %p\n";
  CHECK(reads_of_selects(two + bits, canonicalise_behind_choices) == 3);
  // One of them, or with another reader: nothing is gained.
  CHECK(reads_of_selects(two + "%r = select i1 %k, float %c, float %s\nstore float %r, ptr %p\n",
                         canonicalise_behind_choices) == 2);
  CHECK(reads_of_selects(two + "%r = select i1 %k, float %c, float %d\nstore float %r, ptr %p\n"
                               "store float %c, ptr %p\n",
                         canonicalise_behind_choices) == 4);
}

TEST_CASE("who has asked whether a value is NaN does not make it canonical again") {
  // As CUDA's functions give a result the sign of their operand.
  const std::string signs = canonical("c", "%s", "float") +
                            "%o = fcmp ord float %c, 0.0\n"
                            "%m = call float @llvm.fabs.f32(float %c)\n"
                            "%i = bitcast float %m to i32\n%j = bitcast float %c to i32\n"
                            "%n = or i32 %i, -2147483648\n"
                            "%r = select i1 %o, i32 %n, i32 %j\nstore i32 %r, ptr %p\n";
  // Read by the test, by what looks at its sign and at its bits, and stored; then by the test, by
  // what nobody looks at, and stored.
  CHECK(reads_of_selects(signs, bypass_unseen_payloads) == 3);
  CHECK(reads_of_selects(signs, canonicalise_behind_choices) == 3);
}
