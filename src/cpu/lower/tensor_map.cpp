// SPDX-License-Identifier: MIT
// Emitter: tensormap.replace and tensormap.cp_fenceproxy.
#include <optional>
#include <string_view>
#include <utility>

#include "cpu/kernel_abi/tensor_maps.h"
#include "cpu/lower/bulk_copy.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {
namespace {

std::optional<TensorField> field_of(const ptx::Modifiers& modifiers) {
  constexpr std::pair<std::string_view, TensorField> words[] = {
      {"global_address", TensorField::Address},
      {"rank", TensorField::Rank},
      {"box_dim", TensorField::Box},
      {"global_dim", TensorField::Size},
      {"global_stride", TensorField::Stride},
      {"element_stride", TensorField::Step},
      {"elemtype", TensorField::Type},
      {"interleave_layout", TensorField::Interleave},
      {"swizzle_mode", TensorField::Swizzle},
      {"fill_mode", TensorField::Filling}};
  for (const auto& [word, field] : words)
    if (modifiers.has(word)) return field;
  return std::nullopt;
}

/// The whole map, by every thread of the warp, so that each of them sees the copy.
bool emit_fenced_copy(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* to = bulk_pointer(lowering, instruction.operands[0], ptx::Space::Global, false);
  llvm::Value* from = bulk_pointer(lowering, instruction.operands[1], ptx::Space::Shared, false);
  lowering.runtime_call(
      "pycuda_cpu_bulk_copy", b.getVoidTy(),
      {lowering.thread(), to, from, b.getInt32(128), llvm::ConstantPointerNull::get(b.getPtrTy())});
  return true;
}

}  // namespace

bool emit_tensor_map(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.track_line();
  if (modifiers.has("cp_fenceproxy")) return emit_fenced_copy(lowering, instruction);
  const auto field = field_of(modifiers);
  if (!field) return false;
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  llvm::Value* map = lowering.pointer_to(instruction.operands[0], space);
  const unsigned bits = ptx::bits_of(modifiers.type());
  llvm::Value* value =
      b.CreateZExt(lowering.read_bits(instruction.operands.back(), bits), b.getInt64Ty());
  // Until PTX 8.4 strides came in units of 16 bytes.
  const ptx::Module& source = lowering.module().source();
  const bool in_units =
      source.version_major < 8 || (source.version_major == 8 && source.version_minor < 5);
  if (*field == TensorField::Stride && in_units) value = b.CreateShl(value, 4);
  llvm::Value* dimension = instruction.operands.size() == 3
                               ? lowering.read_bits(instruction.operands[1], 32)
                               : b.getInt32(0);
  lowering.runtime_call(
      "pycuda_cpu_tensor_map_replace", b.getVoidTy(),
      {lowering.thread(), map, b.getInt32(static_cast<std::uint32_t>(*field)), dimension, value});
  return true;
}

}  // namespace pycuda::cpu::lower
