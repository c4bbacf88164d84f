// SPDX-License-Identifier: MIT
// Emitters: ldmatrix, stmatrix, movmatrix: tiles of 8 x 8 halves between shared memory and the
// registers of a warp, and their transposes.
//
// Of each tile, lane 4 g + t holds elements 2 t and 2 t + 1 of row g. Where row i of tile m lies,
// lane 8 m + i says.
#include "cpu/lower/emitter.h"
#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

constexpr std::uint32_t row_bytes = 16;

class TileRows {
 public:
  TileRows(FunctionLowering& lowering, const ptx::Operand& address, ptx::Space space)
      : lowering_(lowering), space_(space) {
    llvm::IRBuilder<>& b = lowering.builder();
    if (space_ == ptx::Space::Generic && has_narrow_register(address)) {
      // The lower half of a generic address.
      space_ = ptx::Space::Shared;
      ptx::Operand half = address;
      half.kind = ptx::Operand::Kind::Register;
      own_ = lowering.read_bits(half, 32);
      base_ = b.CreatePtrToInt(lowering.shared_base(), b.getInt64Ty());
      own_ = b.CreateSub(own_, b.CreateTrunc(base_, b.getInt32Ty()));
      return;
    }
    own_ = b.CreatePtrToInt(lowering.pointer_to(address, space), b.getInt64Ty());
    if (space_ == ptx::Space::Shared) {
      base_ = b.CreatePtrToInt(lowering.shared_base(), b.getInt64Ty());
      own_ = b.CreateTrunc(b.CreateSub(own_, base_), b.getInt32Ty());
    }
  }

  /// Where the row lies whose number (of the tiles' rows, one after the other) is `row`.
  Value* start(Value* row) {
    llvm::IRBuilder<>& b = lowering_.builder();
    Value* there = from_lane(lowering_, own_, row);
    if (base_ == nullptr) return b.CreateIntToPtr(there, b.getPtrTy());
    return b.CreateGEP(b.getInt8Ty(), lowering_.shared_base(), b.CreateZExt(there, b.getInt64Ty()));
  }

  /// A pointer to `bytes` bytes of a row, tested.
  Value* part(Value* row_start, Value* offset, std::uint32_t bytes, bool is_write) {
    llvm::IRBuilder<>& b = lowering_.builder();
    Value* pointer = b.CreateGEP(b.getInt8Ty(), row_start, b.CreateZExt(offset, b.getInt64Ty()));
    lowering_.guard_access(pointer, space_, bytes, 1, is_write ? plain_write : plain_read);
    lowering_.check_alignment(row_start, row_bytes);
    return pointer;
  }

 private:
  bool has_narrow_register(const ptx::Operand& address) const {
    return address.has_register_base &&
           ptx::bits_of(lowering_.source().registers[address.reg].type) < 64;
  }

  FunctionLowering& lowering_;
  ptx::Space space_;
  Value* own_;             ///< where the lane's row lies: an offset in shared memory, or an address
  Value* base_ = nullptr;  ///< of shared memory
};

/// What a lane holds of each tile: two halves, in memory one after the other or, of a tile that is
/// transposed, in two rows. Calls `visit(tile, pointer, half)`, with half < 0 for both at once.
template <class Visit>
void visit_tiles(FunctionLowering& lowering, TileRows& rows, std::size_t tiles, bool transposed,
                 bool is_write, Visit&& visit) {
  llvm::IRBuilder<>& b = lowering.builder();
  Value* group = group_of_lane(lowering);
  Value* member = member_of_group(lowering);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    Value* first = b.getInt32(static_cast<std::uint32_t>(8 * tile));
    if (!transposed) {
      Value* start = rows.start(b.CreateAdd(first, group));
      visit(tile, rows.part(start, b.CreateShl(member, 2), 4, is_write), -1);
      continue;
    }
    for (int half : {0, 1}) {
      Value* row = b.CreateAdd(b.CreateShl(member, 1), b.getInt32(static_cast<unsigned>(half)));
      Value* start = rows.start(b.CreateAdd(first, row));
      visit(tile, rows.part(start, b.CreateShl(group, 1), 2, is_write), half);
    }
  }
}

/// Whether the modifiers are those of `tiles` tiles of 8 x 8 halves.
bool fits(const ptx::Modifiers& modifiers, std::size_t tiles) {
  for (const std::string& modifier : modifiers.others) {
    if (modifier != "m8n8" && modifier != "trans" && modifier != "x" + std::to_string(tiles)) {
      return false;
    }
  }
  return modifiers.has("m8n8") && modifiers.type() == ptx::Type::B16 &&
         modifiers.has("x" + std::to_string(tiles));
}

/// ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 r, [p]
bool emit_load(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 2) return false;
  const std::vector<ptx::Operand> destinations = lowering.elements(instruction.operands[0]);
  if (!fits(modifiers, destinations.size())) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  TileRows rows(lowering, instruction.operands[1],
                modifiers.has_space ? modifiers.space : ptx::Space::Generic);
  std::vector<Value*> tiles(destinations.size(), b.getInt32(0));
  visit_tiles(lowering, rows, tiles.size(), modifiers.has("trans"), false,
              [&](std::size_t tile, Value* pointer, int half) {
                if (half < 0) {
                  tiles[tile] = b.CreateAlignedLoad(b.getInt32Ty(), pointer, llvm::Align(4));
                  return;
                }
                Value* value = b.CreateAlignedLoad(b.getInt16Ty(), pointer, llvm::Align(2));
                value = b.CreateZExt(value, b.getInt32Ty());
                tiles[tile] = b.CreateOr(tiles[tile], half == 0 ? value : b.CreateShl(value, 16));
              });
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    lowering.write(destinations[tile], tiles[tile]);
  }
  return true;
}

/// stmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 [p], r
bool emit_store(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 2) return false;
  const std::vector<ptx::Operand> sources = lowering.elements(instruction.operands[1]);
  if (!fits(modifiers, sources.size())) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  std::vector<Value*> tiles;
  tiles.reserve(sources.size());
  for (const ptx::Operand& source : sources) tiles.push_back(lowering.read_bits(source, 32));
  TileRows rows(lowering, instruction.operands[0],
                modifiers.has_space ? modifiers.space : ptx::Space::Generic);
  visit_tiles(lowering, rows, tiles.size(), modifiers.has("trans"), true,
              [&](std::size_t tile, Value* pointer, int half) {
                if (half < 0) {
                  b.CreateAlignedStore(tiles[tile], pointer, llvm::Align(4));
                  return;
                }
                Value* value = half == 0 ? tiles[tile] : b.CreateLShr(tiles[tile], 16);
                b.CreateAlignedStore(b.CreateTrunc(value, b.getInt16Ty()), pointer, llvm::Align(2));
              });
  return true;
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a
bool emit_transpose(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 2 || !modifiers.has("m8n8") || !modifiers.has("trans") ||
      modifiers.type() != ptx::Type::B16) {
    return false;
  }
  llvm::IRBuilder<>& b = lowering.builder();
  Value* tile = lowering.read_bits(instruction.operands[1], 32);
  Value* group = group_of_lane(lowering);
  // Element (2 t + half, g) is held by member g / 2 of group 2 t + half, in half g % 2.
  Value* upper = b.CreateTrunc(group, b.getInt1Ty());
  Value* result = nullptr;
  for (std::uint32_t half : {0u, 1u}) {
    Value* row = b.CreateAdd(b.CreateShl(member_of_group(lowering), 1), b.getInt32(half));
    Value* holder = b.CreateAdd(b.CreateShl(row, 2), b.CreateLShr(group, 1));
    Value* pair = from_lane(lowering, tile, holder);
    pair = b.CreateSelect(upper, b.CreateLShr(pair, 16), b.CreateAnd(pair, 0xffff));
    result = result ? b.CreateOr(result, b.CreateShl(pair, 16)) : pair;
  }
  lowering.write(instruction.operands[0], result);
  return true;
}

}  // namespace

bool emit_matrix_move(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::ldmatrix:
      return emit_load(lowering, instruction);
    case ptx::Opcode::stmatrix:
      return emit_store(lowering, instruction);
    case ptx::Opcode::movmatrix:
      return emit_transpose(lowering, instruction);
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
