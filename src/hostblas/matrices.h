// SPDX-License-Identifier: MIT
// Matrices in column order.
#pragma once

#include <algorithm>
#include <vector>

#include "hostblas/types.h"

namespace pycuda::hostblas {

template <class T>
void fill_identity(T* c, Int n, Int ldc) {
  for (Int column = 0; column < n; ++column) {
    std::fill_n(c + column * ldc, n, T{});
    c[column + column * ldc] = T{1};
  }
}

/// Room for `count` numbers, and for one where none are needed: LAPACK wants an address.
template <class T>
std::vector<T> scratch(Int count) {
  return std::vector<T>(static_cast<std::size_t>(std::max<Int>(1, count)));
}

/// The matrix without what lies between its columns.
template <class T>
std::vector<T> copied(const T* a, Int rows, Int columns, Int leading) {
  std::vector<T> result = scratch<T>(rows * columns);
  for (Int column = 0; column < columns; ++column)
    std::copy_n(a + column * leading, rows, result.data() + column * rows);
  return result;
}

}  // namespace pycuda::hostblas
