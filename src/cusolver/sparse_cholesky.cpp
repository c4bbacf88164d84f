// SPDX-License-Identifier: MIT
// Cholesky factors of sparse matrices, step by step: csrchol.
#include "cusolver/sparse_info.h"

namespace pycuda::cusolver {
namespace {

using Info = SparseInfo<SparseCholesky>;

}  // namespace

CUSOLVER_INFO(CsrcholInfo, Info)
CUSOLVER_INFO(CsrcholInfoHost, Info)

#define CUSOLVER_ANALYSIS(name, where)                                                     \
  extern "C" Status name(SparseHandle* handle, int n, int entries, const void* descriptor, \
                         const int* offsets, const int* indices, Info* info) {             \
    return with_sparse(handle, #name, [&] {                                                \
      places_of(where, n, n, entries, descriptor, offsets, indices);                       \
      required_info(info) = {n, n, 0, {}};                                                 \
    });                                                                                    \
  }
CUSOLVER_ANALYSIS(cusolverSpXcsrcholAnalysis, Where::Device)
CUSOLVER_ANALYSIS(cusolverSpXcsrcholAnalysisHost, Where::Host)

#define CUSOLVER_STEPS(letter, suffix, where, T)                                                   \
  extern "C" Status cusolverSp##letter##csrcholBufferInfo##suffix(                                 \
      SparseHandle* handle, int n, int, const void*, const T*, const int*, const int*, Info* info, \
      std::size_t* internal, std::size_t* workspace) {                                             \
    return with_sparse(handle, "cusolverSp" #letter "csrcholBufferInfo" #suffix, [&] {             \
      required_info(info).require_analysed(n, n);                                                  \
      give_workspace(internal, workspace);                                                         \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrcholFactor##suffix(                                     \
      SparseHandle* handle, int n, int entries, const void* descriptor, const T* values,           \
      const int* offsets, const int* indices, Info* info, void*) {                                 \
    return with_sparse(handle, "cusolverSp" #letter "csrcholFactor" #suffix, [&] {                 \
      required_info(info).require_analysed(n, n);                                                  \
      const Places a = places_of(where, n, n, entries, descriptor, offsets, indices);              \
      require_place(where, values, entries, "the values");                                         \
      run(*handle, where,                                                                          \
          [=, factors = info->renewed<T>()] { factors->factor(copied(a, values)); });              \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrcholZeroPivot##suffix(                                  \
      SparseHandle* handle, Info* info, Real<T> tolerance, int* position) {                        \
    return with_sparse(handle, "cusolverSp" #letter "csrcholZeroPivot" #suffix,                    \
                       [&] { give_zero_pivot<T>(*handle, where, info, tolerance, position); });    \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrcholSolve##suffix(                                      \
      SparseHandle* handle, int n, const T* b, T* x, Info* info, void*) {                          \
    return with_sparse(handle, "cusolverSp" #letter "csrcholSolve" #suffix,                        \
                       [&] { solve(*handle, where, n, n, b, x, info); });                          \
  }
CUSOLVER_SPARSE_ALL(CUSOLVER_STEPS, , Where::Device)
CUSOLVER_SPARSE_ALL(CUSOLVER_STEPS, Host, Where::Host)

#define CUSOLVER_DIAGONAL(letter, suffix, where, T)                                   \
  extern "C" Status cusolverSp##letter##csrcholDiag(SparseHandle* handle, Info* info, \
                                                    Real<T>* diagonal) {              \
    return with_sparse(handle, "cusolverSp" #letter "csrcholDiag", [&] {              \
      const auto factors = required_info(info).held<T>();                             \
      require_place(where, diagonal, info->rows, "the diagonal");                     \
      run(*handle, where, [=] { narrow(factors->diagonal(), diagonal); });            \
    });                                                                               \
  }
CUSOLVER_SPARSE_ALL(CUSOLVER_DIAGONAL, , Where::Device)

}  // namespace pycuda::cusolver
