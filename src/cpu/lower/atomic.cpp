// SPDX-License-Identifier: MIT
// Emitters: atom and red.
#include <algorithm>
#include <functional>
#include <optional>

#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/memory_order.h"

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

/// old = *pointer; *pointer = change(old), as one step, by compare and swap.
llvm::Value* update(FunctionLowering& lowering, llvm::Value* pointer, unsigned bits,
                    llvm::AtomicOrdering ordering,
                    const std::function<llvm::Value*(llvm::Value*)>& change) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Type* type = lowering.int_type(bits);
  const llvm::Align alignment(bits / 8);
  llvm::LoadInst* first = b.CreateAlignedLoad(type, pointer, alignment);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock* loop = lowering.new_block("update");
  llvm::BasicBlock* done = lowering.new_block();
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* old = b.CreatePHI(type, 2);
  old->addIncoming(first, before);
  llvm::Value* changed = b.CreateBitCast(change(old), type);
  llvm::Value* result = b.CreateAtomicCmpXchg(pointer, old, changed, alignment, ordering,
                                              llvm::AtomicOrdering::Monotonic);
  old->addIncoming(b.CreateExtractValue(result, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(result, 1), done, loop);
  b.SetInsertPoint(done);
  return old;
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
llvm::Value* combine_half(FunctionLowering& lowering, AtomicOp operation, bool is_bfloat,
                          llvm::Value* left, llvm::Value* right) {
  llvm::IRBuilder<>& b = lowering.builder();
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
  llvm::IRBuilder<>& b = lowering.builder();
  const bool is_bfloat = type == Type::BF16 || type == Type::BF16x2;
  if (ptx::bits_of(type) == 16) {
    return update(lowering, pointer, 16, ordering, [&](llvm::Value* old) {
      return combine_half(lowering, operation, is_bfloat, old, operand);
    });
  }
  return update(lowering, pointer, 32, ordering, [&](llvm::Value* old) {
    const auto part = [&](llvm::Value* pair, unsigned i) {
      return b.CreateTrunc(b.CreateLShr(pair, std::uint64_t{16} * i), b.getInt16Ty());
    };
    llvm::Value* low = combine_half(lowering, operation, is_bfloat, part(old, 0), part(operand, 0));
    llvm::Value* high =
        combine_half(lowering, operation, is_bfloat, part(old, 1), part(operand, 1));
    return b.CreateOr(b.CreateZExt(low, b.getInt32Ty()),
                      b.CreateShl(b.CreateZExt(high, b.getInt32Ty()), 16));
  });
}

/// GPUs add f32 in global memory with subnormal numbers flushed to zero, but not in shared memory.
/// Null: never flushed.
llvm::Value* flushes_subnormals(FunctionLowering& lowering, ptx::Space space,
                                llvm::Value* pointer) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (space == ptx::Space::Shared) return nullptr;
  if (space != ptx::Space::Generic) return b.getTrue();
  return b.CreateNot(lowering.is_in_shared(b.CreatePtrToInt(pointer, b.getInt64Ty())));
}

llvm::Value* flush_f32(llvm::IRBuilder<>& b, llvm::Value* bits, llvm::Value* flush) {
  if (!flush) return bits;
  llvm::Value* tiny = b.CreateICmpEQ(b.CreateAnd(bits, 0x7f800000), b.getInt32(0));
  return b.CreateSelect(b.CreateAnd(flush, tiny), b.CreateAnd(bits, 0x80000000u), bits);
}

llvm::Value* add_f32(llvm::IRBuilder<>& b, llvm::Value* left, llvm::Value* right,
                     llvm::Value* flush) {
  const auto number = [&](llvm::Value* bits) {
    return b.CreateBitCast(flush_f32(b, bits, flush), b.getFloatTy());
  };
  llvm::Value* sum = b.CreateFAdd(number(left), number(right));
  llvm::Value* bits = flush_f32(b, b.CreateBitCast(sum, b.getInt32Ty()), flush);
  return b.CreateSelect(b.CreateFCmpUNO(sum, sum), b.getInt32(0x7fffffff), bits);
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
      llvm::Value* flush = flushes_subnormals(lowering, space, pointer);
      llvm::Value* added = lowering.read_bits(operand, bits);
      return update(lowering, pointer, bits, ordering,
                    [&](llvm::Value* old) { return add_f32(b, old, added, flush); });
    }
    if (type == Type::F64 && operation == AtomicOp::Add) {
      llvm::Value* added = lowering.read_bits(operand, bits);
      return update(lowering, pointer, bits, ordering, [&](llvm::Value* old) {
        return add_f64(b, old, added, space == ptx::Space::Shared);
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
  if (operands.size() < first + 2 || modifiers.has("async")) return false;
  const unsigned bits = ptx::bits_of(modifiers.type());
  if (bits < 16) return false;
  const std::uint32_t count = std::max<std::uint32_t>(modifiers.vector, 1);
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* pointer = lowering.access(operands[first], space, bits / 8 * count, true);
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
    return true;
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
