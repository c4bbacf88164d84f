// SPDX-License-Identifier: MIT
// wgmma.mma_async: what each lane hands to the product of its warp, which computes 16 of the 64
// rows.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

/// A warp operation beside those of WarpOp, of all 32 lanes: operand[0] is the address of the
/// lane's WarpGroupOperands, which gets the result too.
inline constexpr auto warp_group_product = static_cast<WarpOp>(64);

enum class MatrixType : std::uint8_t { F16 = 0, BF16, TF32, E4M3, E5M2, S8, U8, B1 };

inline constexpr std::uint32_t most_product_words = 128;

struct WarpGroupOperands {
  std::uint64_t a = 0, b = 0;     ///< descriptors of matrices in shared memory
  std::uint32_t a_words[4] = {};  ///< or the lane's part of a
  std::uint32_t columns = 8;      ///< of the product
  MatrixType a_type{}, b_type{};
  std::uint8_t halves = 0;  ///< the product is of f16, else of 32 bits
  std::uint8_t a_in_registers = 0;
  std::uint8_t negates_a = 0, negates_b = 0;
  std::uint8_t transposes_a = 0, transposes_b = 0;
  std::uint8_t saturates = 0;  ///< integers
  std::uint8_t adds = 0;       ///< to what is in `words`, else to 0
  std::uint8_t is_sparse = 0;  ///< a is compressed
  std::uint8_t selector = 0;   ///< whose metadata counts, where it is not everybody's
  std::uint32_t metadata = 0;  ///< of a sparse a, the lane's
  std::uint32_t words[most_product_words] = {};
};

}  // namespace pycuda::cpu
