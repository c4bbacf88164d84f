// SPDX-License-Identifier: MIT
// Emitter: mma.sync and mma.sp, the product of two matrices that a warp holds in registers.
#include "cpu/lower/emitter.h"
#include "cpu/lower/matrix_tile.h"
#include "cpu/lower/scaled_tile.h"
#include "cpu/lower/sparse_tile.h"

namespace pycuda::cpu::lower {
namespace {

/// What the modifiers say.
struct Form {
  MatrixShape shape;
  ProductTypes types;
  bool sparse = false;
  NarrowKind kind;
};

/// Whether narrow_kind has looked at it.
bool belongs_to_kind(std::string_view modifier) {
  return modifier.starts_with("kind::") || modifier == "block_scale" ||
         modifier.starts_with("scale_vec::") || modifier == "e2m1" || modifier == "e2m3" ||
         modifier == "e3m2" || modifier == "ue8m0" || modifier == "ue4m3";
}

std::optional<Form> form_of(const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  Form form;
  const auto kind = narrow_kind(instruction);
  if (kind) form.kind = *kind;
  std::optional<MatrixShape> shape;
  std::vector<std::string> orders;
  for (const std::string& modifier : modifiers.others) {
    if (const auto found = matrix_shape(modifier)) {
      shape = found;
    } else if (modifier == "row" || modifier == "col") {
      orders.push_back(modifier);
    } else if (modifier == "sp" || modifier == "sp::ordered_metadata") {
      form.sparse = true;
    } else if (kind ? !belongs_to_kind(modifier)
                    : modifier != "popc" && !narrow_matrix_type(modifier)) {
      return std::nullopt;
    }
  }
  const auto types = kind ? std::optional(kind->types) : product_types(modifiers);
  if (kind && form.sparse) return std::nullopt;
  if (!shape || !types || orders != std::vector<std::string>{"row", "col"}) return std::nullopt;
  form.shape = *shape;
  form.types = *types;
  return form;
}

/// The product, if there is code for it.
std::optional<TileProduct> product_of(const Form& form, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const MatrixShape& shape = form.shape;
  const bool volta = shape == MatrixShape{8, 8, 4} && form.types.a == MatrixType::F16;
  if (modifiers.satfinite && form.types.c != MatrixType::S32) return std::nullopt;
  if (volta || shape.columns != 8 || (shape.rows != 8 && shape.rows != 16)) return std::nullopt;
  const auto steps = steps_of(form.types.a, form.sparse ? shape.depth / 2 : shape.depth);
  if (!steps) return std::nullopt;
  TileProduct product;
  product.a = form.types.a;
  product.b = form.types.b;
  product.halves = shape.rows / 8;
  product.steps = *steps;
  product.saturate = modifiers.satfinite;
  product.parity = modifiers.atomic == ptx::AtomicOp::Xor;
  product.sparse = form.sparse;
  product.blocks = form.kind.blocks;
  product.scales_are_powers = form.kind.scales_are_powers;
  if (product.a == MatrixType::B1 && !product.parity && modifiers.atomic != ptx::AtomicOp::And)
    return std::nullopt;
  if (!form.sparse) return product;
  const auto holders = metadata_holders(product.a, shape.depth);
  if (!holders || shape.rows != 16) return std::nullopt;
  product.first_holder = static_cast<unsigned>(instruction.operands[5].bits) * *holders;
  return product.first_holder + *holders <= group_lanes ? std::optional(product) : std::nullopt;
}

}  // namespace

/// mma{.sp}.sync.aligned.shape.row.col{.satfinite}{.op.popc}.dtype.atype.btype.ctype d, a, b, c
/// {, metadata, selector}; mma.sync.aligned.shape.row.col.kind.block_scale{.scale_vec}.dtype.atype
/// .btype.ctype.stype d, a, b, c, scales, {byte, member}, scales, {byte, member}
bool emit_mma(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const auto form = form_of(instruction);
  const bool has_scales = form && form->kind.blocks != 0;
  if (!form || instruction.operands.size() != (form->sparse ? 6 : has_scales ? 8 : 4)) return false;
  const auto product = product_of(*form, instruction);
  if (!product) return false;
  const ProductTypes& types = form->types;
  const std::vector<ptx::Operand> d = lowering.elements(instruction.operands[0]);
  const std::vector<ptx::Operand> a = lowering.elements(instruction.operands[1]);
  const std::vector<ptx::Operand> b = lowering.elements(instruction.operands[2]);
  const std::vector<ptx::Operand> c = lowering.elements(instruction.operands[3]);
  const std::size_t of_a = std::size_t{product->halves} * product->steps;
  const std::size_t of_b = std::size_t{product->steps} * (form->sparse ? 2 : 1);
  const auto registers = [&](MatrixType type) {
    return std::size_t{product->halves} * (type == MatrixType::F16 ? 1 : 2);
  };
  if (a.size() != of_a || b.size() != of_b || c.size() != registers(types.c) ||
      d.size() != registers(types.d)) {
    lowering.fail("takes " + std::to_string(registers(types.d)) + ", " + std::to_string(of_a) +
                  ", " + std::to_string(of_b) + " and " + std::to_string(registers(types.c)) +
                  " registers");
    return true;
  }
  TileFactors factors;
  factors.a = read_registers(lowering, a, types.a);
  factors.b = read_registers(lowering, b, types.b);
  if (has_scales) {
    factors.metadata = read_scales(lowering, instruction);
    if (factors.metadata.empty()) return false;
  }
  if (form->sparse) factors.metadata = {lowering.read_bits(instruction.operands[4], 32)};
  write_sums(lowering, d, types.d,
             multiply_tiles(lowering, *product, factors, read_sums(lowering, c, types.c)));
  return true;
}

}  // namespace pycuda::cpu::lower
