// SPDX-License-Identifier: MIT
// L U of sparse matrices with row exchanges, step by step, in the host's memory: csrlu.
#include "cusolver/sparse_info.h"

namespace pycuda::cusolver {
namespace {

using Info = SparseInfo<SparseLu>;

/// As the descriptor wants the indices to count.
template <class W, class T>
void give_matrix(const Csr<W>& a, const void* descriptor, T* values, int* offsets, int* indices) {
  const int base = index_base(descriptor);
  require(values != nullptr && offsets != nullptr && indices != nullptr, "a pointer is null");
  narrow(a.values, values);
  std::ranges::transform(a.offsets, offsets, [&](int offset) { return offset + base; });
  std::ranges::transform(a.indices, indices, [&](int column) { return column + base; });
}

}  // namespace

CUSOLVER_INFO(CsrluInfoHost, Info)

extern "C" Status cusolverSpXcsrluAnalysisHost(SparseHandle* handle, int n, int entries,
                                               const void* descriptor, const int* offsets,
                                               const int* indices, Info* info) {
  return with_sparse(handle, "cusolverSpXcsrluAnalysisHost", [&] {
    places_of(Where::Host, n, n, entries, descriptor, offsets, indices);
    required_info(info) = {n, n, 0, {}};
  });
}

/// L's diagonal is one and not counted.
extern "C" Status cusolverSpXcsrluNnzHost(SparseHandle* handle, int* lower, int* upper,
                                          Info* info) {
  return with_sparse(handle, "cusolverSpXcsrluNnzHost", [&] {
    require(required_info(info).letter != 0, "there are no factors");
    std::visit(
        [&](const auto& factors) {
          give(lower, static_cast<int>(factors->lower().indices.size()));
          give(upper, static_cast<int>(factors->upper().indices.size()));
        },
        info->factors);
  });
}

#define CUSOLVER_STEPS(letter, suffix, where, T)                                                   \
  extern "C" Status cusolverSp##letter##csrluBufferInfoHost(                                       \
      SparseHandle* handle, int n, int, const void*, const T*, const int*, const int*, Info* info, \
      std::size_t* internal, std::size_t* workspace) {                                             \
    return with_sparse(handle, "cusolverSp" #letter "csrluBufferInfoHost", [&] {                   \
      required_info(info).require_analysed(n, n);                                                  \
      give_workspace(internal, workspace);                                                         \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrluFactorHost(                                           \
      SparseHandle* handle, int n, int entries, const void* descriptor, const T* values,           \
      const int* offsets, const int* indices, Info* info, double threshold, void*) {               \
    return with_sparse(handle, "cusolverSp" #letter "csrluFactorHost", [&] {                       \
      required_info(info).require_analysed(n, n);                                                  \
      require(threshold >= 0 && threshold <= 1, "the threshold is not between 0 and 1");           \
      const Places a = places_of(where, n, n, entries, descriptor, offsets, indices);              \
      require_place(where, values, entries, "the values");                                         \
      info->renewed<T>()->factor(copied(a, values), threshold);                                    \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrluZeroPivotHost(SparseHandle* handle, Info* info,       \
                                                           Real<T> tolerance, int* position) {     \
    return with_sparse(handle, "cusolverSp" #letter "csrluZeroPivotHost",                          \
                       [&] { give_zero_pivot<T>(*handle, where, info, tolerance, position); });    \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrluSolveHost(SparseHandle* handle, int n, const T* b,    \
                                                       T* x, Info* info, void*) {                  \
    return with_sparse(handle, "cusolverSp" #letter "csrluSolveHost",                              \
                       [&] { solve(*handle, where, n, n, b, x, info); });                          \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrluExtractHost(                                          \
      SparseHandle* handle, int* p, int* q, const void* lower, T* lower_values,                    \
      int* lower_offsets, int* lower_indices, const void* upper, T* upper_values,                  \
      int* upper_offsets, int* upper_indices, Info* info, void*) {                                 \
    return with_sparse(handle, "cusolverSp" #letter "csrluExtractHost", [&] {                      \
      const auto factors = required_info(info).held<T>();                                          \
      require(p != nullptr && q != nullptr, "an order's pointer is null");                         \
      std::ranges::copy(factors->rows(), p);                                                       \
      std::ranges::copy(identity(info->columns), q);                                               \
      give_matrix(factors->lower(), lower, lower_values, lower_offsets, lower_indices);            \
      give_matrix(factors->upper(), upper, upper_values, upper_offsets, upper_indices);            \
    });                                                                                            \
  }
CUSOLVER_SPARSE_ALL(CUSOLVER_STEPS, Host, Where::Host)

}  // namespace pycuda::cusolver
