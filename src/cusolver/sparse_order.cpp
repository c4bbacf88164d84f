// SPDX-License-Identifier: MIT
// Orders of sparse matrices, matrices in another order, and whether one is its own mirror image.
#include <algorithm>
#include <vector>

#include "cusolver/orders.h"
#include "cusolver/sparse_handle.h"

namespace pycuda::cusolver {
namespace {

/// All functions of this file are the host's.
Places of_host(int rows, int columns, int entries, const void* descriptor, const int* offsets,
               const int* indices) {
  return places_of(Where::Host, rows, columns, entries, descriptor, offsets, indices);
}

void give_order(int reorder, const Places& a, int* order) {
  require(order != nullptr || a.rows == 0, "the order's pointer is null");
  std::ranges::copy(order_for(reorder, graph_of(a)), order);
}

}  // namespace

extern "C" {

#define CUSOLVER_ORDER(name, reorder)                                                   \
  Status name(SparseHandle* handle, int n, int entries, const void* descriptor,         \
              const int* offsets, const int* indices, int* order) {                     \
    return with_sparse(handle, #name, [&] {                                             \
      give_order(reorder, of_host(n, n, entries, descriptor, offsets, indices), order); \
    });                                                                                 \
  }
CUSOLVER_ORDER(cusolverSpXcsrsymrcmHost, 1)
CUSOLVER_ORDER(cusolverSpXcsrsymmdqHost, 2)
CUSOLVER_ORDER(cusolverSpXcsrsymamdHost, 2)

// Nested dissection is not here: minimum degree leaves about as many entries.
Status cusolverSpXcsrmetisndHost(SparseHandle* handle, int n, int entries, const void* descriptor,
                                 const int* offsets, const int* indices, const std::int64_t*,
                                 int* order) {
  return with_sparse(handle, "cusolverSpXcsrmetisndHost", [&] {
    give_order(3, of_host(n, n, entries, descriptor, offsets, indices), order);
  });
}

Status cusolverSpXcsrperm_bufferSizeHost(SparseHandle* handle, int rows, int columns, int entries,
                                         const void* descriptor, const int* offsets,
                                         const int* indices, const int* p, const int* q,
                                         std::size_t* bytes) {
  return with_sparse(handle, "cusolverSpXcsrperm_bufferSizeHost", [&] {
    of_host(rows, columns, entries, descriptor, offsets, indices);
    permutation(p, rows);
    permutation(q, columns);
    give(bytes, sizeof(int));
  });
}
/// In place; `map` says where the values come from, and is permuted like them.
Status cusolverSpXcsrpermHost(SparseHandle* handle, int rows, int columns, int entries,
                              const void* descriptor, int* offsets, int* indices, const int* p,
                              const int* q, int* map, void*) {
  return with_sparse(handle, "cusolverSpXcsrpermHost", [&] {
    const Places a = of_host(rows, columns, entries, descriptor, offsets, indices);
    require_place(Where::Host, map, entries, "the map");
    const Ordered b = ordered(a, permutation(p, rows), permutation(q, columns));
    const std::vector<int> before(map, map + entries);
    std::ranges::transform(b.sources, map, [&](int source) { return before[at(source)]; });
    std::ranges::transform(b.offsets, offsets, [&](int offset) { return offset + a.base; });
    std::ranges::transform(b.indices, indices, [&](int column) { return column + a.base; });
  });
}

Status cusolverSpXcsrissymHost(SparseHandle* handle, int n, int entries, const void* descriptor,
                               const int* offsets, const int* ends, const int* indices,
                               int* is_symmetric) {
  return with_sparse(handle, "cusolverSpXcsrissymHost", [&] {
    const Places a = of_host(n, n, entries, descriptor, offsets, indices);
    require_place(Where::Host, ends, n, "the ends");
    std::vector<std::pair<int, int>> found;
    for (int row = 0; row < n; ++row) {
      for (int i = offsets[row] - a.base; i < ends[row] - a.base; ++i) {
        require(i >= 0 && i < entries, "an offset lies outside of the matrix");
        found.emplace_back(row, indices[i] - a.base);
      }
    }
    std::ranges::sort(found);
    give(is_symmetric, std::ranges::all_of(found,
                                           [&](const auto& entry) {
                                             return std::ranges::binary_search(
                                                 found, std::pair(entry.second, entry.first));
                                           })
                           ? 1
                           : 0);
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
