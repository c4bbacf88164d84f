// SPDX-License-Identifier: MIT
// Gather and scatter: reads and writes of elements selected by index arrays.
#pragma once

#include <span>

#include "array/elementwise.h"
#include "array/indexing_source.h"

namespace pycuda::array {

/// Indices along the first axes of `indexed`, one array for each such axis (all int32 or all
/// int64), broadcast together; negative ones count from the end. `values` has the shape of the
/// indices, followed by the axes that are not indexed.
struct Selection {
  ArrayRef indexed;
  std::span<const ArrayRef> indices;
  ArrayRef values;
};

/// values = indexed[indices], or the other way round; both have the same type. When `check` is set,
/// waits for the work and returns whether all indices were in range: those that were not touch
/// nothing. Otherwise all must be in range, and it returns true at once. Where several indices name
/// one element, any of the values stays there.
bool read_selection(ArrayContext& context, const Selection& selection, CUstream stream, bool check);
bool write_selection(ArrayContext& context, const Selection& selection, CUstream stream,
                     bool check);

}  // namespace pycuda::array
