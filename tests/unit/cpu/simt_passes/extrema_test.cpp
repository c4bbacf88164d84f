// SPDX-License-Identifier: MIT
// How long the code for the smaller or larger of two numbers is.

#include <doctest/doctest.h>

#include <string>

#include "cpu/simt/numbers/number_facts.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::expand_extrema;
using pycuda::cpu::simt::facts_of;
using pycuda::cpu::simt::NumberFacts;
using pycuda::cpu::target::NativeOperation;
using pycuda::cpu::testing::FunctionText;

namespace {

std::string function_of(const std::string& body) {
  return "declare float @extremum.max.f32(float, float)\n"
         "declare float @extremum.min.f32(float, float)\n"
         "declare float @llvm.fabs.f32(float)\n"
         "define void @f(ptr %p, i32 %i) {\n"
         "%x = load float, ptr %p\n%q = getelementptr float, ptr %p, i64 1\n"
         "%y = load float, ptr %q\n%n = sitofp i32 %i to float\n" +
         body + "\nret void\n}";
}

std::string choice(const std::string& name, const std::string& which, const std::string& a,
                   const std::string& b) {
  return "%" + name + " = call float @extremum." + which + ".f32(float " + a + ", float " + b +
         ")\n";
}

const std::string store = "store float %r, ptr %p\n";

struct Length {
  unsigned comparisons, choices, extrema, quieted;
  bool operator==(const Length&) const = default;
};

Length length_of(const std::string& body, bool native) {
  FunctionText text(function_of(body));
  expand_extrema(text.function(), native);
  Length length{text.count(llvm::Instruction::FCmp), text.count(llvm::Instruction::Select), 0, 0};
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call) continue;
    CHECK(!pycuda::cpu::simt::is_extremum(*call));
    length.extrema += is_native(*call, NativeOperation::Larger) ? 1 : 0;
    length.extrema += is_native(*call, NativeOperation::Smaller) ? 1 : 0;
    length.quieted += is_native(*call, NativeOperation::Quieted) ? 1 : 0;
  }
  return length;
}

NumberFacts facts_of_r(const std::string& body) {
  FunctionText text(function_of(body));
  for (const llvm::Instruction& instruction : llvm::instructions(text.function())) {
    if (instruction.getName() == "r") return facts_of(instruction);
  }
  FAIL("there is no %r");
  return {};
}

}  // namespace

TEST_CASE("with a constant one comparison and one choice are all") {
  for (const bool native : {false, true}) {
    CHECK(length_of(choice("r", "max", "%x", "0.0") + store, native) == Length{1, 1, 0, 0});
    CHECK(length_of(choice("r", "max", "1.0", "%x") + store, native) == Length{1, 1, 0, 0});
    CHECK(length_of(choice("r", "min", "%x", "-0.0") + store, native) == Length{1, 1, 0, 0});
    CHECK(length_of(choice("c", "max", "%x", "0.0") + choice("r", "min", "%c", "1.0") + store,
                    native) == Length{2, 2, 0, 0});
    CHECK(length_of(choice("r", "max", "%x", "%n") + store, native) == Length{1, 1, 0, 0});
  }
  // The other zero would be the wrong one of two equal numbers.
  CHECK(length_of(choice("r", "min", "%x", "0.0") + store, false) == Length{2, 2, 0, 0});
  CHECK(length_of(choice("r", "max", "%x", "-0.0") + store, true) == Length{0, 0, 1, 1});
}

TEST_CASE("what is read is quieted once, whatever its sign is then") {
  CHECK(length_of(choice("r", "max", "%x", "%y") + store, true) == Length{0, 0, 1, 2});
  const std::string signs = "%a = fneg float %x\n%b = call float @llvm.fabs.f32(float %x)\n";
  CHECK(length_of(signs + choice("c", "max", "%a", "%y") + choice("d", "min", "%b", "%y") +
                      choice("e", "max", "%c", "%d") + choice("r", "max", "%e", "%x") + store,
                  true) == Length{0, 0, 4, 2});
  CHECK(length_of(choice("r", "max", "%x", "%y") + store, false) == Length{3, 3, 0, 0});
}

TEST_CASE("sums and products quiet, but for those that LLVM may find to do nothing") {
  CHECK(length_of("%a = fadd float %x, %y\n" + choice("r", "max", "%a", "%a") + store, true) ==
        Length{0, 0, 1, 0});
  CHECK(length_of("%a = fmul float %x, 3.0\n" + choice("r", "max", "%a", "%a") + store, true) ==
        Length{0, 0, 1, 0});
  CHECK(length_of("%a = fmul float %x, 1.0\n" + choice("r", "max", "%a", "%a") + store, true) ==
        Length{0, 0, 1, 1});
  CHECK(length_of("%a = fmul float %x, %n\n" + choice("r", "max", "%a", "%a") + store, true) ==
        Length{0, 0, 1, 1});
}

TEST_CASE("nobody asks whether a result is NaN that cannot be") {
  const std::string test =
      "%u = fcmp uno float %c, 0.0\n"
      "%r = select i1 %u, float 0x7FFFFFFFE0000000, float %c\n";
  CHECK(length_of(choice("c", "max", "%x", "0.0") + test + store, true) == Length{1, 2, 0, 0});
  CHECK(length_of(choice("c", "max", "%x", "%y") + test + store, true) == Length{1, 1, 1, 2});
}

TEST_CASE("a maximum that starts with a number stays one in a loop") {
  const std::string loop =
      "br label %l\nl:\n%r = phi float [ START, %0 ], [ %m, %l ]\n"
      "%v = load float, ptr %p\n" +
      choice("m", "max", "%r", "%v") +
      "%d = fcmp ogt float %m, 2.0\nbr i1 %d, label %e, label %l\ne:\n" + "store float %m, ptr %p";
  const auto from = [&](const std::string& start) {
    std::string text = loop;
    return facts_of_r(text.replace(text.find("START"), 5, start));
  };
  CHECK(from("-1.0") == NumberFacts{false, false, true, true});
  CHECK(from("%y") == NumberFacts{true, true, true, true});
}

TEST_CASE("facts follow a loop until they agree") {
  const std::string loop =
      "br label %l\nl:\n%r = phi float [ 0.0, %0 ], [ %m, %l ]\n"
      "%m = fneg float %r\n%v = load i1, ptr %p\n"
      "br i1 %v, label %e, label %l\ne:\n";
  CHECK(facts_of_r(loop) == NumberFacts{false, false, true, true});
}

TEST_CASE("facts of choices and conversions") {
  CHECK(facts_of_r("%r = sitofp i32 %i to float\n") == NumberFacts{false, false, false, true});
  CHECK(facts_of_r("%r = call float @llvm.fabs.f32(float %x)\n") ==
        NumberFacts{true, true, false, true});
  CHECK(facts_of_r("%u = fcmp uno float %x, 0.0\n%r = select i1 %u, float 1.0, float %x\n") ==
        NumberFacts{false, false, true, true});
  CHECK(facts_of_r("%r = fmul float %x, %y\n") == NumberFacts{true, false, true, true});
}
