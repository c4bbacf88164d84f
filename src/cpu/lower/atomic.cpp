// SPDX-License-Identifier: MIT
// Emitters: atom and red.
#include <llvm/Support/AtomicOrdering.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "cpu/lower/bulk_copy.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/memory_order.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

namespace {

using ptx::AtomicOp;
using ptx::Type;

std::optional<llvm::AtomicRMWInst::BinOp> integer_operation(AtomicOp operation, bool is_signed) {
  using RMW = llvm::AtomicRMWInst;
  switch (operation) {
    case AtomicOp::And:
      return RMW::And;
    case AtomicOp::Or:
      return RMW::Or;
    case AtomicOp::Xor:
      return RMW::Xor;
    case AtomicOp::Exch:
      return RMW::Xchg;
    case AtomicOp::Add:
      return RMW::Add;
    case AtomicOp::Inc:
      return RMW::UIncWrap;
    case AtomicOp::Dec:
      return RMW::UDecWrap;
    case AtomicOp::Min:
      return is_signed ? RMW::Min : RMW::UMin;
    case AtomicOp::Max:
      return is_signed ? RMW::Max : RMW::UMax;
    default:
      return std::nullopt;
  }
}

llvm::AtomicOrdering order_of(const ptx::Modifiers& modifiers) {
  const llvm::AtomicOrdering ordering = memory_order(modifiers.ordering);
  return ordering == llvm::AtomicOrdering::NotAtomic ? llvm::AtomicOrdering::Monotonic : ordering;
}

/// What an update without an instruction of its own makes of the old value and the operand, both as
/// bits.
using Change =
    std::function<llvm::Value*(llvm::IRBuilder<>&, llvm::Value* old, llvm::Value* operand)>;

llvm::Function* new_function(FunctionLowering& lowering, const std::string& name,
                             llvm::ArrayRef<llvm::Type*> parameters, llvm::Type* result) {
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                             llvm::Function::InternalLinkage, name, lowering.module().target());
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  if (lowering.module().processor_flushes()) let_processor_flush(*function);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  return function;
}

/// old = *pointer; *pointer = change(old, operand), as one step, by compare and swap: a call of a
/// function, so that later stages know it from a loop of the program. `name` tells changes apart.
llvm::Value* update(FunctionLowering& lowering, const std::string& name, llvm::Value* pointer,
                    llvm::Value* operand, llvm::AtomicOrdering ordering, const Change& change) {
  llvm::Type* type = operand->getType();
  const std::string full = name + "." + llvm::toIRString(ordering);
  llvm::Module& module = lowering.module().target();
  llvm::Function* whole = module.getFunction(pseudo::update_prefix + full);
  if (!whole) {
    llvm::IRBuilder<> b(lowering.context());
    const auto block = [&](const char* label, llvm::Function* of) {
      return llvm::BasicBlock::Create(lowering.context(), label, of);
    };
    llvm::Function* inner =
        new_function(lowering, pseudo::change_prefix + full, {type, type}, type);
    inner->setDoesNotAccessMemory();
    inner->setWillReturn();
    b.SetInsertPoint(block("change", inner));
    b.CreateRet(b.CreateBitCast(change(b, inner->getArg(0), inner->getArg(1)), type));
    whole = new_function(lowering, pseudo::update_prefix + full, {b.getPtrTy(), type}, type);
    const llvm::Align alignment(type->getIntegerBitWidth() / 8);
    llvm::BasicBlock* entry = block("read", whole);
    llvm::BasicBlock* loop = block("update", whole);
    llvm::BasicBlock* done = block("done", whole);
    b.SetInsertPoint(entry);
    llvm::LoadInst* first = b.CreateAlignedLoad(type, whole->getArg(0), alignment);
    first->setAtomic(llvm::AtomicOrdering::Monotonic);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode* old = b.CreatePHI(type, 2);
    old->addIncoming(first, entry);
    llvm::Value* changed = b.CreateCall(inner, {old, whole->getArg(1)});
    llvm::Value* result = b.CreateAtomicCmpXchg(whole->getArg(0), old, changed, alignment, ordering,
                                                llvm::AtomicOrdering::Monotonic);
    old->addIncoming(b.CreateExtractValue(result, 0), loop);
    b.CreateCondBr(b.CreateExtractValue(result, 1), done, loop);
    b.SetInsertPoint(done);
    b.CreateRet(old);
  }
  return lowering.builder().CreateCall(whole, {pointer, operand});
}

/// bf16 bits to f32 and back, rounded to nearest even; NaN becomes the canonical NaN of PTX.
llvm::Value* widen_bf16(llvm::IRBuilder<>& b, llvm::Value* bits) {
  return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, b.getInt32Ty()), 16), b.getFloatTy());
}

llvm::Value* narrow_bf16(llvm::IRBuilder<>& b, llvm::Value* value) {
  llvm::Value* bits = b.CreateBitCast(value, b.getInt32Ty());
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  llvm::Value* rounded = b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(odd, b.getInt32(0x7fff))), 16);
  return b.CreateTrunc(b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt32(0x7fff), rounded),
                       b.getInt16Ty());
}

/// One addition, minimum or maximum of 16-bit floats given as bits.
llvm::Value* combine_half(llvm::IRBuilder<>& b, AtomicOp operation, bool is_bfloat,
                          llvm::Value* left, llvm::Value* right) {
  const auto widen = [&](llvm::Value* bits) {
    return is_bfloat ? widen_bf16(b, bits)
                     : b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
  };
  llvm::Value* x = widen(left);
  llvm::Value* y = widen(right);
  if (operation == AtomicOp::Add) {
    // The float sum of two 16-bit floats, rounded again, is the correctly rounded sum.
    llvm::Value* sum = b.CreateFAdd(x, y);
    if (is_bfloat) return narrow_bf16(b, sum);
    llvm::Value* rounded = b.CreateBitCast(b.CreateFPTrunc(sum, b.getHalfTy()), b.getInt16Ty());
    return b.CreateSelect(b.CreateFCmpUNO(sum, sum), b.getInt16(0x7fff), rounded);
  }
  const bool minimum = operation == AtomicOp::Min;
  // Equal numbers may differ as zeros: the smaller one is the negative one.
  llvm::Value* negative = b.CreateICmpSLT(left, b.getInt16(0));
  llvm::Value* first =
      b.CreateSelect(b.CreateFCmpOEQ(x, y), minimum ? negative : b.CreateNot(negative),
                     minimum ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y));
  llvm::Value* result = b.CreateSelect(first, left, right);
  result = b.CreateSelect(b.CreateFCmpUNO(x, x), right, result);
  result = b.CreateSelect(b.CreateFCmpUNO(y, y), left, result);
  return b.CreateSelect(b.CreateAnd(b.CreateFCmpUNO(x, x), b.CreateFCmpUNO(y, y)),
                        b.getInt16(0x7fff), result);
}

llvm::Value* update_half(FunctionLowering& lowering, llvm::Value* pointer, Type type,
                         AtomicOp operation, llvm::Value* operand, llvm::AtomicOrdering ordering) {
  const bool is_bfloat = type == Type::BF16 || type == Type::BF16x2;
  const std::string name = std::string(is_bfloat ? "bf16" : "f16") +
                           (ptx::bits_of(type) == 16 ? "" : "x2") +
                           (operation == AtomicOp::Add   ? ".add"
                            : operation == AtomicOp::Min ? ".min"
                                                         : ".max");
  if (ptx::bits_of(type) == 16) {
    return update(lowering, name, pointer, operand, ordering,
                  [&](llvm::IRBuilder<>& b, llvm::Value* old, llvm::Value* by) {
                    return combine_half(b, operation, is_bfloat, old, by);
                  });
  }
  return update(
      lowering, name, pointer, operand, ordering,
      [&](llvm::IRBuilder<>& b, llvm::Value* old, llvm::Value* by) {
        const auto part = [&](llvm::Value* pair, unsigned i) {
          return b.CreateTrunc(b.CreateLShr(pair, std::uint64_t{16} * i), b.getInt16Ty());
        };
        llvm::Value* low = combine_half(b, operation, is_bfloat, part(old, 0), part(by, 0));
        llvm::Value* high = combine_half(b, operation, is_bfloat, part(old, 1), part(by, 1));
        return b.CreateOr(b.CreateZExt(low, b.getInt32Ty()),
                          b.CreateShl(b.CreateZExt(high, b.getInt32Ty()), 16));
      });
}

llvm::Value* flush_f32(llvm::IRBuilder<>& b, llvm::Value* bits) {
  llvm::Value* tiny = b.CreateICmpEQ(b.CreateAnd(bits, 0x7f800000), b.getInt32(0));
  return b.CreateSelect(tiny, b.CreateAnd(bits, 0x80000000u), bits);
}

/// GPUs add f32 in global memory with subnormal numbers flushed to zero, but not in shared memory.
llvm::Value* add_f32(llvm::IRBuilder<>& b, llvm::Value* left, llvm::Value* right, bool in_shared) {
  const auto flushed = [&](llvm::Value* bits) { return in_shared ? bits : flush_f32(b, bits); };
  const auto number = [&](llvm::Value* bits) {
    return b.CreateBitCast(flushed(bits), b.getFloatTy());
  };
  llvm::Value* sum = b.CreateFAdd(number(left), number(right));
  llvm::Value* bits = flushed(b.CreateBitCast(sum, b.getInt32Ty()));
  return b.CreateSelect(b.CreateFCmpUNO(sum, sum), b.getInt32(0x7fffffff), bits);
}

llvm::Value* update_f32(FunctionLowering& lowering, llvm::Value* pointer, llvm::Value* operand,
                        llvm::AtomicOrdering ordering, bool in_shared) {
  return update(lowering, in_shared ? "f32.add.shared" : "f32.add", pointer, operand, ordering,
                [&](llvm::IRBuilder<>& b, llvm::Value* old, llvm::Value* by) {
                  return add_f32(b, old, by, in_shared);
                });
}

/// Where a generic address lies is known only when it is used.
llvm::Value* update_generic_f32(FunctionLowering& lowering, llvm::Value* pointer,
                                llvm::Value* operand, llvm::AtomicOrdering ordering) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::BasicBlock* blocks[] = {lowering.new_block("global"), lowering.new_block("shared")};
  llvm::BasicBlock* done = lowering.new_block();
  b.CreateCondBr(lowering.is_in_shared(b.CreatePtrToInt(pointer, b.getInt64Ty())), blocks[1],
                 blocks[0]);
  llvm::Value* old[2];
  for (int in_shared = 0; in_shared < 2; ++in_shared) {
    b.SetInsertPoint(blocks[in_shared]);
    old[in_shared] = update_f32(lowering, pointer, operand, ordering, in_shared != 0);
    b.CreateBr(done);
  }
  b.SetInsertPoint(done);
  llvm::PHINode* result = b.CreatePHI(operand->getType(), 2);
  for (int i = 0; i < 2; ++i) result->addIncoming(old[i], blocks[i]);
  return result;
}

/// In shared memory a NaN comes out as of an addition: quiet, that of memory first. In global
/// memory it comes out as it went in, the operand's first.
llvm::Value* add_f64(llvm::IRBuilder<>& b, llvm::Value* left, llvm::Value* right, bool in_shared) {
  llvm::Value* x = b.CreateBitCast(left, b.getDoubleTy());
  llvm::Value* y = b.CreateBitCast(right, b.getDoubleTy());
  llvm::Value* sum = b.CreateBitCast(b.CreateFAdd(x, y), b.getInt64Ty());
  const auto keep_nan = [&](llvm::Value* number, llvm::Value* bits, llvm::Value* otherwise) {
    constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
    return b.CreateSelect(b.CreateFCmpUNO(number, number),
                          in_shared ? b.CreateOr(bits, quiet) : bits, otherwise);
  };
  return in_shared ? keep_nan(x, left, keep_nan(y, right, sum))
                   : keep_nan(y, right, keep_nan(x, left, sum));
}

/// One atomic read-modify-write; the old value as bits, or null if the form does not exist.
llvm::Value* emit_update(FunctionLowering& lowering, const ptx::Modifiers& modifiers,
                         ptx::Space space, llvm::Value* pointer, const ptx::Operand& operand) {
  llvm::IRBuilder<>& b = lowering.builder();
  const Type type = modifiers.type();
  const AtomicOp operation = modifiers.atomic;
  const unsigned bits = ptx::bits_of(type);
  const llvm::AtomicOrdering ordering = order_of(modifiers);
  const llvm::Align alignment(bits / 8);
  if (ptx::is_float(type)) {
    const bool half = bits == 16 || type == Type::F16x2 || type == Type::BF16x2;
    if (half &&
        (operation == AtomicOp::Add || operation == AtomicOp::Min || operation == AtomicOp::Max)) {
      return update_half(lowering, pointer, type, operation, lowering.read_bits(operand, bits),
                         ordering);
    }
    if (type == Type::F32 && operation == AtomicOp::Add) {
      llvm::Value* added = lowering.read_bits(operand, bits);
      if (space == ptx::Space::Generic)
        return update_generic_f32(lowering, pointer, added, ordering);
      return update_f32(lowering, pointer, added, ordering, space == ptx::Space::Shared);
    }
    if (type == Type::F64 && operation == AtomicOp::Add) {
      const bool in_shared = space == ptx::Space::Shared;
      return update(lowering, in_shared ? "f64.add.shared" : "f64.add", pointer,
                    lowering.read_bits(operand, bits), ordering,
                    [&](llvm::IRBuilder<>& inner, llvm::Value* old, llvm::Value* by) {
                      return add_f64(inner, old, by, in_shared);
                    });
    }
    return nullptr;
  }
  if (bits < 32) return nullptr;
  const auto kind = integer_operation(operation, ptx::is_signed(type));
  if (!kind || (bits == 128 && operation != AtomicOp::Exch)) return nullptr;
  return b.CreateAtomicRMW(*kind, pointer, lowering.read_bits(operand, bits), alignment, ordering);
}

}  // namespace

bool emit_atomic(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool returns = instruction.opcode == ptx::Opcode::atom;
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const std::size_t first = returns ? 1 : 0;
  if (operands.size() < first + 2) return false;
  const bool is_async = modifiers.has("async");
  if (is_async && (returns || !modifiers.has("mbarrier::complete_tx::bytes"))) return false;
  const unsigned bits = ptx::bits_of(modifiers.type());
  if (bits < 16) return false;
  const std::uint32_t count = std::max<std::uint32_t>(modifiers.vector, 1);
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* pointer =
      lowering.access(operands[first], space, bits / 8 * count,
                      {AccessFlags::update | AccessFlags::strong | order_flags(modifiers.ordering) |
                       scope_flags(modifiers.scope)});
  const ptx::Space actual =
      operands[first].symbol ? lowering.symbol_space(*operands[first].symbol) : space;
  if (modifiers.atomic == AtomicOp::Cas) {
    if (operands.size() < first + 3 || count != 1) return false;
    const llvm::AtomicOrdering ordering = order_of(modifiers);
    llvm::Value* pair = b.CreateAtomicCmpXchg(
        pointer, lowering.read_bits(operands[first + 1], bits),
        lowering.read_bits(operands[first + 2], bits), llvm::Align(bits / 8), ordering,
        llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(ordering));
    if (returns) lowering.write(operands[0], b.CreateExtractValue(pair, 0));
    return true;
  }
  if (count == 1) {
    llvm::Value* old = emit_update(lowering, modifiers, actual, pointer, operands[first + 1]);
    if (!old) return false;
    if (returns) lowering.write(operands[0], old);
    return !is_async || emit_bulk_completion(lowering, instruction, bits / 8);
  }
  const std::vector<ptx::Operand> sources = lowering.elements(operands[first + 1]);
  if (sources.size() != count) return false;
  std::vector<llvm::Value*> old_values;
  for (std::uint32_t i = 0; i < count; ++i) {
    llvm::Value* element = b.CreateConstInBoundsGEP1_64(lowering.int_type(bits), pointer, i);
    old_values.push_back(emit_update(lowering, modifiers, actual, element, sources[i]));
    if (!old_values.back()) return false;
  }
  if (!returns) return true;
  const std::vector<ptx::Operand> destinations = lowering.elements(operands[0]);
  if (destinations.size() == 1 && destinations[0].kind == ptx::Operand::Kind::Sink) return true;
  if (destinations.size() != count) return false;
  for (std::uint32_t i = 0; i < count; ++i) lowering.write(destinations[i], old_values[i]);
  return true;
}

}  // namespace pycuda::cpu::lower
