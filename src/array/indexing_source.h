// SPDX-License-Identifier: MIT
// Generates the CUDA C++ source of gather and scatter kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "array/kernel_source.h"

namespace pycuda::array {

inline constexpr std::size_t max_index_arrays = 4;
/// Threads of a block that moves a row, or part of one, if the row is long enough.
inline constexpr int row_threads = 256;

/// What such a kernel is made for. Its arrays are the values, the indexed one, then the indices.
///
/// Parameters: the address of each; the number of values (index_t: u64 if `wide_index`, else u32);
/// where to note an index that is out of range (int*); for each array of indices the length of its
/// axis and that axis's stride (two rows of i64). If `ndim` > 0, the lengths of the walk (u64 or
/// Divisors, by `wide_index`), then its strides for each array in bytes (rows of i64). A thread
/// moves one element; if `rows`, `per_thread` of one row of the walk's last dimension, along which
/// no array has indices, and the number of blocks for a row (u32) comes last.
struct SelectionKey {
  int ndim = 0;
  int indices = 1;
  int bytes = 4;             ///< of an element: 1, 2, 4, 8 or 16
  int index_bytes = 8;       ///< of an index: 4 or 8
  bool writes = false;       ///< indexed[indices] = values, not the other way round
  bool checks = true;        ///< indices may be out of range
  bool wide_index = false;   ///< more than 2^31 - 1 values
  bool wide_offset = false;  ///< some array, or an axis that is indexed, is longer than 2^31 - 1
  bool rows = false;
  int per_thread = 1;       ///< of a row: a power of two up to 8
  bool dense_step = false;  ///< the last indexed axis has elements side by side
  std::array<Inner, 2 + max_index_arrays> inner{};  ///< along the walk's last dimension

  /// Below 2^61.
  std::uint64_t number() const;
  std::string source() const;
};

}  // namespace pycuda::array
