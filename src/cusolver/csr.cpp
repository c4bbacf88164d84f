// SPDX-License-Identifier: MIT
#include "cusolver/csr.h"

#include <algorithm>
#include <numeric>

namespace pycuda::cusolver {

using hostblas::Outcome;
using hostblas::Refusal;

namespace {

/// visit(row, column, place) for all entries. Indices outside of the matrix end the work.
template <class Visit>
void for_entries(const Places& a, const Visit& visit) {
  for (int row = 0; row < a.rows; ++row) {
    const int from = a.offsets[row] - a.base;
    const int to = a.offsets[row + 1] - a.base;
    if (from < 0 || to > a.entries)
      throw Refusal{Outcome::ExecutionFailed, "an offset lies outside of the matrix"};
    for (int i = from; i < to; ++i) {
      const int column = a.indices[i] - a.base;
      if (column < 0 || column >= a.columns)
        throw Refusal{Outcome::ExecutionFailed, "an index lies outside of the matrix"};
      visit(row, column, i);
    }
  }
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[at(order[i])] = static_cast<int>(i);
  return places;
}

}  // namespace

std::vector<int> identity(int n) {
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> permutation(const int* order, int n) {
  hostblas::require(order != nullptr || n == 0, "an order's pointer is null");
  std::vector<int> copy(order, order + n);
  std::vector<bool> found(at(n));
  for (const int one : copy) {
    hostblas::require(one >= 0 && one < n && !found[at(one)],
                      "an order does not have every number once");
    found[at(one)] = true;
  }
  return copy;
}

Ordered ordered(const Places& a, const std::vector<int>& p, const std::vector<int>& q) {
  const std::vector<int> new_row = inverse(p), new_column = inverse(q);
  std::vector<Line<int>> lines(at(a.rows));
  for_entries(a, [&](int row, int column, int place) {
    lines[at(new_row[at(row)])].emplace_back(new_column[at(column)], place);
  });
  Ordered made;
  made.rows = a.rows;
  made.columns = a.columns;
  made.offsets.push_back(0);
  for (Line<int>& line : lines) {
    std::ranges::sort(line);
    int last = -1;
    for (const auto& [column, place] : line) {
      if (std::exchange(last, column) == column)
        throw Refusal{Outcome::ExecutionFailed, "an entry of the matrix is there twice"};
      made.indices.push_back(column);
      made.sources.push_back(place);
    }
    made.offsets.push_back(static_cast<int>(made.indices.size()));
  }
  return made;
}

void tidy(Graph& lists) {
  for (auto& list : lists) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

Graph graph_of(const Places& a) {
  Graph graph(at(a.rows));
  for_entries(a, [&](int row, int column, int) {
    if (row == column) return;
    graph[at(row)].push_back(column);
    graph[at(column)].push_back(row);
  });
  tidy(graph);
  return graph;
}

}  // namespace pycuda::cusolver
