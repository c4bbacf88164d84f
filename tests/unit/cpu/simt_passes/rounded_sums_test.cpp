// SPDX-License-Identifier: MIT
// Sums and products that are not rounded to nearest, on processors that have them and on others:
// the bits are those of the file tests either way.
#include <doctest/doctest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <string>

#include "cpu/lower/lower.h"
#include "cpu/lower/pseudo.h"
#include "cpu/ptx/parser.h"

namespace lower = pycuda::cpu::lower;

namespace {

/// Names of functions that the kernel's `body` calls, but for those of its place and parameters.
std::string calls_of(const std::string& body, bool rounds_operations) {
  const std::string text = std::string(R"(.version 8.0
.target sm_90
.address_size 64
    .visible .entry k(.param .u64 out) { .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b64 %out;
    ld.param.u64 %out, [out]; ld.global.f32 %f1, [%out]; ld.global.f64 %d1, [%out+8]; )" +
                                       body + "}");
  const auto parsed = pycuda::cpu::ptx::parse(text);
  REQUIRE(parsed);
  llvm::LLVMContext context;
  auto lowered = lower::lower_module(*parsed, context, {.rounds_operations = rounds_operations});
  REQUIRE(lowered);
  std::string found;
  for (const llvm::Function& function : *lowered->module) {
    if (function.isDeclaration() && !function.isIntrinsic() &&
        (function.getName().starts_with(lower::pseudo::rounded_sum_prefix) ||
         function.getName().starts_with("pycuda_cpu_")))
      found += function.getName().str() + " ";
  }
  return found;
}

}  // namespace

TEST_CASE("the processor rounds single operations where it can") {
  const std::string sums =
      "add.rz.f32 %f2, %f1, %f1; mul.rm.f64 %d2, %d1, %d1; "
      "fma.rp.f32 %f2, %f1, %f1, %f2; st.global.f32 [%out], %f2; "
      "st.global.f64 [%out+8], %d2;";
  CHECK(calls_of(sums, true) ==
        "native.rounded-sum-rz.f32 native.rounded-sum-rm.f64 native.rounded-sum-rp.f32 ");
  CHECK(calls_of(sums, false) == "pycuda_cpu_mul_f64 ");
  // Flushing looks at the exact result.
  const std::string flushed = "add.rz.ftz.f32 %f2, %f1, %f1; st.global.f32 [%out], %f2;";
  CHECK(calls_of(flushed, true).empty());
}
