// SPDX-License-Identifier: MIT
#include "array/layout.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace pycuda::array {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool contiguous(const Layout& layout, std::int64_t item_bytes, bool fortran) {
  std::int64_t expected = item_bytes;
  bool answer = true;
  for (int step = 0; step < layout.ndim; ++step) {
    const std::size_t i = at(fortran ? step : layout.ndim - 1 - step);
    if (layout.shape[i] == 0) return true;
    if (layout.shape[i] == 1) continue;
    if (layout.strides[i] != expected) answer = false;
    expected *= layout.shape[i];
  }
  return answer;
}

/// Axes by falling absolute stride; equal ones keep their order.
void sort_axes(const Layout& layout, std::array<int, max_dims>& order) {
  std::iota(order.begin(), order.begin() + layout.ndim, 0);
  std::stable_sort(order.begin(), order.begin() + layout.ndim, [&](int a, int b) {
    return std::abs(layout.strides[at(a)]) > std::abs(layout.strides[at(b)]);
  });
}

Walk merge(std::span<const Layout* const> layouts, const std::array<int, max_dims>& order) {
  Walk walk;
  walk.operands = static_cast<int>(layouts.size());
  const Layout& first = *layouts[0];
  for (int step = 0; step < first.ndim; ++step) {
    const std::size_t axis = at(order[at(step)]);
    const std::int64_t length = first.shape[axis];
    walk.size *= length;
    if (length == 1) continue;
    bool merges = walk.ndim > 0;
    for (std::size_t k = 0; merges && k < layouts.size(); ++k) {
      merges = walk.strides[k][at(walk.ndim - 1)] == layouts[k]->strides[axis] * length;
    }
    if (!merges) walk.shape[at(walk.ndim++)] = 1;
    walk.shape[at(walk.ndim - 1)] *= length;
    for (std::size_t k = 0; k < layouts.size(); ++k) {
      walk.strides[k][at(walk.ndim - 1)] = layouts[k]->strides[axis];
    }
  }
  return walk;
}

}  // namespace

bool Layout::same_shape(const Layout& other) const {
  return ndim == other.ndim && std::equal(shape.begin(), shape.begin() + ndim, other.shape.begin());
}

bool Layout::same_strides(const Layout& other) const {
  return ndim == other.ndim &&
         std::equal(strides.begin(), strides.begin() + ndim, other.strides.begin());
}

void fill_dense_strides(Layout& layout, std::int64_t item_bytes, bool fortran) {
  std::int64_t step = item_bytes;
  for (int k = 0; k < layout.ndim; ++k) {
    const std::size_t i = at(fortran ? k : layout.ndim - 1 - k);
    layout.strides[i] = step;
    step *= std::max<std::int64_t>(layout.shape[i], 1);
  }
}

void fill_strides_like(Layout& layout, std::int64_t item_bytes, const Layout& like) {
  std::array<int, max_dims> order;
  sort_axes(like, order);
  std::int64_t step = item_bytes;
  for (int k = layout.ndim - 1; k >= 0; --k) {
    const std::size_t i = at(order[at(k)]);
    layout.strides[i] = step;
    step *= std::max<std::int64_t>(layout.shape[i], 1);
  }
}

bool is_c_contiguous(const Layout& layout, std::int64_t item_bytes) {
  return contiguous(layout, item_bytes, false);
}

bool is_f_contiguous(const Layout& layout, std::int64_t item_bytes) {
  return contiguous(layout, item_bytes, true);
}

bool is_dense(const Layout& layout, std::int64_t item_bytes) {
  if (is_c_contiguous(layout, item_bytes)) return true;
  std::array<int, max_dims> order;
  sort_axes(layout, order);
  std::int64_t expected = item_bytes;
  for (int k = layout.ndim - 1; k >= 0; --k) {
    const std::size_t i = at(order[at(k)]);
    if (layout.shape[i] == 0) return true;
    if (layout.shape[i] == 1) continue;
    if (layout.strides[i] != expected) return false;
    expected *= layout.shape[i];
  }
  return true;
}

Extent extent_of(const Layout& layout, std::int64_t item_bytes) {
  Extent extent{0, item_bytes};
  for (int i = 0; i < layout.ndim; ++i) {
    if (layout.shape[at(i)] == 0) return {0, 0};
    const std::int64_t reach = (layout.shape[at(i)] - 1) * layout.strides[at(i)];
    (reach < 0 ? extent.first : extent.last) += reach;
  }
  return extent;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

namespace {

/// Together two small views may be more than numbers of 64 bits count bytes of.
void check_size(const Layout& layout) {
  constexpr std::int64_t most = std::int64_t{1} << 56;
  std::int64_t size = 1;
  for (const std::int64_t length : layout.shape_span()) {
    if (length == 0) return;
    if (__builtin_mul_overflow(size, length, &size)) size = most + 1;
    size = std::min(size, most + 1);
  }
  if (size > most)
    throw ShapeMismatch("an array of shape " + shape_text(layout.shape_span()) + " is too large");
}

}  // namespace

void broadcast_shape(Layout& result, const Layout& other) {
  const Layout before = result;
  const int ndim = std::max(result.ndim, other.ndim);
  result.ndim = ndim;
  for (int k = 1; k <= ndim; ++k) {
    const std::int64_t mine = k <= before.ndim ? before.shape[at(before.ndim - k)] : 1;
    const std::int64_t theirs = k <= other.ndim ? other.shape[at(other.ndim - k)] : 1;
    if (mine != theirs && mine != 1 && theirs != 1) {
      throw ShapeMismatch("operands could not be broadcast together with shapes " +
                          shape_text(before.shape_span()) + " " + shape_text(other.shape_span()));
    }
    result.shape[at(ndim - k)] = mine == 1 ? theirs : mine;
  }
  check_size(result);
}

Layout broadcast_to(const Layout& layout, const Layout& target) {
  Layout seen;
  seen.ndim = target.ndim;
  for (int k = 1; k <= std::max(target.ndim, layout.ndim); ++k) {
    const std::int64_t wanted = k <= target.ndim ? target.shape[at(target.ndim - k)] : 1;
    const std::int64_t length = k <= layout.ndim ? layout.shape[at(layout.ndim - k)] : 1;
    if ((k > target.ndim && length != 1) || (k <= target.ndim && length != wanted && length != 1)) {
      throw ShapeMismatch("could not broadcast from shape " + shape_text(layout.shape_span()) +
                          " into shape " + shape_text(target.shape_span()));
    }
    if (k > target.ndim) continue;
    seen.shape[at(target.ndim - k)] = wanted;
    seen.strides[at(target.ndim - k)] =
        k <= layout.ndim && length != 1 ? layout.strides[at(layout.ndim - k)] : 0;
  }
  return seen;
}

Walk collapse(std::span<const Layout* const> layouts) {
  std::array<int, max_dims> order;
  sort_axes(*layouts[0], order);
  return merge(layouts, order);
}

Walk collapse_in_order(std::span<const Layout* const> layouts) {
  std::array<int, max_dims> order;
  std::iota(order.begin(), order.begin() + layouts[0]->ndim, 0);
  return merge(layouts, order);
}

}  // namespace pycuda::array
