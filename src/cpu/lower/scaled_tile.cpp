// SPDX-License-Identifier: MIT
#include "cpu/lower/scaled_tile.h"

#include <string>
#include <string_view>
#include <utility>

#include "cpu/lower/float_ops.h"
#include "cpu/lower/matrix_element.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

std::optional<MatrixType> type_named(std::string_view word, bool is_packed) {
  constexpr std::pair<std::string_view, MatrixType> types[] = {
      {"f32", MatrixType::F32},   {"f16", MatrixType::F16},   {"e4m3", MatrixType::E4M3},
      {"e5m2", MatrixType::E5M2}, {"e2m3", MatrixType::E2M3}, {"e3m2", MatrixType::E3M2}};
  for (const auto& [name, type] : types) {
    if (word == name) return type;
  }
  if (word == "e2m1") return is_packed ? MatrixType::PackedE2M1 : MatrixType::E2M1;
  return std::nullopt;
}

/// d, a, b and c, in the order in which the instruction names them.
std::optional<ProductTypes> types_of(std::string_view text, bool is_packed) {
  std::vector<MatrixType> types;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (const auto type = type_named(text.substr(0, dot), is_packed)) types.push_back(*type);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  if (types.size() != 4) return std::nullopt;
  return ProductTypes{types[1], types[2], types[3], types[0]};
}

/// The number in a register of 16 bits, or a constant, as an i32.
Value* selector(FunctionLowering& lowering, const ptx::Operand& operand) {
  llvm::IRBuilder<>& b = lowering.builder();
  return b.CreateZExt(lowering.read_bits(operand, 16), b.getInt32Ty());
}

}  // namespace

std::optional<NarrowKind> narrow_kind(const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool is_packed = modifiers.has("kind::mxf4") || modifiers.has("kind::mxf4nvf4");
  const bool has_scales = is_packed || modifiers.has("kind::mxf8f6f4");
  if (!has_scales && !modifiers.has("kind::f8f6f4")) return std::nullopt;
  const auto types = types_of(instruction.text, is_packed);
  if (!types) return std::nullopt;
  NarrowKind kind;
  kind.types = *types;
  kind.scales_are_powers = !modifiers.has("ue4m3");
  if (has_scales) kind.blocks = modifiers.has("scale_vec::4X") ? 4 : is_packed ? 2 : 1;
  return kind;
}

std::vector<Value*> read_scales(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  std::vector<Value*> values;
  for (const std::size_t first : {4, 6}) {
    const std::vector<ptx::Operand> word = lowering.elements(instruction.operands[first]);
    const std::vector<ptx::Operand> chosen = lowering.elements(instruction.operands[first + 1]);
    if (word.size() != 1 || chosen.size() != 2) return {};
    Value* bytes = b.CreateShl(b.CreateAnd(selector(lowering, chosen[0]), 3), 3);
    Value* const members = b.CreateAnd(selector(lowering, chosen[1]), group_lanes - 1);
    values.push_back(b.CreateLShr(lowering.read_bits(word[0], 32), bytes));
    values.push_back(members);
  }
  return values;
}

Scales::Scales(FunctionLowering& lowering, const TileProduct& product,
               const std::vector<Value*>& metadata)
    : lowering_(lowering), b_(lowering.builder()), blocks_(product.blocks) {
  Value* const member = member_of_group(lowering);
  Value* const first_of_group = b_.CreateSub(lane_number(lowering), member);
  // One of two neighbours, who hold the scales of the upper and of the lower rows.
  Value* const pair = b_.CreateShl(b_.CreateAnd(metadata[1], 1), 1);
  std::vector<Value*> rows, columns;
  for (const unsigned half : {0u, 1u}) {
    Value* holder = b_.CreateAdd(b_.CreateAdd(first_of_group, pair), b_.getInt32(half));
    rows.push_back(from_lane(lowering, metadata[0], holder));
  }
  for (const unsigned column : {0u, 1u}) {
    Value* group = b_.CreateAdd(b_.CreateShl(member, 1), b_.getInt32(column));
    Value* holder = b_.CreateAdd(b_.CreateShl(group, 2), metadata[3]);
    columns.push_back(from_lane(lowering, metadata[2], holder));
  }
  for (Value* row : rows) {
    for (Value* column : columns) {
      if (product.scales_are_powers) {
        add_powers(row, column);
      } else {
        add_numbers(row, column);
      }
    }
  }
}

Value* Scales::byte_of(Value* word, unsigned block) const {
  return b_.CreateAnd(b_.CreateLShr(word, std::uint64_t{8} * block), 0xff);
}

/// The product of two powers of two, again as a product of two. Terms are at least 2^-32 and less
/// than 2^32: beyond these exponents they are infinite or nothing anyway.
void Scales::add_powers(Value* left, Value* right) {
  constexpr int bias = 127, most = 162, least = -200;
  constexpr std::uint32_t not_a_number = 0xff, nan = 0x7fffffff;
  FloatOps ops(lowering_);
  for (unsigned block = 0; block < blocks_; ++block) {
    Value* const a = byte_of(left, block);
    Value* const b = byte_of(right, block);
    Value* exponent = b_.CreateSub(b_.CreateAdd(a, b), b_.getInt32(2 * bias));
    const auto number = [&](int value) { return b_.getInt32(static_cast<std::uint32_t>(value)); };
    exponent = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, exponent, number(most));
    exponent = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, exponent, number(least));
    Value* const half = b_.CreateAShr(exponent, 1);
    Value* const is_nan = b_.CreateOr(b_.CreateICmpEQ(a, b_.getInt32(not_a_number)),
                                      b_.CreateICmpEQ(b, b_.getInt32(not_a_number)));
    const auto power = [&](Value* of) { return b_.CreateShl(b_.CreateAdd(of, number(bias)), 23); };
    Value* const first = b_.CreateSelect(is_nan, b_.getInt32(nan), power(half));
    left_.push_back(ops.from_bits(first, b_.getFloatTy()));
    right_.push_back(ops.from_bits(power(b_.CreateSub(exponent, half)), b_.getFloatTy()));
  }
}

/// Numbers without a sign: bit 7 does not count.
void Scales::add_numbers(Value* left, Value* right) {
  for (unsigned block = 0; block < blocks_; ++block) {
    const auto number = [&](Value* word) {
      return element(lowering_, b_.CreateAnd(byte_of(word, block), 0x7f), MatrixType::E4M3, 0);
    };
    left_.push_back(number(left));
    right_.push_back(number(right));
  }
}

Value* Scales::scaled_left(Value* left, unsigned sum, unsigned block) const {
  return b_.CreateFMul(left, left_[sum * blocks_ + block]);
}

Value* Scales::scaled_right(Value* right, unsigned sum, unsigned block) const {
  return b_.CreateFMul(right, right_[sum * blocks_ + block]);
}

}  // namespace pycuda::cpu::lower
