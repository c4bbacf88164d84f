// SPDX-License-Identifier: MIT
// Emitter: mma.sync, the product of two matrices that a warp holds in registers.
#include "cpu/lower/emitter.h"
#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {

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
  const auto types = product_types(modifiers);
  if (!shape || !types || orders != std::vector<std::string>{"row", "col"}) return false;
  const bool volta = *shape == MatrixShape{8, 8, 4} && types->a == MatrixType::F16;
  if (modifiers.satfinite && types->c != MatrixType::S32) return false;
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
