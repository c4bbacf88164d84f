// SPDX-License-Identifier: MIT
// Where the elements of a matrix lie.
#pragma once

#include "cublaslt/descriptors.h"
#include "cublaslt/handle.h"
#include "hostblas/elements.h"

namespace pycuda::cublaslt {

inline DataType type_of(const MatrixLayout& layout) { return static_cast<DataType>(layout.type); }
inline Int rows_of(const MatrixLayout& layout) { return static_cast<Int>(layout.rows); }
inline Int columns_of(const MatrixLayout& layout) { return static_cast<Int>(layout.columns); }

/// The index of an element. Tiles are stored one below the other, in groups of 32 columns.
inline Int index_of(const MatrixLayout& layout, Int row, Int column) {
  switch (layout.order) {
    case kRows:
      return row * layout.leading + column;
    case kTiles32:
      return column / 32 * layout.leading + row * 32 + column % 32;
    case kTiles32By32: {
      const Int within = row % 32;
      const Int line = ((within % 8) / 2 * 4 + within / 8) * 2 + within % 2;
      return column / 32 * layout.leading + row / 32 * 1024 + line * 32 + column % 32;
    }
    default:
      return row + column * layout.leading;
  }
}

/// The smallest distance of columns, rows or groups of columns.
inline Int smallest_leading(const MatrixLayout& layout) {
  switch (layout.order) {
    case kRows:
      return columns_of(layout);
    case kTiles32:
      return 32 * rows_of(layout);
    case kTiles32By32:
      return 1024 * ((rows_of(layout) + 31) / 32);
    default:
      return rows_of(layout);
  }
}

/// The number of elements from the first to the last one.
inline std::uint64_t extent_of(const MatrixLayout& layout) {
  const Int rows = rows_of(layout);
  const Int columns = columns_of(layout);
  if (rows == 0 || columns == 0) return 0;
  if (layout.order == kTiles32By32)  // the last element of a tile may lie in the middle
    return static_cast<std::uint64_t>((columns - 1) / 32 * layout.leading +
                                      (rows + 31) / 32 * 1024);
  return static_cast<std::uint64_t>(index_of(layout, rows - 1, columns - 1)) + 1;
}

/// Refuses what no function can work with.
void require_layout(const MatrixLayout* layout, const char* what);

/// The matrices of a call, at distances or by an array of pointers on the device.
class Batch {
 public:
  Batch(const MatrixLayout& layout, const void* address)
      : address_(address),
        stride_(layout.stride * static_cast<Int>(bytes_of(type_of(layout)))),
        is_list_(layout.batch_mode == kPointers) {}
  /// When the stream has come so far.
  const void* at(Int index) const {
    return is_list_ ? static_cast<const void* const*>(address_)[index]
                    : static_cast<const std::byte*>(address_) + index * stride_;
  }
  void* writable_at(Int index) const { return const_cast<void*>(at(index)); }

 private:
  const void* address_;
  Int stride_;
  bool is_list_;
};

/// Refuses matrices outside of the device's memory.
void require_matrices(const StreamHandle& handle, const MatrixLayout& layout, const void* address,
                      const char* what);

}  // namespace pycuda::cublaslt
