// SPDX-License-Identifier: MIT
#include "cpu/simt/obstacles.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdint>
#include <optional>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/cluster.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/check_sites.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

constexpr std::uint64_t most_local_bytes = 4096;

bool is_supported(llvm::Type* type) {
  if (auto* parts = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* part : parts->elements()) {
      if (part->isStructTy() || !is_supported(part)) return false;
    }
    return true;
  }
  return type->isVoidTy() || type->isPointerTy() || type->isFloatingPointTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

std::string has_no_form(const llvm::Type& type) {
  std::string text = "a value of type ";
  llvm::raw_string_ostream(text) << type;
  return text + ", which has no vector form";
}

}  // namespace

std::string obstacle(const llvm::Instruction& instruction, const Suspension& suspension) {
  if (!is_supported(instruction.getType())) return has_no_form(*instruction.getType());
  for (const llvm::Use& operand : instruction.operands()) {
    llvm::Type* type = operand->getType();
    if (!type->isLabelTy() && !type->isMetadataTy() && !is_supported(type))
      return has_no_form(*type);
  }
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    const auto bytes = variable->getAllocationSize(instruction.getDataLayout());
    if (!variable->isStaticAlloca() || !bytes || bytes->getFixedValue() > most_local_bytes)
      return "a large array in local memory";
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return {};
  const llvm::Function* callee = call->getCalledFunction();
  if (call->isInlineAsm()) return "inline assembly";
  // Other calls are made for one lane after the other, which none of them can leave in between.
  if (suspension.is_suspending_call(*call))
    return callee ? "a call of a function that calls itself and waits"
                  : "a call through a pointer, where functions wait";
  if (!callee) return {};
  llvm::StringRef name = callee->getName();
  if (std::string found = obstacle_of_check(*call); !found.empty()) return found;
  if (name == "pycuda_cpu_frame_push" || name == "pycuda_cpu_frame_pop")
    return "a stack of its own";
  if (name.starts_with(lower::cluster_call_prefix)) return "other blocks of its cluster";
  if (name == "pycuda_cpu_is_local" || name == "pycuda_cpu_is_global")
    return "a question of where an address lies";
  if (!name.starts_with("ptx.")) return {};
  if (name == pseudo::barrier_sync) {
    const auto* id = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
    const auto* count = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
    return id && id->isZero() && count && count->isZero() ? "" : "a named barrier";
  }
  if (name == pseudo::yield) return "a loop that waits for other threads";
  if (name == pseudo::barrier_arrive || name == pseudo::barrier_reduce)
    return "a barrier that counts or reduces";
  if (name == pseudo::exit) return "the end of a thread within a call";
  return {};
}

std::string obstacle(llvm::Function& function, const ControlFlow& flow, const Shapes& shapes,
                     const Suspension& suspension) {
  std::optional<WarpSites> sites;
  if (needs_warps(function) || has_barriers(function)) sites.emplace(function, flow, shapes);
  for (const llvm::BasicBlock* block : flow.order()) {
    const llvm::Instruction* end = block->getTerminator();
    if (!llvm::isa<llvm::BranchInst, llvm::ReturnInst, llvm::UnreachableInst>(end))
      return "its control flow";
    if (const llvm::Loop* loop = flow.loop_of(block); loop && (!loop->isLoopSimplifyForm()))
      return "its control flow";
    for (const llvm::Instruction& instruction : *block) {
      if (std::string found = obstacle(instruction, suspension); !found.empty()) return found;
      const llvm::StringRef name = lower::callee_name(instruction);
      // Lanes that have exited are not waited for.
      if (name == pseudo::barrier_sync && !sites->is_whole(*block) &&
          flow.owner(*block) != &function.getEntryBlock())
        return "a barrier in divergent control flow";
      if (name == pseudo::warp_op) {
        std::string found = sites->obstacle(llvm::cast<llvm::CallBase>(instruction));
        if (!found.empty()) return found;
      }
    }
  }
  return {};
}

}  // namespace pycuda::cpu::simt
