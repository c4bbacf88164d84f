// SPDX-License-Identifier: MIT
// Emitter: mma.sync, the product of two matrices that a warp holds in registers.
#include <algorithm>

#include "cpu/lower/emitter.h"
#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {
namespace {

/// The types of a, b and of c and d. They are written d, a, b, c, the narrow ones (no types of
/// registers) among the other modifiers.
struct MmaTypes {
  MatrixType a{}, b{}, c{}, d{};
};

std::optional<MmaTypes> types_of(const ptx::Modifiers& modifiers) {
  std::vector<MatrixType> narrow;
  for (const std::string& modifier : modifiers.others) {
    if (const auto type = narrow_matrix_type(modifier)) narrow.push_back(*type);
  }
  std::vector<MatrixType> types;
  for (const ptx::Type type : modifiers.types) {
    const auto known = matrix_type(type);
    if (!known) return std::nullopt;
    types.push_back(*known);
  }
  if (types.size() == 2 && narrow.size() == 2) {
    return MmaTypes{narrow[0], narrow[1], types[1], types[0]};
  }
  if (types.size() == 4 && narrow.empty()) return MmaTypes{types[1], types[2], types[3], types[0]};
  return std::nullopt;
}

bool is_integer(MatrixType type) {
  return type == MatrixType::S8 || type == MatrixType::U8 || type == MatrixType::S4 ||
         type == MatrixType::U4 || type == MatrixType::B1;
}

/// Whether there are products of elements of the one type with those of the other.
bool fit(MatrixType a, MatrixType b) {
  if (a == b) return true;
  return a != MatrixType::B1 && b != MatrixType::B1 && is_integer(a) && is_integer(b) &&
         bits_of(a) == bits_of(b);
}

bool fit_sums(MatrixType factors, MatrixType sums) {
  if (is_integer(factors)) return sums == MatrixType::S32;
  if (factors == MatrixType::F64) return sums == MatrixType::F64;
  return sums == MatrixType::F32 || (factors == MatrixType::F16 && sums == MatrixType::F16);
}

}  // namespace

/// mma.sync.aligned.shape.row.col{.satfinite}{.op.popc}.dtype.atype.btype.ctype d, a, b, c
bool emit_mma(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 4) return false;
  std::optional<MatrixShape> shape;
  std::vector<std::string> orders;
  for (const std::string& modifier : modifiers.others) {
    if (const auto found = matrix_shape(modifier)) {
      shape = found;
    } else if (modifier == "row" || modifier == "col") {
      orders.push_back(modifier);
    } else if (modifier != "popc" && !narrow_matrix_type(modifier)) {
      return false;  // mma.sp, .kind and what else there is
    }
  }
  const auto types = types_of(modifiers);
  if (!shape || !types || orders != std::vector<std::string>{"row", "col"}) return false;
  if (!fit(types->a, types->b) || !fit_sums(types->a, types->c) || !fit_sums(types->a, types->d)) {
    return false;
  }
  const bool volta = *shape == MatrixShape{8, 8, 4} && types->a == MatrixType::F16;
  const auto steps = steps_of(types->a, shape->depth);
  if (volta || !steps || shape->columns != 8 || (shape->rows != 8 && shape->rows != 16)) {
    return false;
  }
  TileProduct product;
  product.a = types->a;
  product.b = types->b;
  product.halves = shape->rows / 8;
  product.steps = *steps;
  product.saturate = modifiers.satfinite;
  product.parity = modifiers.atomic == ptx::AtomicOp::Xor;
  if (types->a == MatrixType::B1 && !product.parity && modifiers.atomic != ptx::AtomicOp::And) {
    return false;
  }
  const std::vector<ptx::Operand> d = lowering.elements(instruction.operands[0]);
  const std::vector<ptx::Operand> a = lowering.elements(instruction.operands[1]);
  const std::vector<ptx::Operand> b = lowering.elements(instruction.operands[2]);
  const std::vector<ptx::Operand> c = lowering.elements(instruction.operands[3]);
  const auto registers = [&](MatrixType type) {
    return std::size_t{product.halves} * (type == MatrixType::F16 ? 1 : 2);
  };
  if (a.size() != std::size_t{product.halves} * product.steps || b.size() != product.steps ||
      c.size() != registers(types->c) || d.size() != registers(types->d)) {
    lowering.fail("takes " + std::to_string(registers(types->d)) + ", " +
                  std::to_string(product.halves * product.steps) + ", " +
                  std::to_string(product.steps) + " and " + std::to_string(registers(types->c)) +
                  " registers");
    return true;
  }
  write_sums(
      lowering, d, types->d,
      multiply_tiles(lowering, product, read_registers(lowering, a, types->a),
                     read_registers(lowering, b, types->b), read_sums(lowering, c, types->c)));
  return true;
}

}  // namespace pycuda::cpu::lower
