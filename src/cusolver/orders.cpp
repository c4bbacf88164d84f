// SPDX-License-Identifier: MIT
#include "cusolver/orders.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pycuda::cusolver {
namespace {

/// The rows that can be reached from `first`, level by level, those with few neighbours first.
std::vector<int> by_levels(const Graph& graph, int first, std::vector<bool>& visited, int* levels) {
  std::vector<int> rows{first};
  visited[at(first)] = true;
  *levels = 0;
  for (std::size_t begin = 0; begin < rows.size(); ++*levels) {
    const std::size_t end = rows.size();
    for (; begin < end; ++begin) {
      const std::size_t fresh = rows.size();
      for (const int next : graph[at(rows[begin])]) {
        if (visited[at(next)]) continue;
        visited[at(next)] = true;
        rows.push_back(next);
      }
      std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(fresh), rows.end(),
                       [&](int a, int b) { return graph[at(a)].size() < graph[at(b)].size(); });
    }
  }
  return rows;
}

/// A row at the rim: the last one that is reached from it is no further away than from others.
int at_the_rim(const Graph& graph, int row, const std::vector<bool>& visited) {
  int depth = 0;
  for (;;) {
    std::vector<bool> seen = visited;
    int levels = 0;
    const std::vector<int> rows = by_levels(graph, row, seen, &levels);
    if (levels <= depth) return row;
    depth = levels;
    row = rows.back();
  }
}

}  // namespace

std::vector<int> reverse_cuthill_mckee(const Graph& graph) {
  std::vector<int> order;
  std::vector<bool> visited(graph.size());
  for (int row = 0; row < static_cast<int>(graph.size()); ++row) {
    if (visited[at(row)]) continue;
    int levels = 0;
    const std::vector<int> part =
        by_levels(graph, at_the_rim(graph, row, visited), visited, &levels);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<int> minimum_degree(const Graph& graph) {
  // An eliminated row is kept as the list of its neighbours then, which stands for their clique.
  const int n = static_cast<int>(graph.size());
  Graph rows = graph;
  std::vector<std::vector<int>> cliques_of(at(n)), cliques(at(n));
  std::vector<int> degree(at(n)), mark(at(n), -1), order;
  std::set<std::pair<int, int>> waiting;
  for (int row = 0; row < n; ++row) {
    degree[at(row)] = static_cast<int>(graph[at(row)].size());
    waiting.emplace(degree[at(row)], row);
  }
  std::vector<bool> is_left(at(n), true);
  while (!waiting.empty()) {
    const int pivot = waiting.begin()->second;
    waiting.erase(waiting.begin());
    is_left[at(pivot)] = false;
    order.push_back(pivot);
    std::vector<int>& clique = cliques[at(pivot)];
    mark[at(pivot)] = pivot;
    const auto gather = [&](const std::vector<int>& from) {
      for (const int row : from) {
        if (!is_left[at(row)] || mark[at(row)] == pivot) continue;
        mark[at(row)] = pivot;
        clique.push_back(row);
      }
    };
    gather(rows[at(pivot)]);
    for (const int other : cliques_of[at(pivot)]) {
      gather(cliques[at(other)]);
      cliques[at(other)].clear();  // it lies in the new one
    }
    rows[at(pivot)].clear();
    for (const int row : clique) {
      std::erase_if(rows[at(row)], [&](int other) { return mark[at(other)] == pivot; });
      std::erase_if(cliques_of[at(row)], [&](int other) { return cliques[at(other)].empty(); });
      cliques_of[at(row)].push_back(pivot);
      // Rows in several cliques are counted several times: an upper bound is good enough.
      std::size_t bound = rows[at(row)].size();
      for (const int one : cliques_of[at(row)]) bound += cliques[at(one)].size() - 1;
      waiting.erase({degree[at(row)], row});
      degree[at(row)] = static_cast<int>(std::min(bound, static_cast<std::size_t>(n)));
      waiting.emplace(degree[at(row)], row);
    }
  }
  return order;
}

std::vector<int> order_for(int reorder, const Graph& graph) {
  switch (reorder) {
    case 0:
      return identity(static_cast<int>(graph.size()));
    case 1:
      return reverse_cuthill_mckee(graph);
    default:
      return minimum_degree(graph);
  }
}

}  // namespace pycuda::cusolver
