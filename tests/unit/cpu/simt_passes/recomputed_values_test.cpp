// SPDX-License-Identifier: MIT
// What coroutines compute again behind a suspension: little for each use.

#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cpu/jit/finishing_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::jit::recomputed_values;
using pycuda::cpu::testing::FunctionText;

namespace {

/// Of each instruction of `body`, whether it is computed again. There are %a and %p.
std::vector<bool> recomputed(const std::string& body) {
  FunctionText text("define void @f(i32 %a, ptr %p) {\n" + body + "  ret void\n}\n");
  const auto is_recomputed = recomputed_values();
  std::vector<bool> found;
  for (llvm::Instruction& instruction : llvm::instructions(text.function()))
    found.push_back(is_recomputed(instruction));
  return found;
}

}  // namespace

TEST_CASE("what is computed from few values is computed again, what has an effect is not") {
  CHECK(recomputed("  %b = add i32 %a, 1\n  %c = icmp eq i32 %b, 7\n  %d = load i32, ptr %p\n"
                   "  %e = select i1 %c, i32 %d, i32 %b\n  store i32 %e, ptr %p\n") ==
        std::vector{true, true, false, true, false, false});
}

TEST_CASE("of a long chain a value is kept now and then") {
  std::string chain = "  %v0 = add i32 %a, 1\n";
  for (std::size_t i = 1; i < 500; ++i)
    chain += "  %v" + std::to_string(i) + " = mul i32 %v" + std::to_string(i - 1) + ", 5\n";
  std::size_t again = 0, longest = 0, kept = 0;
  std::vector<bool> found = recomputed(chain);
  found.pop_back();  // the return
  for (const bool is_recomputed : found) {
    again = is_recomputed ? again + 1 : 0;
    longest = std::max(longest, again);
    kept += is_recomputed ? 0 : 1;
  }
  CHECK(longest < 50);
  CHECK(kept < 25);
}

TEST_CASE("a value that is needed twice counts twice, so that sums do not explode") {
  std::string doubled = "  %v0 = add i32 %a, 1\n";
  for (std::size_t i = 1; i < 40; ++i) {
    const std::string last = "%v" + std::to_string(i - 1);
    doubled += "  %v" + std::to_string(i) + " = mul i32 " + last + ", " + last + "\n";
  }
  std::size_t kept = 0;
  for (const bool is_recomputed : recomputed(doubled)) kept += is_recomputed ? 0 : 1;
  CHECK(kept > 4);
}
