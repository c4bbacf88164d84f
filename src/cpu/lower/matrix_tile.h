// SPDX-License-Identifier: MIT
// Matrices that a warp holds together, as the manual lays them out for mma, and their product.
//
// Lane l is member t = l % 4 of group g = l / 4. A register holds p elements of an operand, next to
// one another along the inner axis k. Of a tile of 16 rows (8 where there are no second halves) and
// 8 columns, with h = 0 or 1 for its upper and lower half:
//   a, register h of step q:      row 8 h + g,      k = 4 p q + p t ...
//   b, register of step q:        column g,         k = 4 p q + p t ...
//   c and d, elements 2 h + {0,1}: row 8 h + g,     columns 2 t and 2 t + 1
// Every shape of mma with 8 columns is of this kind, but that of Volta (m8n8k4 of f16).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

/// Types of elements, the narrow ones that PTX has for matrices alone among them.
enum class MatrixType : std::uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S4,
  U4,
  B1,
  S32,
  E4M3,
  E5M2,
  E2M3,  ///< the lower six bits of a byte, as E3M2
  E3M2,
  E2M1,       ///< the middle four bits of a byte
  PackedE2M1  ///< four bits
};

std::optional<MatrixType> matrix_type(ptx::Type type);
std::optional<MatrixType> narrow_matrix_type(std::string_view modifier);  ///< "s4", "u4", "b1"
/// Bits of memory that an element takes: 32 for tf32.
unsigned bits_of(MatrixType type);
unsigned elements_in_register(MatrixType type);

/// Types of the matrices of a product.
struct ProductTypes {
  MatrixType a{}, b{}, c{}, d{};
};

/// They are written d, a, b, c, the narrow ones (no types of registers) among the other modifiers;
/// of wmma with factors of f16, d and c alone. Nothing if there is no such product.
std::optional<ProductTypes> product_types(const ptx::Modifiers& modifiers);

struct MatrixShape {
  unsigned rows = 0, columns = 0, depth = 0;  ///< m, n, k
  bool operator==(const MatrixShape&) const = default;
};

/// "m16n8k16"
std::optional<MatrixShape> matrix_shape(std::string_view modifier);

struct TileProduct {
  MatrixType a{}, b{};
  unsigned row_tiles = 1, column_tiles = 1;
  unsigned halves = 2;        ///< 2: 16 rows, 1: 8 rows
  unsigned steps = 1;         ///< registers of a half of a: depth / (4 elements)
  bool saturate = false;      ///< S32: clamped, not wrapped
  bool parity = false;        ///< B1: exclusive or, not and, before bits are counted
  bool sparse = false;        ///< `a` is compressed (sparse_tile.h)
  unsigned first_holder = 0;  ///< sparse: the first member of a group whose metadata counts
  unsigned blocks = 0;        ///< parts of the depth that have scales of their own (scaled_tile.h)
  bool scales_are_powers = true;  ///< ue8m0, else ue4m3
};

/// Registers as bits, tile after tile, step after step.
struct TileFactors {
  std::vector<llvm::Value*> a, b;
  std::vector<llvm::Value*> metadata;  ///< sparse: one; with scales: see scaled_tile.h
};

inline constexpr unsigned group_lanes = 4;

/// The number of steps that `depth` takes, or nothing if it is not a whole one.
std::optional<unsigned> steps_of(MatrixType type, unsigned depth);

/// The calling lane's part of d = a b + c. `c` has 2 * halves values for each tile (floats for sums
/// of halves too), those of the first row of tiles first. Each sum is added up along k, in
/// operations of its type that round once (a GPU's order and rounding of these sums is its own).
std::vector<llvm::Value*> multiply_tiles(FunctionLowering& lowering, const TileProduct& product,
                                         const TileFactors& factors,
                                         const std::vector<llvm::Value*>& c);

/// What another lane has of `value` (any number of whole words): shfl.idx of the whole warp, from
/// lane `source` (an i32), or from member `source` of the own group of four.
llvm::Value* from_lane(FunctionLowering& lowering, llvm::Value* value, llvm::Value* source);
llvm::Value* from_member(FunctionLowering& lowering, llvm::Value* value, unsigned source);
/// An i32: the lane's number, its group and its place there.
llvm::Value* lane_number(FunctionLowering& lowering);
llvm::Value* group_of_lane(FunctionLowering& lowering);
llvm::Value* member_of_group(FunctionLowering& lowering);

/// Values of c or d from the instruction's operands (halves come in pairs) as values of the sums'
/// type, and back.
std::vector<llvm::Value*> read_sums(FunctionLowering& lowering,
                                    const std::vector<ptx::Operand>& operands, MatrixType type);
void write_sums(FunctionLowering& lowering, const std::vector<ptx::Operand>& operands,
                MatrixType type, const std::vector<llvm::Value*>& values);
/// Registers as bits.
std::vector<llvm::Value*> read_registers(FunctionLowering& lowering,
                                         const std::vector<ptx::Operand>& operands,
                                         MatrixType type);

}  // namespace pycuda::cpu::lower
