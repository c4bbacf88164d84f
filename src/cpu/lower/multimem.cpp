// SPDX-License-Identifier: MIT
// Emitter: multimem. Which devices' memory an address stands for is known when it is used.
#include <algorithm>
#include <optional>
#include <vector>

#include "cpu/kernel_abi/multicast.h"
#include "cpu/lower/bulk_copy.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/packed_elements.h"

namespace pycuda::cpu::lower {
namespace {

using ptx::Type;

/// An element and how values of several devices are combined.
struct Form {
  unsigned bits = 0;
  BulkType type = BulkType::U32;
  WideType wide = WideType::None;
};

std::optional<Form> form_of(const ptx::Modifiers& modifiers) {
  const bool is_wide_sum = modifiers.has("acc::f32");
  if (modifiers.has("e4m3x4")) return Form{32, BulkType::U32, WideType::E4M3};
  if (modifiers.has("e5m2x4")) return Form{32, BulkType::U32, WideType::E5M2};
  const Type type = modifiers.type();
  const unsigned bits = ptx::bits_of(type);
  switch (type) {
    case Type::E4M3x2:
      return Form{bits, BulkType::F16, WideType::E4M3};
    case Type::E5M2x2:
      return Form{bits, BulkType::F16, WideType::E5M2};
    case Type::F16:
    case Type::F16x2:
      return Form{bits, BulkType::F16, is_wide_sum ? WideType::F16 : WideType::None};
    case Type::BF16:
    case Type::BF16x2:
      return Form{bits, BulkType::BF16, is_wide_sum ? WideType::BF16 : WideType::None};
    default:
      break;
  }
  const auto plain = bulk_type_of(type);
  if (!plain) return std::nullopt;
  return Form{bits, *plain, WideType::None};
}

std::optional<BulkOperation> operation_of(ptx::AtomicOp operation) {
  switch (operation) {
    case ptx::AtomicOp::Add:
      return BulkOperation::Add;
    case ptx::AtomicOp::Min:
      return BulkOperation::Min;
    case ptx::AtomicOp::Max:
      return BulkOperation::Max;
    case ptx::AtomicOp::And:
      return BulkOperation::And;
    case ptx::AtomicOp::Or:
      return BulkOperation::Or;
    case ptx::AtomicOp::Xor:
      return BulkOperation::Xor;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool emit_multimem(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool loads = modifiers.has("ld_reduce");
  const auto form = form_of(modifiers);
  if (instruction.operands.size() != 2 || !form) return false;
  const std::vector<ptx::Operand> elements = lowering.elements(instruction.operands[loads ? 0 : 1]);
  const unsigned bits = form->bits;
  const std::size_t count = elements.size();
  if (count != std::max<std::size_t>(modifiers.vector, 1) || bits * count > 128) return false;
  const auto operation = operation_of(modifiers.atomic);
  if (!operation && !modifiers.has("st")) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.track_line();
  llvm::Value* address = b.CreatePtrToInt(
      lowering.pointer_to(instruction.operands[loads ? 1 : 0], ptx::Space::Global), b.getInt64Ty());
  std::vector<llvm::Value*> arguments{
      lowering.thread(), address, b.getInt32(static_cast<std::uint32_t>(bits / 8 * count)),
      b.getInt32(operation ? bulk_code(*operation, form->type) : bits / 8)};
  if (loads) {
    arguments.push_back(b.getInt32(static_cast<std::uint32_t>(form->wide) |
                                   (modifiers.has("acc::f16") ? half_sums : 0)));
    llvm::Type* word = b.getInt64Ty();
    llvm::Value* values =
        lowering.runtime_call("pycuda_cpu_multimem_load",
                              llvm::StructType::get(lowering.context(), {word, word}), arguments);
    for (unsigned i = 0; i < count; ++i)
      lowering.write(elements[i], part_of(lowering, values, i * bits, bits));
    return true;
  }
  for (llvm::Value* word : packed_elements(lowering, elements, bits)) arguments.push_back(word);
  lowering.runtime_call(operation ? "pycuda_cpu_multimem_reduce" : "pycuda_cpu_multimem_store",
                        b.getVoidTy(), arguments);
  return true;
}

}  // namespace pycuda::cpu::lower
