// SPDX-License-Identifier: MIT
// Types of values and of what is computed.
#pragma once

#include "cusparse/handle.h"

namespace pycuda::cusparse {

/// Calls `run` with a number of the type that sums are computed in.
template <class Run>
void with_type(DataType compute, const Run& run) {
  switch (compute) {
    case kFloat:
      return run(float{});
    case kComplexFloat:
      return run(ComplexFloat{});
    case kComplexDouble:
      return run(ComplexDouble{});
    default:  // 32-bit integers are exact in a double
      return run(double{});
  }
}

/// Refuses what is not documented for products.
inline void require_types(DataType compute, std::initializer_list<DataType> from, DataType to) {
  const bool is_same =
      std::ranges::all_of(from, [&](DataType one) { return one == *from.begin(); });
  const DataType one = *from.begin();
  const bool is_small = one == kHalf || one == kBfloat16 || one == kInt8;
  const bool fits = compute == kFloat
                        ? (one == kFloat && to == kFloat) ||
                              (is_small && (to == kFloat || (to == one && one != kInt8)))
                    : compute == kInt32 ? one == kInt8 && to == kInt32
                                        : one == compute && to == compute;
  const bool is_known = compute == kFloat || compute == kDouble || compute == kInt32 ||
                        compute == kComplexFloat || compute == kComplexDouble;
  if (!is_same || !fits || !is_known)
    throw Refusal{Outcome::NotSupported, "this combination of types is not supported"};
}

}  // namespace pycuda::cusparse
