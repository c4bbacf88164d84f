// SPDX-License-Identifier: MIT
// LU factors with and without pivots, and solutions from them.
#include <cstdlib>
#include <stdexcept>

#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

void require_shape(Int m, Int n, Int lda) {
  require(m >= 0 && n >= 0, "a size is negative");
  require_leading(lda, m);
  require_fitting({m, n, lda});
}

template <class T>
void getrf_size(Handle&, int m, int n, int lda, int* size) {
  require_shape(m, n, lda);
  give_size(size, workspace_elements(n));
}

/// Columns `first` to `last` of A = L * U, each used for those right of it in that range. The
/// number, from 1, of the first pivot that is 0; else 0.
template <class T>
Int factor_columns(T* a, Int m, Int first, Int last, Int lda) {
  Int singular = 0;
  for (Int k = first; k < last; ++k) {
    T* const column = a + k * lda;
    if (column[k] == T{}) {
      if (singular == 0) singular = k + 1;
      continue;
    }
    for (Int row = k + 1; row < m; ++row) column[row] /= column[k];
    for (Int right = k + 1; right < last; ++right) {
      T* const other = a + right * lda;
      for (Int row = k + 1; row < m; ++row) other[row] -= column[row] * other[k];
    }
  }
  return singular;
}

/// A = L * U without pivots, which LAPACK has not: some columns at a time, the rest by products.
template <class T>
Int factor_without_pivots(const LapackFunction& trsm, const LapackFunction& gemm, T* a, Int m,
                          Int n, Int lda) {
  constexpr Int block = 48;
  Int singular = 0;
  for (Int first = 0; first < std::min(m, n); first += block) {
    const Int last = std::min({first + block, m, n});
    const Int found = factor_columns(a, m, first, last, lda);
    if (singular == 0) singular = found;
    const Int rows = last - first;
    const Int below = m - last;
    const Int right = n - last;
    if (right == 0) break;
    T* const upper = a + first + last * lda;
    trsm.run('L', 'L', 'N', 'U', rows, right, T{1}, a + first + first * lda, lda, upper, lda);
    if (below != 0)
      gemm.run('N', 'N', below, right, rows, T{-1}, a + last + first * lda, lda, upper, lda, T{1},
               a + last + last * lda, lda);
  }
  return singular;
}

/// Pivots are 32 bits wide in one interface and 64 in the other; null: none.
template <class T, class P>
void factor(Handle& handle, Int m, Int n, T* a, Int lda, P* pivots, int* info) {
  require_shape(m, n, lda);
  require_matrix(a, m, n, lda, "a");
  require_info(info);
  const Int least = std::min(m, n);
  if (pivots == nullptr) {
    enqueue(handle, [=, trsm = lapack<T>("trsm"), gemm = lapack<T>("gemm")] {
      set_info(info, factor_without_pivots(trsm, gemm, a, m, n, lda), least);
    });
    return;
  }
  require_vector(pivots, least, 1, "the pivots");
  enqueue(handle, [=, f = lapack<T>("getrf")] {
    Integers rows(least);
    set_info(info, f.call(m, n, a, lda, rows.data()), least);
    for (Int i = 0; i < least; ++i) pivots[i] = static_cast<P>(rows.get(i));
  });
}
template <class T>
void getrf(Handle& handle, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {
  require_shape(m, n, lda);
  require_memory(work, static_cast<std::uint64_t>(workspace_elements(n)) * sizeof(T),
                 "the workspace");
  factor(handle, m, n, a, lda, pivots, info);
}

/// For LAPACK, which follows them without a look.
template <class P>
Integers checked_pivots(const P* pivots, Int count, Int rows) {
  Integers result(count);
  for (Int i = 0; i < count; ++i) {
    const Int pivot = pivots != nullptr ? static_cast<Int>(pivots[i]) : i + 1;
    if (pivot < 1 || pivot > rows) throw std::out_of_range("a pivot is no row");
    result.set(i, pivot);
  }
  return result;
}

template <class T, class P>
void solve(Handle& handle, Operation operation, Int n, Int columns, const T* a, Int lda,
           const P* pivots, T* b, Int ldb, int* info) {
  require(is_operation(operation), "the operation is not one");
  require(n >= 0 && columns >= 0, "a size is negative");
  require_fitting({n, columns, lda, ldb});
  require_matrix(a, n, n, lda, "a");
  require_matrix(b, n, columns, ldb, "b");
  if (pivots != nullptr) require_vector(pivots, n, 1, "the pivots");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("getrs")] {
    Integers rows = checked_pivots(pivots, n, n);
    set_info(info, f.call(letter_of(operation), n, columns, a, lda, rows.data(), b, ldb), 0);
  });
}
template <class T>
void getrs(Handle& handle, Operation operation, int n, int columns, const T* a, int lda,
           const int* pivots, T* b, int ldb, int* info) {
  solve(handle, operation, n, columns, a, lda, pivots, b, ldb, info);
}

/// Exchanges row i and row pivots[...] of all columns, for i from `first` to `last`, or back if the
/// step is negative.
template <class T>
void laswp(Handle& handle, int n, T* a, int lda, int first, int last, const int* pivots, int step) {
  require(n >= 0 && lda >= 1 && first >= 1 && last >= first && last <= lda && step != 0,
          "a size, a row or the step is out of range");
  const Int width = std::abs(Int{step});
  const Int count = first - 1 + (Int{last} - first) * width + 1;
  require_fitting({n, lda});
  require_matrix(a, last, n, lda, "a");
  require_vector(pivots, count, 1, "the pivots");
  enqueue(handle, [=, f = lapack<T>("laswp")] {
    // Without a step here; pivots of rows that are not exchanged are not read.
    Integers rows(last);
    for (Int row = first; row <= last; ++row) {
      const Int pivot = pivots[first - 1 + (row - first) * width];
      if (pivot < 1 || pivot > lda) throw std::out_of_range("a pivot is no row");
      rows.set(row - 1, pivot);
    }
    f.run(Int{n}, a, Int{lda}, Int{first}, Int{last}, rows.data(), Int{step < 0 ? -1 : 1});
  });
}

}  // namespace

#define getrf_size_PARAMETERS(T) int m, int n, T *, int lda, int *size
#define getrf_size_ARGUMENTS m, n, lda, size
CUSOLVER_EXPORT_ALL(getrf_bufferSize, getrf_size)
#define getrf_PARAMETERS(T) int m, int n, T *a, int lda, T *work, int *pivots, int *info
#define getrf_ARGUMENTS m, n, a, lda, work, pivots, info
CUSOLVER_EXPORT_ALL(getrf, getrf)
#define getrs_PARAMETERS(T)                                                                       \
  Operation operation, int n, int columns, const T *a, int lda, const int *pivots, T *b, int ldb, \
      int *info
#define getrs_ARGUMENTS operation, n, columns, a, lda, pivots, b, ldb, info
CUSOLVER_EXPORT_ALL(getrs, getrs)
#define laswp_PARAMETERS(T) int n, T *a, int lda, int first, int last, const int *pivots, int step
#define laswp_ARGUMENTS n, a, lda, first, last, pivots, step
CUSOLVER_EXPORT_ALL(laswp, laswp)

extern "C" {

Status cusolverDnXgetrf_bufferSize(Handle* handle, const Parameters* parameters, Int m, Int n,
                                   DataType type, const void*, Int lda, DataType computed,
                                   std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXgetrf_bufferSize", [&] {
    require_parameters(parameters);
    require_shape(m, n, lda);
    require_types(type, {computed});
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXgetrf(Handle* handle, const Parameters* parameters, Int m, Int n, DataType type,
                        void* a, Int lda, Int* pivots, DataType computed, void* work,
                        std::size_t bytes, void*, std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXgetrf", [&] {
    require_parameters(parameters);
    require_shape(m, n, lda);
    require_types(type, {computed});
    require_workspace_bytes(work, bytes, type, n);
    with_type(type,
              [&]<class T>(T) { factor(*handle, m, n, static_cast<T*>(a), lda, pivots, info); });
  });
}
Status cusolverDnXgetrs(Handle* handle, const Parameters* parameters, Operation operation, Int n,
                        Int columns, DataType type, const void* a, Int lda, const Int* pivots,
                        DataType type_b, void* b, Int ldb, int* info) {
  return with_handle(handle, "cusolverDnXgetrs", [&] {
    require_parameters(parameters);
    require_types(type, {type_b});
    with_type(type, [&]<class T>(T) {
      solve(*handle, operation, n, columns, static_cast<const T*>(a), lda, pivots,
            static_cast<T*>(b), ldb, info);
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
