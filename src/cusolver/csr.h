// SPDX-License-Identifier: MIT
// Sparse matrices in rows, as the solvers keep them: copies in the host's memory, with indices from
// 0 in ascending order, and numbers in double precision.
#pragma once

#include <complex>
#include <type_traits>
#include <utility>
#include <vector>

#include "hostblas/calls.h"

namespace pycuda::cusolver {

using hostblas::Int;

inline std::size_t at(Int i) { return static_cast<std::size_t>(i); }

/// The type that a program's numbers are computed in: half as many solvers are needed.
template <class T>
using Wide = std::conditional_t<hostblas::is_complex<T>, hostblas::ComplexDouble, double>;

/// The entries of a matrix where the program has them.
struct Places {
  int rows = 0, columns = 0, entries = 0, base = 0;
  const int *offsets = nullptr, *indices = nullptr;
};

struct Pattern {
  int rows = 0, columns = 0;
  std::vector<int> offsets, indices;

  int from(int row) const { return offsets[at(row)]; }
  int to(int row) const { return offsets[at(row) + 1]; }
};

/// A pattern and where the values of its entries are in the matrix that it was made from.
struct Ordered : Pattern {
  std::vector<int> sources;
};

template <class T>
struct Csr : Pattern {
  std::vector<T> values;
};

/// A line's entries: index and value.
template <class T>
using Line = std::vector<std::pair<int, T>>;

/// The neighbours of each row in the graph of A + A^T, without itself, in ascending order.
using Graph = std::vector<std::vector<int>>;

std::vector<int> identity(int n);
/// The order that a program gives, of which every number is checked.
std::vector<int> permutation(const int* order, int n);

/// The places of B with B(i, j) = A(p[i], q[j]). Refuses indices outside of A, and entries that are
/// there twice.
Ordered ordered(const Places& a, const std::vector<int>& p, const std::vector<int>& q);
Graph graph_of(const Places& a);
/// Sorts each list and drops what is in it twice.
void tidy(Graph& lists);

/// A matrix with these places and the values of the one that they were made from.
template <class T>
Csr<Wide<T>> with_values(Ordered places, const T* values) {
  Csr<Wide<T>> made;
  for (const int source : places.sources) made.values.push_back(Wide<T>(values[source]));
  static_cast<Pattern&>(made) = std::move(static_cast<Pattern&>(places));
  return made;
}

template <class T>
Csr<Wide<T>> copied(const Places& a, const T* values) {
  return with_values(ordered(a, identity(a.rows), identity(a.columns)), values);
}

/// The columns of a matrix as lists, and a matrix of such lists.
template <class T>
std::vector<Line<T>> columns_of(const Csr<T>& a) {
  std::vector<Line<T>> columns(at(a.columns));
  for (int row = 0; row < a.rows; ++row) {
    for (int i = a.from(row); i < a.to(row); ++i)
      columns[at(a.indices[at(i)])].emplace_back(row, a.values[at(i)]);
  }
  return columns;
}
template <class T>
Csr<T> csr_of(const std::vector<Line<T>>& rows) {
  Csr<T> made;
  made.rows = made.columns = static_cast<int>(rows.size());
  made.offsets.push_back(0);
  for (const Line<T>& row : rows) {
    for (const auto& [column, value] : row) {
      made.indices.push_back(column);
      made.values.push_back(value);
    }
    made.offsets.push_back(static_cast<int>(made.indices.size()));
  }
  return made;
}
/// Of a square matrix, whose lists become sorted.
template <class T>
std::vector<Line<T>> transposed(const std::vector<Line<T>>& lines) {
  std::vector<Line<T>> turned(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const auto& [other, value] : lines[i])
      turned[at(other)].emplace_back(static_cast<int>(i), value);
  }
  return turned;
}

}  // namespace pycuda::cusolver
