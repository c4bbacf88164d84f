// SPDX-License-Identifier: MIT
// Trees of additions and multiplications over extended bytes and halves, from the leaves on.
#include "cpu/simt/narrow_sums.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned half_bits = 16, word_bits = 32;

class Narrower {
 public:
  explicit Narrower(llvm::Function& function) : function_(function) {}

  void run() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function_);
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(*block)) {
        auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
        if (operation && operation->getType()->isIntegerTy() &&
            (operation->getOpcode() == llvm::Instruction::Add ||
             operation->getOpcode() == llvm::Instruction::Mul))
          narrow(*operation);
      }
    }
  }

 private:
  /// Bits of what `value` is extended from, a number of few bits; 0 if it is none. Constants have
  /// as many as are asked for.
  static unsigned bits_of(const llvm::Value* value, unsigned wanted) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return constant->getValue().getActiveBits() <= wanted ? wanted : 0;
    const auto* extension = llvm::dyn_cast<llvm::ZExtInst>(value);
    if (!extension) return 0;
    const unsigned bits = extension->getSrcTy()->getIntegerBitWidth();
    const auto* inner = llvm::dyn_cast<llvm::BinaryOperator>(extension->getOperand(0));
    return bits == 8 || bits == half_bits || (inner && inner->hasMetadata(narrowed)) ? bits : 0;
  }

  void narrow(llvm::BinaryOperator& operation) {
    const unsigned own = operation.getType()->getIntegerBitWidth();
    const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
    if (own != word_bits && own != 2 * word_bits) return;
    if (llvm::isa<llvm::Constant>(operation.getOperand(0)) ||
        bits_of(operation.getOperand(0), word_bits) == 0 ||
        bits_of(operation.getOperand(1), word_bits) == 0)
      return;
    const unsigned needed = llvm::computeKnownBits(&operation, layout).countMaxActiveBits();
    const unsigned bits = needed <= half_bits ? half_bits : needed <= word_bits ? word_bits : own;
    if (bits >= own) return;
    llvm::IRBuilder<> b(&operation);
    llvm::Type* type = b.getIntNTy(bits);
    llvm::Value* operands[2];
    for (unsigned i = 0; i < 2; ++i) {
      llvm::Value* operand = operation.getOperand(i);
      if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operand)) {
        if (constant->getValue().getActiveBits() > bits) return;
        operands[i] = b.getInt(constant->getValue().trunc(bits));
        continue;
      }
      llvm::Value* from = llvm::cast<llvm::ZExtInst>(operand)->getOperand(0);
      if (from->getType()->getIntegerBitWidth() > bits) return;
      operands[i] = b.CreateZExt(from, type);
    }
    auto* result = llvm::dyn_cast<llvm::Instruction>(
        b.CreateBinOp(operation.getOpcode(), operands[0], operands[1]));
    if (!result) return;
    result->setMetadata(narrowed, llvm::MDNode::get(b.getContext(), {}));
    llvm::Value* wide = b.CreateZExt(result, operation.getType());
    operation.replaceAllUsesWith(wide);
    operation.eraseFromParent();
  }

  static constexpr const char* narrowed = "narrowed";
  llvm::Function& function_;
};

}  // namespace

void narrow_sums(llvm::Function& function) { Narrower(function).run(); }

}  // namespace pycuda::cpu::simt
