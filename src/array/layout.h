// SPDX-License-Identifier: MIT
// Shapes and strides: broadcasting, contiguity, and merging of dimensions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "array/dtype.h"
#include "driver/cuda_types.h"

namespace pycuda::array {

/// As many as NumPy allowed before version 2.
inline constexpr int max_dims = 32;

/// A shape with strides in bytes. Not cleared: only the first `ndim` entries count.
struct Layout {
  int ndim = 0;
  std::array<std::int64_t, max_dims> shape;
  std::array<std::int64_t, max_dims> strides;

  std::int64_t size() const {
    std::int64_t total = 1;
    for (int i = 0; i < ndim; ++i) total *= shape[static_cast<std::size_t>(i)];
    return total;
  }
  std::span<const std::int64_t> shape_span() const {
    return {shape.data(), static_cast<std::size_t>(ndim)};
  }
  bool same_shape(const Layout& other) const;
  bool same_strides(const Layout& other) const;
};

/// Dense, last axis fastest (`fortran`: first axis).
void fill_dense_strides(Layout& layout, std::int64_t item_bytes, bool fortran = false);
/// Dense, with the axes in the order of `like`'s strides; `like` has the same shape.
void fill_strides_like(Layout& layout, std::int64_t item_bytes, const Layout& like);
/// Axes of length 1, and all axes of an empty array, do not count.
bool is_c_contiguous(const Layout& layout, std::int64_t item_bytes);
bool is_f_contiguous(const Layout& layout, std::int64_t item_bytes);
/// Every byte between the first and the last element belongs to one element: in some order of axes
/// the array is contiguous.
bool is_dense(const Layout& layout, std::int64_t item_bytes);

/// Bytes before the address and past it that elements touch: [first, last).
struct Extent {
  std::int64_t first;
  std::int64_t last;
};
Extent extent_of(const Layout& layout, std::int64_t item_bytes);

/// The shape that both broadcast to, into `result` (its strides are not set). Throws ShapeMismatch.
void broadcast_shape(Layout& result, const Layout& other);
/// `layout` seen with the shape of `target`, stride 0 along new axes. Throws ShapeMismatch.
Layout broadcast_to(const Layout& layout, const Layout& target);

/// "(3, 4)", "(5,)", "()"
std::string shape_text(std::span<const std::int64_t> shape);

/// Several arrays walked together: one shape, strides of each. Not cleared, as layouts.
struct Walk {
  static constexpr int max_operands = 16;
  int ndim = 0;
  int operands = 0;
  std::int64_t size = 1;
  std::array<std::int64_t, max_dims> shape;
  std::array<std::array<std::int64_t, max_dims>, max_operands> strides;
};

/// The same elements in the same pairs with as few dimensions as possible: axes of length 1 go,
/// axes are sorted by the first operand's strides (largest first), and neighbours that all operands
/// step through evenly become one. All layouts have the same shape. The order in which elements are
/// met is not kept.
Walk collapse(std::span<const Layout* const> layouts);
/// The same, keeping the order in which elements are met.
Walk collapse_in_order(std::span<const Layout* const> layouts);

}  // namespace pycuda::array
