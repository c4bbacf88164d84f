// SPDX-License-Identifier: MIT
#include "array/layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

using namespace pycuda::array;

namespace {

using Numbers = std::vector<std::int64_t>;

Layout layout_of(const Numbers& shape, const Numbers& strides) {
  Layout layout;
  layout.ndim = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), layout.shape.begin());
  std::copy(strides.begin(), strides.end(), layout.strides.begin());
  return layout;
}

Layout dense(const Numbers& shape, std::int64_t item_bytes, bool fortran = false) {
  Layout layout = layout_of(shape, shape);
  fill_dense_strides(layout, item_bytes, fortran);
  return layout;
}

Numbers strides_of(const Layout& layout) {
  return {layout.strides.begin(), layout.strides.begin() + layout.ndim};
}

/// The offsets of all elements, in the order of the axes (last one fastest).
template <class Shape, class Strides>
Numbers offsets(int ndim, const Shape& shape, const Strides& strides) {
  Numbers found = {0};
  for (int i = 0; i < ndim; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    Numbers next;
    for (const std::int64_t offset : found) {
      for (std::int64_t k = 0; k < shape[axis]; ++k) next.push_back(offset + k * strides[axis]);
    }
    found = std::move(next);
  }
  return found;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
Pairs paired(const Numbers& first, const Numbers& second) {
  Pairs pairs;
  for (std::size_t i = 0; i < first.size(); ++i) pairs.emplace_back(first[i], second[i]);
  return pairs;
}

}  // namespace

TEST_CASE("dense strides go from the last axis to the first, or the other way round") {
  CHECK(strides_of(dense({2, 3, 4}, 8)) == Numbers{96, 32, 8});
  CHECK(strides_of(dense({2, 3, 4}, 8, true)) == Numbers{8, 16, 48});
  CHECK(strides_of(dense({2, 0, 4}, 4)) == Numbers{16, 16, 4});
  CHECK(strides_of(dense({}, 4)).empty());
}

TEST_CASE("new arrays keep the order of the axes of their model") {
  const Layout model = layout_of({2, 3, 4}, {40, 800, 5});
  Layout made = model;
  fill_strides_like(made, 4, model);
  CHECK(strides_of(made) == Numbers{16, 32, 4});
}

TEST_CASE("contiguity does not look at axes of length one, nor at empty arrays") {
  CHECK(is_c_contiguous(layout_of({2, 1, 3}, {12, 999, 4}), 4));
  CHECK(is_f_contiguous(layout_of({1, 3}, {-7, 4}), 4));
  CHECK(is_c_contiguous(layout_of({2, 0}, {1, 1}), 4));
  CHECK_FALSE(is_c_contiguous(layout_of({2, 3}, {4, 8}), 4));
  CHECK(is_f_contiguous(layout_of({2, 3}, {4, 8}), 4));
  CHECK_FALSE(is_c_contiguous(layout_of({3}, {-4}), 4));
  CHECK_FALSE(is_c_contiguous(layout_of({3}, {0}), 4));
  CHECK(is_dense(layout_of({3, 2, 4}, {4, 48, 12}), 4));
  CHECK_FALSE(is_dense(layout_of({3, 2}, {4, 16}), 4));
}

TEST_CASE("the extent covers every element, on both sides of the address") {
  const Extent extent = extent_of(layout_of({3, 4}, {-40, 8}), 4);
  CHECK(extent.first == -80);
  CHECK(extent.last == 28);
  const Extent none = extent_of(layout_of({3, 0}, {8, 8}), 4);
  CHECK(none.first == none.last);
}

TEST_CASE("offsets beyond 32 bits are counted in 64") {
  const Layout huge = dense({70000, 70000}, 8);
  CHECK(huge.size() == std::int64_t{4900000000});
  CHECK(strides_of(huge) == Numbers{560000, 8});
  CHECK(extent_of(huge, 8).last == std::int64_t{39200000000});
  const Layout* layout = &huge;
  const Walk walk = collapse(std::span(&layout, 1));
  CHECK(walk.ndim == 1);
  CHECK(walk.size == std::int64_t{4900000000});
  CHECK(walk.shape[0] == walk.size);
}

TEST_CASE("shapes broadcast by NumPy's rules") {
  Layout shape = dense({3, 1}, 4);
  broadcast_shape(shape, dense({5, 1, 4}, 4));
  CHECK(shape_text(shape.shape_span()) == "(5, 3, 4)");
  broadcast_shape(shape, dense({}, 4));
  CHECK(shape_text(shape.shape_span()) == "(5, 3, 4)");
  CHECK_THROWS_AS(broadcast_shape(shape, dense({2, 4}, 4)), ShapeMismatch);
  Layout empty = dense({0, 3}, 4);
  broadcast_shape(empty, dense({1, 3}, 4));
  CHECK(shape_text(empty.shape_span()) == "(0, 3)");
  Layout column = dense({std::int64_t{1} << 32, 1}, 1);
  CHECK_THROWS_WITH_AS(broadcast_shape(column, dense({1, std::int64_t{1} << 32}, 1)),
                       "an array of shape (4294967296, 4294967296) is too large", ShapeMismatch);

  const Layout seen = broadcast_to(dense({3, 1}, 4), dense({2, 3, 4}, 4));
  CHECK(strides_of(seen) == Numbers{0, 4, 0});
  CHECK_THROWS_WITH_AS(broadcast_to(dense({3}, 4), dense({4}, 4)),
                       "could not broadcast from shape (3,) into shape (4,)", ShapeMismatch);
  CHECK_THROWS_AS(broadcast_to(dense({2, 3}, 4), dense({3}, 4)), ShapeMismatch);
}

TEST_CASE("shapes are written as Python's tuples") {
  CHECK(shape_text(dense({}, 1).shape_span()) == "()");
  CHECK(shape_text(dense({5}, 1).shape_span()) == "(5,)");
  CHECK(shape_text(dense({5, 0}, 1).shape_span()) == "(5, 0)");
}

TEST_CASE("neighbouring axes that all operands step through evenly become one") {
  const Layout a = dense({4, 5, 6}, 4);
  const Layout b = dense({4, 5, 6}, 8);
  const Layout* both[] = {&a, &b};
  CHECK(collapse(both).ndim == 1);
  const Layout row = broadcast_to(dense({6}, 4), a);
  const Layout* mixed[] = {&a, &row};
  const Walk walk = collapse(mixed);
  CHECK(walk.ndim == 2);
  CHECK(walk.shape[0] == 20);
  CHECK(walk.strides[1][0] == 0);
  const Layout none = dense({}, 4);
  const Layout* scalar[] = {&none};
  CHECK(collapse(scalar).ndim == 0);
  CHECK(collapse(scalar).size == 1);
}

TEST_CASE("walks meet the same elements in the same pairs, whatever the strides") {
  std::mt19937 random(7);
  const auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const int ndim = pick(0, 5);
    Numbers shape;
    for (int i = 0; i < ndim; ++i) shape.push_back(pick(1, 4));
    const auto strided = [&] {
      Numbers order(static_cast<std::size_t>(ndim));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
      std::shuffle(order.begin(), order.end(), random);
      Layout layout = layout_of(shape, shape);
      std::int64_t step = 4;
      for (const std::int64_t i : order) {
        const auto axis = static_cast<std::size_t>(i);
        const int sort = pick(0, 5);
        layout.strides[axis] = sort == 0 ? 0 : sort == 1 ? -step : sort == 2 ? 2 * step : step;
        step *= shape[axis] * (sort == 2 ? 2 : 1);
      }
      return layout;
    };
    const Layout a = strided();
    const Layout b = strided();
    const Layout* both[] = {&a, &b};
    const Pairs expected =
        paired(offsets(ndim, a.shape, a.strides), offsets(ndim, b.shape, b.strides));

    const Walk in_order = collapse_in_order(both);
    CHECK(paired(offsets(in_order.ndim, in_order.shape, in_order.strides[0]),
                 offsets(in_order.ndim, in_order.shape, in_order.strides[1])) == expected);

    const Walk walk = collapse(both);
    CHECK(walk.ndim <= in_order.ndim + 4);
    CHECK(walk.size == static_cast<std::int64_t>(expected.size()));
    Pairs met = paired(offsets(walk.ndim, walk.shape, walk.strides[0]),
                       offsets(walk.ndim, walk.shape, walk.strides[1]));
    Pairs wanted = expected;
    std::sort(met.begin(), met.end());
    std::sort(wanted.begin(), wanted.end());
    CHECK(met == wanted);
  }
}
