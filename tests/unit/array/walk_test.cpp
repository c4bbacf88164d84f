// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "array/layout.h"

namespace pycuda::array {
namespace {

Layout dense(std::initializer_list<std::int64_t> shape, bool fortran = false) {
  Layout layout;
  for (const std::int64_t length : shape)
    layout.shape[static_cast<std::size_t>(layout.ndim++)] = length;
  fill_dense_strides(layout, 4, fortran);
  return layout;
}

TEST_CASE("dense arrays collapse to one dimension, whatever their order") {
  for (const bool fortran : {false, true}) {
    const Layout layout = dense({3, 4, 5}, fortran);
    const Layout* const both[] = {&layout, &layout};
    const Walk walk = collapse(both);
    CHECK(walk.ndim == 1);
    CHECK(walk.size == 60);
    CHECK(walk.strides[1][0] == 4);
  }
}

TEST_CASE("a repeated row keeps its two dimensions") {
  const Layout result = dense({3, 4});
  const Layout row = broadcast_to(dense({4}), result);
  const Layout* const both[] = {&result, &row};
  const Walk walk = collapse(both);
  CHECK(walk.ndim == 2);
  CHECK(walk.strides[1][0] == 0);
  CHECK(walk.strides[1][1] == 4);
}

TEST_CASE("shapes that do not broadcast are named") {
  Layout shape = dense({3, 4});
  CHECK_THROWS_WITH_AS(broadcast_shape(shape, dense({5})), doctest::Contains("(5,)"),
                       ShapeMismatch);
}

TEST_CASE("the extent of a reversed array begins before its address") {
  Layout layout = dense({5});
  layout.strides[0] = -4;
  const Extent extent = extent_of(layout, 4);
  CHECK(extent.first == -16);
  CHECK(extent.last == 4);
}

}  // namespace
}  // namespace pycuda::array
