// SPDX-License-Identifier: MIT
// What the loop over a block's threads reads once, before it.

#include <doctest/doctest.h>

#include <string>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/blocks/block_passes.h"
#include "unit/cpu/simt_passes/function_text.h"

using namespace pycuda::cpu;

TEST_CASE("whoever reads the address of the parameters promises how many bytes there are") {
  testing::FunctionText text(R"(
declare ptr @ptx.params(ptr)
declare i32 @ptx.sreg.tid.x(ptr)
declare void @check.alignment(ptr, i64, i64, i64)
define internal void @f.k(ptr %thread) #0 {
  %params = call ptr @ptx.params(ptr %thread)
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %write, label %end
write:
  %out = load i64, ptr %params, !invariant.load !0
  call void @check.alignment(ptr %thread, i64 %out, i64 %out, i64 3)
  %place = inttoptr i64 %out to ptr
  store i32 %tid, ptr %place
  br label %end
end:
  ret void
}
attributes #0 = { "ptx-parameter-bytes"="8" }
!0 = !{}
)");
  llvm::Function& kernel = text.function("f.k");
  const simt::ParameterChecks checks = simt::take_parameter_checks(kernel);
  REQUIRE(checks.careful != nullptr);
  const llvm::Function* block = simt::make_block_loop(kernel, "k", checks);
  const llvm::DataLayout& layout = block->getParent()->getDataLayout();
  unsigned found = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(*block)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || !load->getType()->isPointerTy()) continue;
    llvm::APInt offset(layout.getPointerSizeInBits(), 0);
    static_cast<void>(
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true));
    if (offset != offsetof(LaunchFrame, params)) continue;
    ++found;
    // Of two loads that become one, LLVM keeps only what both promise.
    CHECK(load->hasMetadata(llvm::LLVMContext::MD_dereferenceable));
  }
  CHECK(found == 2);
}
