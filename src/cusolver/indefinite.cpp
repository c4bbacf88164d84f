// SPDX-License-Identifier: MIT
// Symmetric indefinite matrices: L * D * L^T by Bunch and Kaufman's pivots; solutions and inverses.
#include <cstdlib>
#include <stdexcept>

#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

void require_order(Int n, Int lda) {
  require(n >= 0, "a size is negative");
  require_leading(lda, n);
  require_fitting({n, lda});
}

template <class T>
void sytrf_size(Handle&, int n, int lda, int* size) {
  require_order(n, lda);
  give_size(size, workspace_elements(n));
}

template <class P>
void require_pivots(const P* pivots, Int n) {
  if (pivots == nullptr && n > 0)
    throw Refusal{Outcome::NotSupported, "factors without pivots are not supported"};
  require_vector(pivots, n, 1, "the pivots");
}

template <class T>
void sytrf(Handle& handle, Fill fill, int n, T* a, int lda, int* pivots, T* work, int size,
           int* info) {
  require(is_triangle(fill), "the fill mode is not a triangle");
  require_order(n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_matrix(a, n, n, lda, "a");
  require_pivots(pivots, n);
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("sytrf")] {
    Integers rows(n);
    set_info(info, call_with_workspace<T>(f, letter_of(fill), Int{n}, a, Int{lda}, rows.data()), n);
    for (Int i = 0; i < n; ++i) pivots[i] = static_cast<int>(rows.get(i));
  });
}

/// For LAPACK, which follows them without a look.
template <class P>
Integers checked_pivots(const P* pivots, Int n) {
  Integers result(n);
  for (Int i = 0; i < n; ++i) {
    const Int pivot = static_cast<Int>(pivots[i]);
    if (pivot == 0 || pivot > n || pivot < -n) throw std::out_of_range("a pivot is no row");
    result.set(i, pivot);
  }
  return result;
}

template <class T>
void sytri_size(Handle&, Fill fill, int n, int lda, int* size) {
  require(is_triangle(fill), "the fill mode is not a triangle");
  require_order(n, lda);
  give_size(size, workspace_elements(n));
}
template <class T>
void sytri(Handle& handle, Fill fill, int n, T* a, int lda, const int* pivots, T* work, int size,
           int* info) {
  require(is_triangle(fill), "the fill mode is not a triangle");
  require_order(n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_matrix(a, n, n, lda, "a");
  require_pivots(pivots, n);
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("sytri")] {
    Integers rows = checked_pivots(pivots, n);
    std::vector<T> own = scratch<T>(2 * Int{n});
    set_info(info, f.call(letter_of(fill), Int{n}, a, Int{lda}, rows.data(), own.data()), n);
  });
}

template <class T>
void solve(Handle& handle, Fill fill, Int n, Int columns, const T* a, Int lda, const Int* pivots,
           T* b, Int ldb, int* info) {
  require_matrix(a, n, n, lda, "a");
  require_matrix(b, n, columns, ldb, "b");
  require_pivots(pivots, n);
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("sytrs")] {
    Integers rows = checked_pivots(pivots, n);
    set_info(info, f.call(letter_of(fill), n, columns, a, lda, rows.data(), b, ldb), 0);
  });
}

void require_system(Fill fill, Int n, Int columns, Int lda, Int ldb) {
  require(is_triangle(fill), "the fill mode is not a triangle");
  require_order(n, lda);
  require(columns >= 0, "a size is negative");
  require_leading(ldb, n);
  require_fitting({columns, ldb});
}

}  // namespace

#define sytrf_size_PARAMETERS(T) int n, T *, int lda, int *size
#define sytrf_size_ARGUMENTS n, lda, size
CUSOLVER_EXPORT_ALL(sytrf_bufferSize, sytrf_size)
#define sytrf_PARAMETERS(T) \
  Fill fill, int n, T *a, int lda, int *pivots, T *work, int size, int *info
#define sytrf_ARGUMENTS fill, n, a, lda, pivots, work, size, info
CUSOLVER_EXPORT_ALL(sytrf, sytrf)
#define sytri_size_PARAMETERS(T) Fill fill, int n, T *, int lda, const int *, int *size
#define sytri_size_ARGUMENTS fill, n, lda, size
CUSOLVER_EXPORT_ALL(sytri_bufferSize, sytri_size)
#define sytri_PARAMETERS(T) \
  Fill fill, int n, T *a, int lda, const int *pivots, T *work, int size, int *info
#define sytri_ARGUMENTS fill, n, a, lda, pivots, work, size, info
CUSOLVER_EXPORT_ALL(sytri, sytri)

extern "C" {

Status cusolverDnXsytrs_bufferSize(Handle* handle, Fill fill, Int n, Int columns, DataType type,
                                   const void*, Int lda, const Int*, DataType type_b, void*,
                                   Int ldb, std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXsytrs_bufferSize", [&] {
    require_system(fill, n, columns, lda, ldb);
    require_types(type, {type_b});
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXsytrs(Handle* handle, Fill fill, Int n, Int columns, DataType type, const void* a,
                        Int lda, const Int* pivots, DataType type_b, void* b, Int ldb, void* work,
                        std::size_t bytes, void*, std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXsytrs", [&] {
    require_system(fill, n, columns, lda, ldb);
    require_types(type, {type_b});
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      solve(*handle, fill, n, columns, static_cast<const T*>(a), lda, pivots, static_cast<T*>(b),
            ldb, info);
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
