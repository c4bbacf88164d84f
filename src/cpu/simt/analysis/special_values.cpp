// SPDX-License-Identifier: MIT
// Where each special value is found in the frames.
#include "cpu/simt/analysis/special_values.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cassert>
#include <cstddef>
#include <vector>

#include "cpu/kernel_abi/clusters.h"
#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

static llvm::Align alignment_of(const llvm::Type& type) {
  return llvm::Align(type.isPointerTy() || type.isIntegerTy(64) ? 8 : 4);
}

llvm::Value* load_field(llvm::IRBuilder<>& builder, llvm::Value* frame, std::size_t offset,
                        llvm::Type* type, bool invariant) {
  llvm::Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, offset);
  llvm::LoadInst* load = builder.CreateAlignedLoad(type, address, alignment_of(*type));
  if (invariant) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(builder.getContext(), {}));
  }
  return load;
}

llvm::Value* load_word(llvm::IRBuilder<>& builder, llvm::Value* frame, std::size_t offset,
                       bool invariant) {
  return load_field(builder, frame, offset, builder.getInt32Ty(), invariant);
}

llvm::Value* load_block(llvm::IRBuilder<>& builder, llvm::Value* thread) {
  return load_field(builder, thread, offsetof(ThreadFrame, block), builder.getPtrTy(), true);
}

llvm::Value* load_launch(llvm::IRBuilder<>& builder, llvm::Value* block) {
  return load_field(builder, block, offsetof(BlockFrame, launch), builder.getPtrTy(), true);
}

llvm::StoreInst* store_field(llvm::IRBuilder<>& builder, llvm::Value* frame, std::size_t offset,
                             llvm::Value* value) {
  llvm::Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), frame, offset);
  return builder.CreateAlignedStore(value, address, alignment_of(*value->getType()));
}

llvm::Value* load_parameters(llvm::IRBuilder<>& builder, llvm::Value* launch, std::uint64_t bytes) {
  auto* params = llvm::cast<llvm::LoadInst>(
      load_field(builder, launch, offsetof(LaunchFrame, params), builder.getPtrTy(), true));
  if (bytes == 0) return params;
  const auto promise = [&](unsigned kind, std::uint64_t number) {
    params->setMetadata(kind,
                        llvm::MDNode::get(builder.getContext(),
                                          llvm::ConstantAsMetadata::get(builder.getInt64(number))));
  };
  promise(llvm::LLVMContext::MD_dereferenceable, bytes);
  promise(llvm::LLVMContext::MD_align, parameter_alignment);
  return params;
}

namespace {

/// Computes special values at one place.
class Reader {
 public:
  Reader(llvm::IRBuilder<>& builder, llvm::Value* thread,
         const llvm::StringMap<llvm::Value*>& known, std::uint64_t parameter_bytes)
      : b_(builder), thread_(thread), known_(known), parameter_bytes_(parameter_bytes) {}

  /// The value of a pseudo function; null when there is none of this name.
  llvm::Value* read(llvm::StringRef name) {
    if (name == pseudo::shared_base)
      return load_field(b_, block(), offsetof(BlockFrame, shared), b_.getPtrTy(), true);
    if (name == pseudo::params) return load_parameters(b_, launch(), parameter_bytes_);
    if (name == pseudo::dynamic_shared_offset)
      return of_launch(offsetof(LaunchFrame, dynamic_shared_offset));
    if (name.consume_front(pseudo::sreg_prefix)) return special(name);
    return nullptr;
  }

 private:
  llvm::Value* of_launch(std::size_t offset) { return load_word(b_, launch(), offset, true); }
  llvm::Value* of_block(std::size_t offset) { return load_word(b_, block(), offset, true); }
  llvm::Value* of_thread(llvm::StringRef name, std::size_t offset) {
    if (llvm::Value* value = known_.lookup(name)) return value;
    // Not invariant: a loop over a block's threads rewrites these fields, and this code may be
    // inlined into it.
    return load_word(b_, thread_, offset, false);
  }
  llvm::Value* block() {
    llvm::Value* value = known_.lookup("block");
    return value ? value : load_block(b_, thread_);
  }
  llvm::Value* launch() { return load_launch(b_, block()); }
  llvm::Value* lane() {
    return b_.CreateAnd(of_thread("linear", offsetof(ThreadFrame, linear)), 31);
  }
  llvm::Value* at_lane() { return b_.CreateShl(b_.getInt32(1), lane()); }
  llvm::Value* below() { return b_.CreateSub(at_lane(), b_.getInt32(1)); }

  llvm::Value* special(llvm::StringRef name) {
    if (llvm::Value* value = dimension(name, "tid.", 0)) return value;
    if (llvm::Value* value = dimension(name, "ntid.", 1)) return value;
    if (llvm::Value* value = dimension(name, "ctaid.", 2)) return value;
    if (llvm::Value* value = dimension(name, "nctaid.", 3)) return value;
    if (name == "laneid") return lane();
    if (name == "warpid")
      return b_.CreateLShr(of_thread("linear", offsetof(ThreadFrame, linear)), 5);
    if (name == "nwarpid") return of_launch(offsetof(LaunchFrame, processor_warps));
    if (llvm::Value* value = dimension(name, "cluster_nctaid.", 4)) return value;
    if (name == "is_explicit_cluster") return of_launch(offsetof(GridFrame, explicit_cluster));
    if (name == "smid") return of_block(offsetof(BlockFrame, processor));
    if (name == "nsmid") return of_launch(offsetof(LaunchFrame, processor_count));
    if (name == "lanemask.eq") return at_lane();
    if (name == "lanemask.lt") return below();
    if (name == "lanemask.le") return b_.CreateOr(below(), at_lane());
    if (name == "lanemask.ge") return b_.CreateNot(below());
    if (name == "lanemask.gt") return b_.CreateNot(b_.CreateOr(below(), at_lane()));
    if (name == "dynamic_smem_size") return of_launch(offsetof(LaunchFrame, dynamic_shared_bytes));
    if (name == "total_smem_size") return of_launch(offsetof(LaunchFrame, total_shared_bytes));
    if (name == "gridid")
      return load_field(b_, launch(), offsetof(LaunchFrame, grid_id), b_.getInt64Ty(), true);
    unsigned number = 0;
    if (name.consume_front("envreg.") && !name.getAsInteger(10, number)) {
      constexpr unsigned registers = sizeof(LaunchFrame::env_regs) / sizeof(std::uint64_t);
      if (number >= registers) return b_.getInt32(0);
      return of_launch(offsetof(LaunchFrame, env_regs) + number * sizeof(std::uint64_t));
    }
    return nullptr;
  }

  llvm::Value* dimension(llvm::StringRef name, llvm::StringRef prefix, int which) {
    if (!name.starts_with(prefix) || name.size() != prefix.size() + 1) return nullptr;
    const std::size_t axis = static_cast<std::size_t>(name.back() - 'x') * sizeof(std::uint32_t);
    switch (which) {
      case 0:
        return of_thread(name, offsetof(ThreadFrame, tid) + axis);
      case 1:
        return of_launch(offsetof(LaunchFrame, block) + axis);
      case 2:
        return of_block(offsetof(BlockFrame, ctaid) + axis);
      case 3:
        return of_launch(offsetof(LaunchFrame, grid) + axis);
      default:
        return of_launch(offsetof(GridFrame, cluster) + axis);
    }
  }

  llvm::IRBuilder<>& b_;
  llvm::Value* thread_;
  const llvm::StringMap<llvm::Value*>& known_;
  const std::uint64_t parameter_bytes_;
};

bool differs_between_threads(llvm::StringRef name) {
  return name.consume_front(pseudo::sreg_prefix) &&
         (name.starts_with("tid.") || name == "laneid" || name == "warpid" ||
          name.starts_with("lanemask."));
}

}  // namespace

llvm::StringRef special_register(const llvm::Value* value) {
  llvm::StringRef name = lower::callee_name(*value);
  return name.consume_front(pseudo::sreg_prefix) ? name : llvm::StringRef();
}

bool reads_special_register(const llvm::Function& function, llvm::StringRef name) {
  return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
    return special_register(&instruction) == name;
  });
}

void replace_special_values(llvm::Function& function, const llvm::StringMap<llvm::Value*>& known,
                            llvm::Instruction* hoist_to, std::uint64_t parameter_bytes) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction() || !call->getCalledFunction()->isDeclaration())
      continue;
    if (lower::callee_name(*call).starts_with("ptx.")) calls.push_back(call);
  }
  llvm::StringMap<llvm::Value*> hoisted;
  for (llvm::CallInst* call : calls) {
    const llvm::StringRef name = lower::callee_name(*call);
    const bool hoist = hoist_to && !differs_between_threads(name);
    llvm::Value* value = hoist ? hoisted.lookup(name) : nullptr;
    if (!value) {
      llvm::IRBuilder<> builder(hoist ? hoist_to : call);
      value = Reader(builder, call->getArgOperand(0), known, parameter_bytes).read(name);
      if (!value) continue;
      if (hoist) hoisted[name] = value;
    }
    assert(value->getType() == call->getType() && "a special value of another width than its uses");
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
