// SPDX-License-Identifier: MIT
// What of an address decides its low bits, and branches where that is not known.
#include "cpu/simt/versioning/alignment_checks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/known_multiples.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

enum Argument : unsigned { Thread, Tested, Address, Mask };

std::vector<llvm::CallInst*> checks_in(llvm::Function& function) {
  return calls_of(function, pseudo::check_alignment);
}

std::uint64_t mask_of(const llvm::CallInst& check) {
  return llvm::cast<llvm::ConstantInt>(check.getArgOperand(Mask))->getZExtValue();
}

/// Finds the value whose low bits are those of another one.
class LowBits {
 public:
  LowBits(const llvm::DataLayout& layout, const llvm::DominatorTree& dominators)
      : layout_(layout), dominators_(dominators) {}

  bool are_zero(const llvm::Value* value, std::uint64_t mask) const {
    const llvm::KnownBits known = llvm::computeKnownBits(value, layout_);
    return (known.Zero.zextOrTrunc(64).getZExtValue() & mask) == mask;
  }

  /// A value with the same bits under `mask`, which must be 2^n - 1.
  llvm::Value* source(llvm::Value* value, std::uint64_t mask) const {
    for (llvm::Value* next = value; next; next = step(value, mask)) value = next;
    return value;
  }

 private:
  llvm::Value* step(llvm::Value* value, std::uint64_t mask) const {
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
      const bool keeps = llvm::isa<llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::ZExtInst,
                                   llvm::SExtInst, llvm::TruncInst>(cast);
      llvm::Type* type = cast->getSrcTy();
      const bool wide =
          type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() >= 8);
      return keeps && wide ? cast->getOperand(0) : nullptr;
    }
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value)) {
      llvm::Value* left = operation->getOperand(0);
      llvm::Value* right = operation->getOperand(1);
      const auto code = operation->getOpcode();
      const bool sum = code == llvm::Instruction::Add || code == llvm::Instruction::Or ||
                       code == llvm::Instruction::Xor;
      if ((sum || code == llvm::Instruction::Sub) && are_zero(right, mask)) return left;
      return sum && are_zero(left, mask) ? right : nullptr;
    }
    if (auto* address = llvm::dyn_cast<llvm::GEPOperator>(value)) return base_of(*address, mask);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return start_of(*phi, mask);
    return nullptr;
  }

  /// The pointer operand when all that is added to it has no bit of the mask.
  llvm::Value* base_of(llvm::GEPOperator& address, std::uint64_t mask) const {
    if (!address.getType()->isPointerTy()) return nullptr;
    const unsigned bits = layout_.getIndexTypeSizeInBits(address.getType());
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt constant(bits, 0);
    if (!address.collectOffset(layout_, bits, variable, constant)) return nullptr;
    if ((constant.getZExtValue() & mask) != 0) return nullptr;
    const unsigned needed = static_cast<unsigned>(llvm::popcount(mask));
    for (const auto& [index, scale] : variable) {
      const llvm::KnownBits known = llvm::computeKnownBits(index, layout_);
      if (scale.countr_zero() + known.countMinTrailingZeros() < needed) return nullptr;
    }
    return address.getPointerOperand();
  }

  /// What a pointer started from that only multiples of the size have been added to.
  llvm::Value* start_of(llvm::PHINode& phi, std::uint64_t mask) const {
    llvm::Value* start = nullptr;
    for (llvm::Value* incoming : phi.incoming_values()) {
      llvm::Value* from = incoming;
      // Through sums only: a chain of phis could lead round in circles.
      for (llvm::Value* next = from; next && next != &phi;) {
        from = next;
        next = llvm::isa<llvm::PHINode>(from) ? nullptr : step(from, mask);
        if (next == &phi) from = next;
      }
      if (from == &phi) continue;
      if (start && start != incoming) return nullptr;
      start = incoming;
    }
    return start && dominates(start, phi) ? start : nullptr;
  }

  bool dominates(const llvm::Value* value, const llvm::PHINode& phi) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return !instruction || dominators_.dominates(instruction, &phi);
  }

  const llvm::DataLayout& layout_;
  const llvm::DominatorTree& dominators_;
};

/// Where among a kernel's parameters `value` lies, if it is one.
std::optional<std::uint32_t> parameter_in(const llvm::Value* value) {
  while (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
    if (!llvm::isa<llvm::PtrToIntInst, llvm::IntToPtrInst, llvm::ZExtInst>(cast)) return {};
    value = cast->getOperand(0);
  }
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return {};
  return parameter_read_by(*load);
}

}  // namespace

void reduce_alignment_checks(llvm::Function& function) {
  const std::vector<llvm::CallInst*> checks = checks_in(function);
  if (checks.empty()) return;
  const llvm::DominatorTree dominators(function);
  const LowBits low_bits(function.getDataLayout(), dominators);
  llvm::DenseMap<llvm::Value*, llvm::SmallVector<llvm::CallInst*, 4>> made;
  const auto is_made = [&](llvm::Value* source, const llvm::CallInst& check) {
    for (const llvm::CallInst* before : made[source]) {
      if ((mask_of(*before) & mask_of(check)) == mask_of(check) &&
          dominators.dominates(before, &check))
        return true;
    }
    return false;
  };
  for (llvm::CallInst* check : checks) {
    // In code that nothing reaches a value may be its own operand.
    if (!dominators.isReachableFromEntry(check->getParent())) continue;
    const std::uint64_t mask = mask_of(*check);
    llvm::Value* source = low_bits.source(check->getArgOperand(Tested), mask);
    if (low_bits.are_zero(source, mask) || is_made(source, *check)) {
      check->eraseFromParent();
      continue;
    }
    made[source].push_back(check);
    llvm::IRBuilder<> b(check);
    check->setArgOperand(Tested, source->getType()->isPointerTy()
                                     ? b.CreatePtrToInt(source, b.getInt64Ty())
                                     : b.CreateZExtOrTrunc(source, b.getInt64Ty()));
  }
}

std::vector<std::pair<llvm::CallInst*, ParameterQuestion>> parameter_checks(
    llvm::Function& function) {
  std::vector<std::pair<llvm::CallInst*, ParameterQuestion>> found;
  const std::uint64_t parameter_bytes =
      function.getFnAttributeAsParsedInteger(pseudo::parameter_bytes);
  for (llvm::CallInst* check : checks_in(function)) {
    const auto offset = parameter_in(check->getArgOperand(Tested));
    const std::uint64_t bits = mask_of(*check);
    if (offset && *offset < parameter_bytes && bits <= 0xff)
      found.push_back({check, {*offset, bits}});
  }
  return found;
}

void add_question(std::vector<ParameterQuestion>& questions, const ParameterQuestion& question) {
  const auto known =
      llvm::find_if(questions, [&](const auto& other) { return other.offset == question.offset; });
  if (known == questions.end()) {
    questions.push_back(question);
  } else {
    known->bits |= question.bits;
  }
}

llvm::Value* are_passed(llvm::IRBuilderBase& b, llvm::Value* params,
                        const std::vector<ParameterQuestion>& questions) {
  llvm::Value* found = b.getInt8(0);
  for (const ParameterQuestion& question : questions) {
    llvm::LoadInst* byte = b.CreateAlignedLoad(
        b.getInt8Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), params, question.offset),
        llvm::Align(1));
    byte->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    found = b.CreateOr(found, b.CreateAnd(byte, question.bits));
  }
  return b.CreateIsNull(found);
}

ParameterChecks take_parameter_checks(llvm::Function& kernel) {
  ParameterChecks taken;
  std::vector<llvm::CallInst*> answered;
  for (const auto& [check, question] : parameter_checks(kernel)) {
    answered.push_back(check);
    add_question(taken.questions, question);
  }
  if (answered.empty()) return taken;
  llvm::ValueToValueMapTy map;
  taken.careful = llvm::CloneFunction(&kernel, map);
  taken.careful->setName(kernel.getName() + ".careful");
  taken.careful->setLinkage(llvm::Function::InternalLinkage);
  for (const auto kind :
       {llvm::Attribute::NoInline, llvm::Attribute::Cold, llvm::Attribute::OptimizeForSize})
    taken.careful->addFnAttr(kind);
  for (llvm::CallInst* check : answered) check->eraseFromParent();
  return taken;
}

void expand_alignment_checks(llvm::Function& function) {
  const std::vector<llvm::CallInst*> checks = checks_in(function);
  if (checks.empty()) return;
  llvm::LLVMContext& context = function.getContext();
  llvm::IRBuilder<> b(context);
  auto* fault = llvm::BasicBlock::Create(context, "misaligned", &function);
  b.SetInsertPoint(fault);
  llvm::PHINode* address = b.CreatePHI(b.getInt64Ty(), static_cast<unsigned>(checks.size()));
  const auto kind = static_cast<std::uint32_t>(FaultKind::MisalignedAddress);
  llvm::CallInst* call =
      call_by_name(b, "pycuda_cpu_fault", b.getVoidTy(),
                   {checks.front()->getArgOperand(Thread), b.getInt32(kind), address});
  call->setDoesNotThrow();
  call->setDoesNotReturn();
  call->addFnAttr(llvm::Attribute::Cold);
  b.CreateUnreachable();
  llvm::MDNode* unlikely = llvm::MDBuilder(context).createUnlikelyBranchWeights();
  for (llvm::CallInst* check : checks) {
    llvm::BasicBlock* before = check->getParent();
    llvm::BasicBlock* after = llvm::SplitBlock(before, check->getIterator());
    b.SetInsertPoint(before->getTerminator());
    llvm::Value* bits = b.CreateAnd(check->getArgOperand(Tested), check->getArgOperand(Mask));
    b.CreateCondBr(b.CreateICmpNE(bits, b.getInt64(0)), fault, after, unlikely);
    before->getTerminator()->eraseFromParent();
    address->addIncoming(check->getArgOperand(Address), before);
    check->eraseFromParent();
  }
}

}  // namespace pycuda::cpu::simt
