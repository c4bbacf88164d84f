// SPDX-License-Identifier: MIT
// Elements chosen by arrays of indices: read from there, or written there.
#pragma once

#include <span>

#include "array/elementwise.h"

namespace pycuda::array {

inline constexpr std::size_t max_index_arrays = 4;

/// Indices along the first axes of `indexed`, one int64 array for each such axis, broadcast
/// together; negative ones count from the end. `values` has the shape of the indices, followed by
/// the axes that are not indexed.
struct Selection {
  ArrayRef indexed;
  std::span<const ArrayRef> indices;
  ArrayRef values;
};

/// values = indexed[indices], or the other way round; both have the same type. Indices that are
/// out of range touch nothing. When `check` is set, waits for the work and returns whether all were
/// in range; otherwise returns true at once. Where several indices name one element, any of the
/// values stays there.
bool read_selection(ArrayContext& context, const Selection& selection, CUstream stream, bool check);
bool write_selection(ArrayContext& context, const Selection& selection, CUstream stream,
                     bool check);

}  // namespace pycuda::array
