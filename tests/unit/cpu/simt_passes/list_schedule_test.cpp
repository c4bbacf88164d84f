// SPDX-License-Identifier: MIT
// Which functions have so much arithmetic in a row that its order is chosen for parallelism.
#include "cpu/jit/list_schedule.h"

#include <doctest/doctest.h>

#include <string>

#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::jit::mark_long_arithmetic;
using pycuda::cpu::testing::FunctionText;

namespace {

/// `steps` products one after the other; before each `loads` numbers are loaded.
bool is_marked(const std::string& type, unsigned steps, unsigned loads = 0,
               bool takes_list_scheduler = true) {
  std::string body = "define " + type + " @f(" + type + " %v0, ptr %p) {\n";
  for (unsigned i = 0; i < steps; ++i) {
    const std::string n = std::to_string(i);
    for (unsigned k = 0; k < loads; ++k)
      body += "%l" + n + "_" + std::to_string(k) + " = load " + type + ", ptr %p\n";
    body += "%v" + std::to_string(i + 1) + " = fmul " + type + " %v" + n + ", " +
            (loads > 0 ? "%l" + n + "_0" : "%v" + n) + "\n";
  }
  FunctionText text(body + "ret " + type + " %v" + std::to_string(steps) + "\n}\n");
  mark_long_arithmetic(*text.function().getParent(), takes_list_scheduler);
  return text.function().hasFnAttribute("pycuda-long-arithmetic");
}

}  // namespace

TEST_CASE("long is what takes as many registers as half a processor's reach") {
  CHECK(is_marked("<64 x float>", 63));
  CHECK_FALSE(is_marked("<64 x float>", 62));
  CHECK(is_marked("<16 x double>", 125));
  CHECK_FALSE(is_marked("<16 x float>", 125));
  CHECK_FALSE(is_marked("double", 1000));
  CHECK_FALSE(is_marked("<4 x float>", 1000));
}

TEST_CASE("arithmetic with what is loaded is not long") {
  CHECK_FALSE(is_marked("<64 x float>", 200, 1));
}

TEST_CASE("code of a processor that LLVM's list scheduler cannot order keeps its order") {
  CHECK_FALSE(is_marked("<64 x float>", 200, 0, false));
}
