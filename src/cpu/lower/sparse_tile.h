// SPDX-License-Identifier: MIT
// Products with a sparse left factor (mma.sp): of every chunk along k only some elements of a are
// held, as if they were a matrix of half the depth, and metadata says which ones they are.
//
// Of 16-bit and 8-bit elements two of a chunk of four are held, of 4-bit elements two pairs of a
// chunk of four pairs, and of tf32 one of a chunk of two. A chunk of a row has 4 bits of metadata,
// the places of its two elements or pairs, the first one's lowest; of tf32 the places of the two
// halves of 16 bits that make up the element.
//
// A word of metadata has, from its lowest bits on, the 4 chunks of row g and then those of row
// 8 + g, or with elements of at most 8 bits 8 chunks of one row. Members of a group of lanes hold
// the words one after another along k; two after another with elements of at most 8 bits, for the
// rows g and 8 + g.
#pragma once

#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {

/// How many members of a group hold metadata of an a of that depth, not compressed; nothing if
/// there is no such sparse product.
std::optional<unsigned> metadata_holders(MatrixType type, unsigned depth);

/// Each sum of the product of one tile, with what it starts from. `product.steps` are those of the
/// compressed a.
std::vector<llvm::Value*> add_sparse_products(FunctionLowering& lowering,
                                              const TileProduct& product,
                                              const TileFactors& factors,
                                              std::vector<llvm::Value*> c);

}  // namespace pycuda::cpu::lower
