// SPDX-License-Identifier: MIT
// Each wide value becomes two of 64 bits. What lies above the bits of its type is zero.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <vector>

#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned part_bits = 64;
constexpr unsigned most_bits = 2 * part_bits;

bool is_wide(const llvm::Type* type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() > part_bits;
}

bool concerns_wide(const llvm::Instruction& instruction) {
  return is_wide(instruction.getType()) ||
         std::any_of(instruction.op_begin(), instruction.op_end(),
                     [](const llvm::Use& operand) { return is_wide(operand->getType()); });
}

bool can_split(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  const auto is_too_wide = [](const llvm::Type* type) {
    return type->isIntegerTy() && type->getIntegerBitWidth() > most_bits;
  };
  if (is_too_wide(instruction.getType()) || is_too_wide(instruction.getOperand(0)->getType()))
    return false;
  const auto is_narrow_integer = [](const llvm::Type* type) {
    return type->isIntegerTy() && !is_wide(type);
  };
  switch (instruction.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::Freeze:
      return true;
    case Instruction::SExt:
      return is_narrow_integer(instruction.getOperand(0)->getType());
    case Instruction::Shl:
    case Instruction::LShr: {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      return by && by->getValue().ult(instruction.getType()->getIntegerBitWidth());
    }
    case Instruction::ICmp:
      return !llvm::cast<llvm::ICmpInst>(instruction).isSigned();
    case Instruction::Select:
      return !instruction.getOperand(0)->getType()->isVectorTy();
    default:
      return false;
  }
}

struct Parts {
  llvm::Value* low;
  llvm::Value* high;
};

class Splitter {
 public:
  explicit Splitter(llvm::LLVMContext& context) : b_(context) {}

  void split(llvm::Instruction& instruction) {
    b_.SetInsertPoint(&instruction);
    if (!is_wide(instruction.getType())) {
      instruction.replaceAllUsesWith(narrow(instruction));
      return;
    }
    Parts parts = wide(instruction);
    const unsigned bits = instruction.getType()->getIntegerBitWidth();
    if (bits < most_bits)
      parts.high =
          b_.CreateAnd(parts.high, llvm::maskTrailingOnes<std::uint64_t>(bits - part_bits));
    parts_[&instruction] = parts;
  }

 private:
  Parts of(llvm::Value* value) {
    if (const auto found = parts_.find(value); found != parts_.end()) return found->second;
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    // Anything else is undefined.
    const llvm::APInt bits =
        number ? number->getValue().zext(most_bits) : llvm::APInt::getZero(most_bits);
    return {b_.getInt64(bits.extractBitsAsZExtValue(part_bits, 0)),
            b_.getInt64(bits.extractBitsAsZExtValue(part_bits, part_bits))};
  }

  Parts wide(llvm::Instruction& instruction) {
    using llvm::Instruction;
    llvm::Value* zero = b_.getInt64(0);
    llvm::Value* operand = instruction.getOperand(0);
    switch (instruction.getOpcode()) {
      case Instruction::Trunc:
      case Instruction::ZExt:
        if (is_wide(operand->getType())) return of(operand);
        return {b_.CreateZExt(operand, b_.getInt64Ty()), zero};
      case Instruction::SExt: {
        llvm::Value* low = b_.CreateSExt(operand, b_.getInt64Ty());
        return {low, b_.CreateAShr(low, part_bits - 1)};
      }
      case Instruction::Freeze: {
        const Parts parts = of(operand);
        return {b_.CreateFreeze(parts.low), b_.CreateFreeze(parts.high)};
      }
      case Instruction::Select: {
        const Parts left = of(instruction.getOperand(1)), right = of(instruction.getOperand(2));
        return {b_.CreateSelect(operand, left.low, right.low),
                b_.CreateSelect(operand, left.high, right.high)};
      }
      case Instruction::Shl:
      case Instruction::LShr:
        return shift(of(operand),
                     static_cast<unsigned>(
                         llvm::cast<llvm::ConstantInt>(instruction.getOperand(1))->getZExtValue()),
                     instruction.getOpcode() == Instruction::Shl);
      default:
        return combine(instruction.getOpcode(), of(operand), of(instruction.getOperand(1)));
    }
  }

  Parts shift(const Parts& parts, unsigned by, bool left) {
    llvm::Value* zero = b_.getInt64(0);
    if (by == 0) return parts;
    if (left) {
      if (by >= part_bits) return {zero, b_.CreateShl(parts.low, by - part_bits)};
      return {b_.CreateShl(parts.low, by),
              b_.CreateOr(b_.CreateShl(parts.high, by), b_.CreateLShr(parts.low, part_bits - by))};
    }
    if (by >= part_bits) return {b_.CreateLShr(parts.high, by - part_bits), zero};
    return {b_.CreateOr(b_.CreateLShr(parts.low, by), b_.CreateShl(parts.high, part_bits - by)),
            b_.CreateLShr(parts.high, by)};
  }

  Parts combine(unsigned opcode, const Parts& x, const Parts& y) {
    using llvm::Instruction;
    const auto bit = [&](llvm::Value* flag) { return b_.CreateZExt(flag, b_.getInt64Ty()); };
    switch (opcode) {
      case Instruction::Add: {
        llvm::Value* low = b_.CreateAdd(x.low, y.low);
        llvm::Value* carry = bit(b_.CreateICmpULT(low, x.low));
        return {low, b_.CreateAdd(b_.CreateAdd(x.high, y.high), carry)};
      }
      case Instruction::Sub: {
        llvm::Value* borrow = bit(b_.CreateICmpULT(x.low, y.low));
        return {b_.CreateSub(x.low, y.low), b_.CreateSub(b_.CreateSub(x.high, y.high), borrow)};
      }
      case Instruction::Mul: {
        llvm::Value* high = high_product(x.low, y.low);
        high = b_.CreateAdd(high, b_.CreateMul(x.high, y.low));
        high = b_.CreateAdd(high, b_.CreateMul(x.low, y.high));
        return {b_.CreateMul(x.low, y.low), high};
      }
      default: {
        const auto operation = static_cast<Instruction::BinaryOps>(opcode);
        return {b_.CreateBinOp(operation, x.low, y.low), b_.CreateBinOp(operation, x.high, y.high)};
      }
    }
  }

  /// The upper half of the product of two numbers without sign, from products of their halves.
  llvm::Value* high_product(llvm::Value* x, llvm::Value* y) {
    const auto low = [&](llvm::Value* value) { return b_.CreateAnd(value, 0xffffffff); };
    const auto high = [&](llvm::Value* value) { return b_.CreateLShr(value, 32); };
    llvm::Value* low_low = b_.CreateMul(low(x), low(y));
    llvm::Value* low_high = b_.CreateMul(low(x), high(y));
    llvm::Value* high_low = b_.CreateMul(high(x), low(y));
    llvm::Value* high_high = b_.CreateMul(high(x), high(y));
    llvm::Value* middle = b_.CreateAdd(b_.CreateAdd(high(low_low), low(low_high)), low(high_low));
    llvm::Value* result = b_.CreateAdd(high_high, high(low_high));
    return b_.CreateAdd(b_.CreateAdd(result, high(high_low)), high(middle));
  }

  /// A comparison, or the lower bits.
  llvm::Value* narrow(llvm::Instruction& instruction) {
    const Parts x = of(instruction.getOperand(0));
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!compare) return b_.CreateTrunc(x.low, instruction.getType());
    const Parts y = of(instruction.getOperand(1));
    if (compare->isEquality()) {
      llvm::Value* differs = b_.CreateOr(b_.CreateXor(x.low, y.low), b_.CreateXor(x.high, y.high));
      return b_.CreateICmp(compare->getPredicate(), differs, b_.getInt64(0));
    }
    llvm::Value* equal = b_.CreateICmpEQ(x.high, y.high);
    return b_.CreateSelect(equal, b_.CreateICmp(compare->getPredicate(), x.low, y.low),
                           b_.CreateICmp(compare->getPredicate(), x.high, y.high));
  }

  llvm::IRBuilder<> b_;
  llvm::DenseMap<const llvm::Value*, Parts> parts_;
};

}  // namespace

void split_wide_integers(llvm::Function& function) {
  std::vector<llvm::Instruction*> concerned;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&function)) {
    for (llvm::Instruction& instruction : *block) {
      if (concerns_wide(instruction)) concerned.push_back(&instruction);
    }
  }
  const auto all =
      std::count_if(llvm::inst_begin(function), llvm::inst_end(function), concerns_wide);
  // Blocks that cannot be reached have an order of their own.
  if (concerned.empty() || static_cast<std::size_t>(all) != concerned.size()) return;
  if (!std::all_of(concerned.begin(), concerned.end(),
                   [](const llvm::Instruction* each) { return can_split(*each); }))
    return;
  Splitter splitter(function.getContext());
  for (llvm::Instruction* instruction : concerned) splitter.split(*instruction);
  // Users before what they use.
  for (auto next = concerned.rbegin(); next != concerned.rend(); ++next) (*next)->eraseFromParent();
}

}  // namespace pycuda::cpu::simt
