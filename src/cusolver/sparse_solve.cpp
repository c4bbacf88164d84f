// SPDX-License-Identifier: MIT
// Sparse linear systems in one call: csrlsvlu, csrlsvqr, csrlsvchol.
#include <algorithm>
#include <vector>

#include "cusolver/orders.h"
#include "cusolver/sparse_factors.h"
#include "cusolver/sparse_handle.h"

namespace pycuda::cusolver {
namespace {

template <class T>
struct ByLu : SparseLu<T> {
  void factor(const Csr<T>& a) { SparseLu<T>::factor(a, 1); }
};

/// The first pivot that is zero, or -1: then b becomes the solution.
template <class Factors, class T>
int solve(const Csr<T>& a, const std::vector<int>& order, double tolerance, std::vector<T>& b) {
  Factors factors;
  factors.factor(a);
  const int singular = factors.zero_pivot(tolerance);
  if (singular >= 0) return singular;
  std::vector<T> numbers;
  numbers.reserve(order.size());
  for (const int row : order) numbers.push_back(b[at(row)]);
  factors.solve(numbers);
  for (std::size_t i = 0; i < order.size(); ++i) b[at(order[i])] = numbers[i];
  return -1;
}

template <template <class> class Factors, class T>
void solve_system(const SparseHandle& handle, Where where, int n, int entries,
                  const void* descriptor, const T* values, const int* offsets, const int* indices,
                  const T* b, Real<T> tolerance, int reorder, T* x, int* singularity) {
  const Places a = places_of(where, n, n, entries, descriptor, offsets, indices);
  require(reorder >= 0 && reorder <= 3, "the order is not one");
  require_place(where, values, entries, "the values");
  require_place(where, b, n, "b");
  require_place(where, x, n, "x");
  require(singularity != nullptr, "the result's pointer is null");
  run(handle, where, [=] {
    const std::vector<int> order = order_for(reorder, graph_of(a));
    std::vector<Wide<T>> numbers(b, b + n);
    *singularity = solve<Factors<Wide<T>>>(with_values(ordered(a, order, order), values), order,
                                           double{tolerance}, numbers);
    if (*singularity < 0) narrow(numbers, x);
  });
  finish(handle, where);
}

}  // namespace

#define CUSOLVER_SYSTEM(name, where, Factors, T)                                                  \
  extern "C" Status cusolverSp##name(SparseHandle* handle, int n, int entries,                    \
                                     const void* descriptor, const T* values, const int* offsets, \
                                     const int* indices, const T* b, Real<T> tolerance,           \
                                     int reorder, T* x, int* singularity) {                       \
    return with_sparse(handle, "cusolverSp" #name, [&] {                                          \
      solve_system<Factors>(*handle, where, n, entries, descriptor, values, offsets, indices, b,  \
                            tolerance, reorder, x, singularity);                                  \
    });                                                                                           \
  }
#define CUSOLVER_SYSTEM_ALL(name, where, Factors)        \
  CUSOLVER_SYSTEM(S##name, where, Factors, float)        \
  CUSOLVER_SYSTEM(D##name, where, Factors, double)       \
  CUSOLVER_SYSTEM(C##name, where, Factors, ComplexFloat) \
  CUSOLVER_SYSTEM(Z##name, where, Factors, ComplexDouble)
CUSOLVER_SYSTEM_ALL(csrlsvluHost, Where::Host, ByLu)
CUSOLVER_SYSTEM_ALL(csrlsvqrHost, Where::Host, SparseQr)
CUSOLVER_SYSTEM_ALL(csrlsvcholHost, Where::Host, SparseCholesky)
CUSOLVER_SYSTEM_ALL(csrlsvqr, Where::Device, SparseQr)
CUSOLVER_SYSTEM_ALL(csrlsvchol, Where::Device, SparseCholesky)

}  // namespace pycuda::cusolver
