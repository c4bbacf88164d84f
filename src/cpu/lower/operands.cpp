// SPDX-License-Identifier: MIT
// Reading and writing operands: registers, literals, special registers, symbols.
#include <llvm/ADT/APFloat.h>

#include <bit>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/pseudo.h"
#include "cpu/lower/special_registers.h"
#include "cpu/lower/texture.h"

namespace pycuda::cpu::lower {

using Kind = ptx::Operand::Kind;

llvm::Type* FunctionLowering::type_of(ptx::Type type) {
  using ptx::Type;
  switch (type) {
    case Type::F16:
      return builder_.getHalfTy();
    case Type::BF16:
      return builder_.getBFloatTy();
    case Type::F16x2:
      return llvm::FixedVectorType::get(builder_.getHalfTy(), 2);
    case Type::BF16x2:
      return llvm::FixedVectorType::get(builder_.getBFloatTy(), 2);
    case Type::U16x2:
    case Type::S16x2:
      return llvm::FixedVectorType::get(builder_.getInt16Ty(), 2);
    case Type::F32:
      return builder_.getFloatTy();
    case Type::F32x2:
      return llvm::FixedVectorType::get(builder_.getFloatTy(), 2);
    case Type::F64:
      return builder_.getDoubleTy();
    default:
      return int_type(std::max(1u, ptx::bits_of(type)));
  }
}

unsigned FunctionLowering::register_bits(const ptx::Operand& operand) const {
  return operand.kind == Kind::Register ? ptx::bits_of(source_.registers[operand.reg].type) : 0;
}

llvm::Value* FunctionLowering::register_slot(const ptx::Operand& operand) {
  llvm::AllocaInst* slot = registers_[operand.reg].memory;
  const ptx::Register& reg = source_.registers[operand.reg];
  if (reg.vector <= 1) return slot;
  if (operand.component < 0) {
    fail("names the vector register '" + reg.name + "' where one component is needed");
    return builder_.CreateConstInBoundsGEP2_64(slot->getAllocatedType(), slot, 0, 0);
  }
  return builder_.CreateConstInBoundsGEP2_64(slot->getAllocatedType(), slot, 0,
                                             static_cast<unsigned>(operand.component));
}

llvm::Value* FunctionLowering::read_register(const ptx::Operand& operand, unsigned bits) {
  const ptx::Type type = source_.registers[operand.reg].type;
  if ((type == ptx::Type::Pred) != (bits == 1)) {
    fail(bits == 1
             ? "needs a predicate, and '" + source_.registers[operand.reg].name + "' is none"
             : "cannot use the predicate '" + source_.registers[operand.reg].name + "' as a value");
    return llvm::Constant::getNullValue(int_type(bits));
  }
  llvm::Value* value =
      builder_.CreateLoad(int_type(std::max(1u, ptx::bits_of(type))), register_slot(operand));
  if (bits == 1) return operand.negated ? builder_.CreateNot(value) : value;
  if (operand.offset != 0) {
    const llvm::APInt offset(64, static_cast<std::uint64_t>(operand.offset));
    value = builder_.CreateAdd(
        value, builder_.getInt(offset.sextOrTrunc(value->getType()->getIntegerBitWidth())));
  }
  return builder_.CreateZExtOrTrunc(value, int_type(bits));
}

llvm::Value* FunctionLowering::read_special(const ptx::Operand& operand, unsigned bits) {
  llvm::Value* value = read_special_register(*this, operand);
  if (!value) {
    fail("reads a special register that is not supported by the CPU driver");
    return llvm::Constant::getNullValue(int_type(bits));
  }
  return builder_.CreateZExtOrTrunc(value, int_type(bits));
}

llvm::Value* FunctionLowering::read_bits(const ptx::Operand& operand, unsigned bits) {
  llvm::IntegerType* type = int_type(bits);
  switch (operand.kind) {
    case Kind::Register:
      return read_register(operand, bits);
    case Kind::Special:
      return read_special(operand, bits);
    case Kind::Integer: {
      // A 128-bit literal does not exist in PTX; one of 64 bits stands for its sign extension.
      if (bits == 1) return builder_.getInt1((operand.bits != 0) != operand.negated);
      return llvm::ConstantInt::get(type, llvm::APInt(64, operand.bits).sextOrTrunc(bits));
    }
    case Kind::Float: {
      if (bits == 32) return builder_.CreateBitCast(read(operand, ptx::Type::F32), type);
      if (bits == 64) return builder_.CreateBitCast(read(operand, ptx::Type::F64), type);
      if (bits == 16) return builder_.CreateBitCast(read(operand, ptx::Type::F16), type);
      break;
    }
    case Kind::Symbol: {
      if (!operand.symbol) break;
      if (llvm::Value* number = reference_number(*this, *operand.symbol))
        return builder_.CreateZExtOrTrunc(number, type);
      llvm::Value* address = operand_address(operand);
      const bool in_shared = !address->getType()->isPointerTy();
      if (in_shared && operand.generic) {
        address = builder_.CreateAdd(builder_.CreatePtrToInt(shared_base(), builder_.getInt64Ty()),
                                     address);
      }
      if (address->getType()->isPointerTy())
        address = builder_.CreatePtrToInt(address, builder_.getInt64Ty());
      return builder_.CreateZExtOrTrunc(address, type);
    }
    case Kind::Vector: {
      const unsigned count = static_cast<unsigned>(operand.elements.size());
      if (count == 0 || bits % count != 0) break;
      llvm::Value* result = llvm::Constant::getNullValue(type);
      for (unsigned i = 0; i < count; ++i) {
        if (operand.elements[i].kind == Kind::Sink) continue;
        llvm::Value* part = builder_.CreateZExt(read_bits(operand.elements[i], bits / count), type);
        result =
            builder_.CreateOr(result, builder_.CreateShl(part, std::uint64_t{i} * (bits / count)));
      }
      return result;
    }
    default:
      break;
  }
  fail("has an operand that cannot be read as a value of " + std::to_string(bits) + " bits");
  return llvm::Constant::getNullValue(type);
}

llvm::Value* FunctionLowering::read(const ptx::Operand& operand, ptx::Type type) {
  llvm::Type* target = type_of(type);
  const unsigned bits = std::max(1u, ptx::bits_of(type));
  if (operand.kind == Kind::Float && target->isFloatingPointTy()) {
    llvm::APFloat value =
        operand.literal == ptx::Type::F32
            ? llvm::APFloat(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits)))
            : llvm::APFloat(std::bit_cast<double>(operand.bits));
    bool inexact = false;
    value.convert(target->getFltSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return llvm::ConstantFP::get(context(), value);
  }
  if (operand.kind == Kind::Integer && (target->isFloatTy() || target->isDoubleTy())) {
    return llvm::ConstantFP::get(target,
                                 static_cast<double>(static_cast<std::int64_t>(operand.bits)));
  }
  llvm::Value* value = read_bits(operand, bits);
  return value->getType() == target ? value : builder_.CreateBitCast(value, target);
}

void FunctionLowering::write(const ptx::Operand& operand, llvm::Value* value, bool sign_extend) {
  if (operand.kind == Kind::Sink || operand.kind == Kind::None) return;
  llvm::Type* from = value->getType();
  if (from->isPointerTy()) {
    value = builder_.CreatePtrToInt(value, builder_.getInt64Ty());
  } else if (!from->isIntegerTy()) {
    value = builder_.CreateBitCast(value,
                                   int_type(static_cast<unsigned>(from->getPrimitiveSizeInBits())));
  }
  const unsigned bits = value->getType()->getIntegerBitWidth();
  if (operand.kind == Kind::Vector) {
    const unsigned count = static_cast<unsigned>(operand.elements.size());
    if (count == 0 || bits % count != 0) {
      fail("cannot split a value of " + std::to_string(bits) + " bits into " +
           std::to_string(count));
      return;
    }
    const unsigned part = bits / count;
    for (unsigned i = 0; i < count; ++i) {
      write(
          operand.elements[i],
          builder_.CreateTrunc(builder_.CreateLShr(value, std::uint64_t{i} * part), int_type(part)),
          sign_extend);
    }
    return;
  }
  if (operand.kind != Kind::Register) {
    fail("has a destination that is no register");
    return;
  }
  const ptx::Register& reg = source_.registers[operand.reg];
  if ((reg.type == ptx::Type::Pred) != (bits == 1)) {
    fail("cannot write its result to '" + reg.name + "'");
    return;
  }
  llvm::IntegerType* type = int_type(std::max(1u, ptx::bits_of(reg.type)));
  value = sign_extend ? builder_.CreateSExtOrTrunc(value, type)
                      : builder_.CreateZExtOrTrunc(value, type);
  builder_.CreateStore(value, register_slot(operand));
  if (source_frame_) source_frame_->note_written(operand.reg);
}

std::vector<ptx::Operand> FunctionLowering::elements(const ptx::Operand& operand) const {
  if (operand.kind == Kind::Vector) return operand.elements;
  if (operand.kind == Kind::Register && operand.component < 0 &&
      source_.registers[operand.reg].vector > 1) {
    std::vector<ptx::Operand> result(source_.registers[operand.reg].vector, operand);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i].component = static_cast<std::int8_t>(i);
    return result;
  }
  return {operand};
}

llvm::Value* FunctionLowering::carry() { return builder_.CreateLoad(builder_.getInt1Ty(), carry_); }
void FunctionLowering::set_carry(llvm::Value* flag) { builder_.CreateStore(flag, carry_); }

}  // namespace pycuda::cpu::lower
