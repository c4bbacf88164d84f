// SPDX-License-Identifier: MIT
// What a gang that is a warp counts (kernel_abi/counters.h): in line where all lanes do the same
// again and again, else by a call with the lanes' addresses.

#include <cstddef>

#include "cpu/kernel_abi/counters.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

llvm::Value* Widener::emit_count(WarpOp operation, llvm::CallInst& call) {
  const std::uint64_t packed = llvm::cast<llvm::ConstantInt>(call.getArgOperand(4))->getZExtValue();
  const auto word = static_cast<std::uint32_t>(packed);
  llvm::Value* value = call.getArgOperand(3);
  switch (operation) {
    case WarpOp::CountRun:
      if (is_full(mask_)) {
        add_to_counter(word + 2, b_.getInt64(1));
        break;
      }
      add_to_counter(word, b_.getInt64(1));
      add_to_counter(word + 1,
                     b_.CreateZExt(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits_of_mask()),
                                   b_.getInt64Ty()));
      break;
    case WarpOp::CountBranch:
      if (!shapes_.of(value).is_uniform()) count_divergence(value, word + 1);
      break;
    default:
      count_access(value, word, static_cast<std::uint32_t>(packed >> 32));
  }
  return pair(b_.getInt32(0), b_.getInt32(0));
}

void Widener::count_divergence(llvm::Value* value, std::uint32_t word) {
  llvm::Value* ways = b_.CreateFreeze(vector(value));
  llvm::Value* first =
      b_.CreateIntrinsic(llvm::Intrinsic::cttz, {b_.getInt32Ty()}, {bits_of_mask(), b_.getFalse()});
  first = b_.CreateAnd(first, b_.getInt32(warp_lanes - 1));
  llvm::Value* way = b_.CreateVectorSplat(warp_lanes, b_.CreateExtractElement(ways, first));
  llvm::Value* others = lanes_in(b_.CreateICmpNE(ways, way));
  add_to_counter(word, b_.CreateZExt(b_.CreateIsNotNull(others), b_.getInt64Ty()));
}

llvm::CallInst* Widener::call_counter(const char* name, std::uint32_t word, std::uint32_t access,
                                      llvm::ArrayRef<llvm::Value*> rest) {
  llvm::SmallVector<llvm::Value*, 6> arguments{target_->getArg(0), b_.getInt32(word),
                                               b_.getInt32(access)};
  arguments.append(rest.begin(), rest.end());
  llvm::CallInst* call = call_by_name(b_, name, b_.getVoidTy(), arguments);
  call->getCalledFunction()->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

void Widener::count_access(llvm::Value* value, std::uint32_t word, std::uint32_t access) {
  const Phases phases = phases_of(CountedAccess::of(access));
  if (is_full(mask_) && phases.count != 0) {
    const auto* cast = llvm::dyn_cast<llvm::PtrToIntInst>(value);
    const auto* distances = distances_.find(cast ? *cast->getPointerOperand() : *value);
    if (distances) {
      count_phase(value, distances->lanes, word, access);
      return;
    }
  }
  if (shapes_.of(value).is_varying()) {
    call_counter("pycuda_cpu_count_access", word, access,
                 {bits_of_mask(), in_memory(vector(value))});
    return;
  }
  call_counter("pycuda_cpu_count_strided", word, access,
               {bits_of_mask(), scalar(value),
                llvm::ConstantInt::getSigned(b_.getInt64Ty(), shapes_.of(value).stride)});
}

llvm::AllocaInst* Widener::in_memory(llvm::Value* addresses) {
  llvm::AllocaInst* memory = slot(addresses->getType(), "addresses");
  b_.CreateStore(addresses, memory);
  return memory;
}

/// An access by all lanes: what it costs follows from lane 0's address, and is known from the first
/// time on.
void Widener::count_phase(llvm::Value* value, llvm::ArrayRef<std::uint64_t> distances,
                          std::uint32_t word, std::uint32_t access) {
  const Phases phases = phases_of(CountedAccess::of(access));
  llvm::Value* first = in_first_lane(value);
  // Counts of phases are powers of two.
  llvm::Value* phase =
      b_.CreateAnd(b_.CreateUDiv(first, b_.getInt64(phases.step)), b_.getInt64(phases.count - 1));
  llvm::Value* place =
      b_.CreateGEP(b_.getInt64Ty(), counter(word + words_of_access), b_.CreateShl(phase, 1));
  llvm::Value* count = b_.CreateLoad(b_.getInt64Ty(), place);
  const auto known = [&] {
    b_.CreateStore(b_.CreateAdd(count, b_.getInt64(1)), place);
    return std::vector<llvm::Value*>();
  };
  // Seldom: registers are better not saved for the call.
  either(b_.CreateIsNotNull(count), known, [&] {
    llvm::SmallVector<llvm::Constant*, warp_lanes> steps;
    for (const std::uint64_t distance : distances)
      steps.push_back(b_.getInt64(distance - distances.front()));
    call_counter("pycuda_cpu_count_first", word, access,
                 {in_memory(b_.CreateAdd(b_.CreateVectorSplat(warp_lanes, first),
                                         llvm::ConstantVector::get(steps)))})
        ->addFnAttr(llvm::Attribute::Cold);
    return std::vector<llvm::Value*>();
  });
}

/// The address of a word of the block's.
llvm::Value* Widener::counter(std::uint32_t word) {
  llvm::Value* counters = load_field(b_, load_block(b_, target_->getArg(0)),
                                     offsetof(BlockFrame, counters), b_.getPtrTy(), true);
  return b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), counters, word);
}

void Widener::add_to_counter(std::uint32_t word, llvm::Value* number) {
  llvm::Value* place = counter(word);
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), place), number), place);
}

}  // namespace pycuda::cpu::simt
