// SPDX-License-Identifier: MIT
// Q R of sparse matrices, step by step: csrqr, and the systems of a batch.
#include "cusolver/sparse_info.h"

namespace pycuda::cusolver {
namespace {

template <class T>
struct ShiftedQr : SparseQr<T> {
  Csr<T> matrix;
  T mu{};
};
using Info = SparseInfo<ShiftedQr>;

void require_tall(int rows, int columns) {
  require(rows >= columns, "the matrix has more columns than rows");
}

template <class T>
void solve_batch(const SparseHandle& handle, const Places& a, const T* values, const T* b, T* x,
                 int count) {
  require(count >= 0, "a size is negative");
  require_place(Where::Device, values, Int{a.entries} * count, "the values");
  require_place(Where::Device, b, Int{a.rows} * count, "b");
  require_place(Where::Device, x, Int{a.columns} * count, "x");
  enqueue(handle, [=] {
    const Ordered places = ordered(a, identity(a.rows), identity(a.columns));
    for (Int i = 0; i < count; ++i) {
      SparseQr<Wide<T>> factors;
      factors.factor(with_values(places, values + i * a.entries));
      std::vector<Wide<T>> numbers(b + i * a.rows, b + (i + 1) * a.rows);
      factors.solve(numbers);
      narrow(numbers, x + i * a.columns);
    }
  });
}

}  // namespace

CUSOLVER_INFO(CsrqrInfo, Info)
CUSOLVER_INFO(CsrqrInfoHost, Info)

#define CUSOLVER_ANALYSIS(name, where)                                                            \
  extern "C" Status name(SparseHandle* handle, int m, int n, int entries, const void* descriptor, \
                         const int* offsets, const int* indices, Info* info) {                    \
    return with_sparse(handle, #name, [&] {                                                       \
      require_tall(m, n);                                                                         \
      places_of(where, m, n, entries, descriptor, offsets, indices);                              \
      required_info(info) = {m, n, 0, {}};                                                        \
    });                                                                                           \
  }
CUSOLVER_ANALYSIS(cusolverSpXcsrqrAnalysis, Where::Device)
CUSOLVER_ANALYSIS(cusolverSpXcsrqrAnalysisBatched, Where::Device)
CUSOLVER_ANALYSIS(cusolverSpXcsrqrAnalysisHost, Where::Host)

#define CUSOLVER_STEPS(letter, suffix, where, T)                                                   \
  extern "C" Status cusolverSp##letter##csrqrBufferInfo##suffix(                                   \
      SparseHandle* handle, int m, int n, int, const void*, const T*, const int*, const int*,      \
      Info* info, std::size_t* internal, std::size_t* workspace) {                                 \
    return with_sparse(handle, "cusolverSp" #letter "csrqrBufferInfo" #suffix, [&] {               \
      required_info(info).require_analysed(m, n);                                                  \
      give_workspace(internal, workspace);                                                         \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrqrSetup##suffix(                                        \
      SparseHandle* handle, int m, int n, int entries, const void* descriptor, const T* values,    \
      const int* offsets, const int* indices, T mu, Info* info) {                                  \
    return with_sparse(handle, "cusolverSp" #letter "csrqrSetup" #suffix, [&] {                    \
      required_info(info).require_analysed(m, n);                                                  \
      const Places a = places_of(where, m, n, entries, descriptor, offsets, indices);              \
      require_place(where, values, entries, "the values");                                         \
      run(*handle, where, [=, factors = info->renewed<T>()] {                                      \
        factors->matrix = copied(a, values);                                                       \
        factors->mu = Wide<T>(mu);                                                                 \
      });                                                                                          \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrqrFactor##suffix(                                       \
      SparseHandle* handle, int m, int n, int, const T* b, T* x, Info* info, void*) {              \
    return with_sparse(handle, "cusolverSp" #letter "csrqrFactor" #suffix, [&] {                   \
      required_info(info).require_analysed(m, n);                                                  \
      run(*handle, where,                                                                          \
          [factors = info->held<T>()] { factors->factor(factors->matrix, factors->mu); });         \
      if (b != nullptr && x != nullptr) solve(*handle, where, m, n, b, x, info);                   \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrqrZeroPivot##suffix(SparseHandle* handle, Info* info,   \
                                                               Real<T> tolerance, int* position) { \
    return with_sparse(handle, "cusolverSp" #letter "csrqrZeroPivot" #suffix,                      \
                       [&] { give_zero_pivot<T>(*handle, where, info, tolerance, position); });    \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrqrSolve##suffix(SparseHandle* handle, int m, int n,     \
                                                           const T* b, T* x, Info* info, void*) {  \
    return with_sparse(handle, "cusolverSp" #letter "csrqrSolve" #suffix,                          \
                       [&] { solve(*handle, where, m, n, b, x, info); });                          \
  }
CUSOLVER_SPARSE_ALL(CUSOLVER_STEPS, , Where::Device)
CUSOLVER_SPARSE_ALL(CUSOLVER_STEPS, Host, Where::Host)

#define CUSOLVER_BATCH(letter, suffix, where, T)                                                   \
  extern "C" Status cusolverSp##letter##csrqrBufferInfoBatched(                                    \
      SparseHandle* handle, int m, int n, int, const void*, const T*, const int*, const int*, int, \
      Info* info, std::size_t* internal, std::size_t* workspace) {                                 \
    return with_sparse(handle, "cusolverSp" #letter "csrqrBufferInfoBatched", [&] {                \
      required_info(info).require_analysed(m, n);                                                  \
      give_workspace(internal, workspace);                                                         \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status cusolverSp##letter##csrqrsvBatched(                                            \
      SparseHandle* handle, int m, int n, int entries, const void* descriptor, const T* values,    \
      const int* offsets, const int* indices, const T* b, T* x, int count, Info* info, void*) {    \
    return with_sparse(handle, "cusolverSp" #letter "csrqrsvBatched", [&] {                        \
      required_info(info).require_analysed(m, n);                                                  \
      solve_batch(*handle, places_of(where, m, n, entries, descriptor, offsets, indices), values,  \
                  b, x, count);                                                                    \
    });                                                                                            \
  }
CUSOLVER_SPARSE_ALL(CUSOLVER_BATCH, , Where::Device)

}  // namespace pycuda::cusolver
