// SPDX-License-Identifier: MIT
// Emitters: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor. What the instruction says goes
// into a TensorCopy on the stack.
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/kernel_abi/tensor_maps.h"
#include "cpu/lower/bulk_copy.h"
#include "cpu/lower/cluster.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

namespace {

using ptx::Operand;
using ptx::Space;

std::uint32_t rank_of(const ptx::Modifiers& modifiers) {
  constexpr std::string_view words[] = {"1d", "2d", "3d", "4d", "5d"};
  std::uint32_t rank = 0;
  for (const std::string_view word : words) {
    ++rank;
    if (modifiers.has(word)) return rank;
  }
  return 0;
}

/// Fills a TensorCopy.
class Description {
 public:
  explicit Description(FunctionLowering& lowering)
      : lowering_(lowering),
        b_(lowering.builder()),
        memory_(lowering.entry_alloca(
            llvm::ArrayType::get(b_.getInt64Ty(), (sizeof(TensorCopy) + 7) / 8), "copy")) {
    b_.CreateMemSet(memory_, b_.getInt8(0), sizeof(TensorCopy), llvm::Align(8));
    put(offsetof(TensorCopy, reduction), b_.getInt32(TensorCopy::no_reduction));
    put_kind(TensorKind::Tiled);
  }

  void put(std::size_t offset, llvm::Value* value) {
    b_.CreateAlignedStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), memory_, offset),
                          llvm::Align(2));
  }
  void put_kind(TensorKind kind) {
    put(offsetof(TensorCopy, kind), b_.getInt32(static_cast<std::uint32_t>(kind)));
  }
  /// With `named_rows`, so many of them instead of coordinate 1.
  bool put_coordinates(const Operand& operand, std::uint32_t rank, std::uint32_t named_rows) {
    const std::vector<Operand> given = lowering_.elements(operand);
    if (given.size() != (named_rows != 0 ? 1 + named_rows : rank)) return false;
    put(offsetof(TensorCopy, named_rows), b_.getInt32(named_rows));
    for (std::size_t i = 0; i < given.size(); ++i)
      put(offsetof(TensorCopy, coordinates) + i * sizeof(std::int32_t),
          lowering_.read_bits(given[i], 32));
    put(offsetof(TensorCopy, rank), b_.getInt32(rank));
    return true;
  }
  bool put_offsets(const Operand& operand, std::uint32_t count) {
    const std::vector<Operand> given = lowering_.elements(operand);
    if (given.size() != count) return false;
    for (std::size_t i = 0; i < given.size(); ++i)
      put(offsetof(TensorCopy, offsets) + i * sizeof(std::uint16_t),
          lowering_.read_bits(given[i], 16));
    return true;
  }
  llvm::Value* memory() const { return memory_; }

 private:
  FunctionLowering& lowering_;
  llvm::IRBuilder<>& b_;
  llvm::Value* memory_;
};

/// [map, {coordinates}]: the map's host address, or null.
llvm::Value* map_of(FunctionLowering& lowering, const Operand& operand, std::uint32_t rank,
                    std::uint32_t named_rows, Description& description) {
  if (operand.kind != Operand::Kind::TexCoords || operand.elements.size() != 2) return nullptr;
  if (!description.put_coordinates(operand.elements[1], rank, named_rows)) return nullptr;
  return lowering.builder().CreateIntToPtr(lowering.read_bits(operand.elements[0], 64),
                                           lowering.builder().getPtrTy());
}

/// Of .tile::gather4 and .tile::scatter4.
std::uint32_t named_rows_of(const ptx::Modifiers& modifiers) {
  return modifiers.has("tile::gather4") || modifiers.has("tile::scatter4") ? 4 : 0;
}

/// What the mode of a load says.
TensorKind kind_of(const ptx::Modifiers& modifiers) {
  if (modifiers.has("im2col")) return TensorKind::Im2col;
  if (modifiers.has("im2col::w")) return TensorKind::Im2colWide;
  return modifiers.has("im2col::w::128") ? TensorKind::Im2colWide128 : TensorKind::Tiled;
}

bool emit_load(FunctionLowering& lowering, const ptx::Instruction& instruction,
               std::uint32_t rank) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  llvm::IRBuilder<>& b = lowering.builder();
  const TensorKind kind = kind_of(modifiers);
  const bool is_im2col = kind != TensorKind::Tiled,
             is_multicast = modifiers.has("multicast::cluster");
  const std::size_t needed =
      3 + (is_im2col ? 1 : 0) + (is_multicast ? 1 : 0) + (modifiers.has("L2::cache_hint") ? 1 : 0);
  if (operands.size() != needed || !modifiers.has("mbarrier::complete_tx::bytes")) return false;
  const bool to_cluster = modifiers.has("shared::cluster");
  Description copy(lowering);
  llvm::Value* map = map_of(lowering, operands[1], rank, named_rows_of(modifiers), copy);
  if (map == nullptr) return false;
  if (is_im2col) {
    const std::uint32_t offsets = kind == TensorKind::Im2col ? rank - 2 : 2;
    if (rank < 3 || !copy.put_offsets(operands[3], offsets)) return false;
    copy.put_kind(kind);
  }
  if (is_multicast) {
    use_cluster(lowering);
    copy.put(offsetof(TensorCopy, blocks), lowering.read_bits(operands[is_im2col ? 4 : 3], 16));
  }
  lowering.runtime_call(
      "pycuda_cpu_tensor_load", b.getVoidTy(),
      {lowering.thread(), bulk_pointer(lowering, operands[0], Space::Shared, to_cluster), map,
       bulk_pointer(lowering, operands[2], Space::Shared, to_cluster), copy.memory()});
  return true;
}

bool emit_store(FunctionLowering& lowering, const ptx::Instruction& instruction,
                std::uint32_t rank) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  llvm::IRBuilder<>& b = lowering.builder();
  const std::size_t needed = 2 + (modifiers.has("L2::cache_hint") ? 1 : 0);
  if (operands.size() != needed || !modifiers.has("bulk_group")) return false;
  Description copy(lowering);
  llvm::Value* map = map_of(lowering, operands[0], rank, named_rows_of(modifiers), copy);
  if (map == nullptr) return false;
  if (modifiers.has("im2col_no_offs")) copy.put_kind(TensorKind::Im2col);
  if (modifiers.has("reduce")) {
    const auto operation = bulk_operation_of(modifiers);
    if (!operation) return false;
    copy.put(offsetof(TensorCopy, reduction), b.getInt32(static_cast<std::uint32_t>(*operation)));
  }
  lowering.runtime_call("pycuda_cpu_tensor_store", b.getVoidTy(),
                        {lowering.thread(), map,
                         bulk_pointer(lowering, operands[1], Space::Shared, false), copy.memory()});
  return true;
}

}  // namespace

bool emit_tensor_copy(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("prefetch")) return true;
  if (modifiers.has("cta_group::1") || modifiers.has("cta_group::2")) return false;
  const std::uint32_t rank = rank_of(modifiers);
  if (rank == 0 || !modifiers.has_space) return false;
  lowering.track_line();
  return modifiers.space == Space::Global ? emit_store(lowering, instruction, rank)
                                          : emit_load(lowering, instruction, rank);
}

}  // namespace pycuda::cpu::lower
