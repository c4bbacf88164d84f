// SPDX-License-Identifier: MIT
// Many small problems by one call. The pointers to them lie in device memory: they are read when
// the call's turn in the stream has come, and where nothing is captured they are checked before.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cublas/handle.h"
#include "hostblas/matrices.h"
#include "hostblas/pointer_lists.h"

namespace pycuda::cublas {
namespace {

void require_products(Operation op_a, Operation op_b, Int m, Int n, Int k, Int lda, Int ldb,
                      Int ldc, Int count) {
  require(is_operation(op_a) && is_operation(op_b), "an operation is not one");
  require(m >= 0 && n >= 0 && k >= 0 && count >= 0, "a size is negative");
  require(lda >= std::max<Int>(1, op_a == kNone ? m : k) &&
              ldb >= std::max<Int>(1, op_b == kNone ? k : n) && ldc >= std::max<Int>(1, m),
          "a leading dimension is smaller than the rows");
  require_fitting({m, n, k, lda, ldb, ldc});
}

template <class T>
void gemm_batched(Handle& handle, Operation op_a, Operation op_b, Int m, Int n, Int k,
                  const T* alpha, const T* const* a, Int lda, const T* const* b, Int ldb,
                  const T* beta, T* const* c, Int ldc, Int count) {
  require_products(op_a, op_b, m, n, k, lda, ldb, ldc, count);
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  if (m == 0 || n == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(op_a, m, k, lda), "a");
  require_pointers(handle, b, count, operand_bytes<T>(op_b, k, n, ldb), "b");
  require_pointers(handle, c, count, operand_bytes<T>(kNone, m, n, ldc), "c");
  enqueue(handle, [=, f = blas<T>("gemm")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    for (Int i = 0; i < count; ++i)
      f.call(kColumnMajor, cblas_of(op_a), cblas_of(op_b), m, n, k, scalar_argument(alpha_now),
             a[i], lda, b[i], ldb, scalar_argument(beta_now), c[i], ldc);
  });
}

/// Matrices at equal distances, which may be negative or 0.
template <class T>
void require_strided(const T* first, long long stride, Int count, std::uint64_t bytes,
                     const char* what) {
  require_memory(first, bytes, what);
  require_memory(first + stride * (count - 1), bytes, what);
}

template <class T>
void gemm_strided(Handle& handle, Operation op_a, Operation op_b, Int m, Int n, Int k,
                  const T* alpha, const T* a, Int lda, long long stride_a, const T* b, Int ldb,
                  long long stride_b, const T* beta, T* c, Int ldc, long long stride_c, Int count) {
  require_products(op_a, op_b, m, n, k, lda, ldb, ldc, count);
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  if (m == 0 || n == 0 || count == 0) return;
  require_strided(a, stride_a, count, operand_bytes<T>(op_a, m, k, lda), "a");
  require_strided(b, stride_b, count, operand_bytes<T>(op_b, k, n, ldb), "b");
  require_strided(c, stride_c, count, operand_bytes<T>(kNone, m, n, ldc), "c");
  enqueue(handle, [=, f = blas<T>("gemm")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    for (Int i = 0; i < count; ++i)
      f.call(kColumnMajor, cblas_of(op_a), cblas_of(op_b), m, n, k, scalar_argument(alpha_now),
             a + i * stride_a, lda, b + i * stride_b, ldb, scalar_argument(beta_now),
             c + i * stride_c, ldc);
  });
}

template <class T>
void trsm_batched(Handle& handle, Side side, Fill fill, Operation operation, Diagonal diagonal,
                  Int m, Int n, const T* alpha, const T* const* a, Int lda, T* const* b, Int ldb,
                  Int count) {
  require((side == kLeft || side == kRight) && (fill == kLower || fill == kUpper) &&
              is_operation(operation) && (diagonal == kNonUnit || diagonal == kUnit),
          "a side, fill mode, operation or diagonal is not one");
  require(m >= 0 && n >= 0 && count >= 0, "a size is negative");
  const Int order = side == kLeft ? m : n;
  require(lda >= std::max<Int>(1, order) && ldb >= std::max<Int>(1, m),
          "a leading dimension is smaller than the rows");
  require_fitting({m, n, lda, ldb});
  const Scalar<T> factor(handle, alpha);
  if (m == 0 || n == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, order, order, lda), "a");
  require_pointers(handle, b, count, operand_bytes<T>(kNone, m, n, ldb), "b");
  enqueue(handle, [=, f = blas<T>("trsm")] {
    const T alpha_now = factor.get();
    for (Int i = 0; i < count; ++i)
      f.call(kColumnMajor, cblas_of(side), cblas_of(fill), cblas_of(operation), cblas_of(diagonal),
             m, n, scalar_argument(alpha_now), a[i], lda, b[i], ldb);
  });
}

template <class T>
Real<T> magnitude(T value) {
  if constexpr (is_complex<T>) return std::abs(value.real()) + std::abs(value.imag());
  return std::abs(value);
}

/// A = P * L * U in A's place, with partial pivoting, or without where there is no room for pivots.
/// The number, from 1, of the first pivot that is 0; 0 if none is.
template <class T>
int factorise(T* a, Int n, Int lda, int* pivots) {
  int singular = 0;
  for (Int k = 0; k < n; ++k) {
    Int best = k;
    for (Int row = k + 1; pivots != nullptr && row < n; ++row) {
      if (magnitude(a[row + k * lda]) > magnitude(a[best + k * lda])) best = row;
    }
    if (pivots != nullptr) pivots[k] = static_cast<int>(best + 1);
    if (a[best + k * lda] == T{}) {
      if (singular == 0) singular = static_cast<int>(k + 1);
      continue;
    }
    for (Int column = 0; best != k && column < n; ++column)
      std::swap(a[k + column * lda], a[best + column * lda]);
    const T pivot = a[k + k * lda];
    for (Int row = k + 1; row < n; ++row) a[row + k * lda] /= pivot;
    for (Int column = k + 1; column < n; ++column) {
      const T factor = a[k + column * lda];
      for (Int row = k + 1; row < n; ++row) a[row + column * lda] -= a[row + k * lda] * factor;
    }
  }
  return singular;
}

template <class T>
void getrf(Handle& handle, Int n, T* const* a, Int lda, int* pivots, int* info, Int count) {
  require(n >= 0 && count >= 0, "a size is negative");
  require(lda >= std::max<Int>(1, n), "a leading dimension is smaller than the rows");
  if (n == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, n, n, lda), "a");
  require_memory(info, static_cast<std::uint64_t>(count) * sizeof(int), "info");
  if (pivots != nullptr)
    require_memory(pivots, static_cast<std::uint64_t>(n * count) * sizeof(int), "the pivots");
  enqueue(handle, [=] {
    for (Int i = 0; i < count; ++i)
      info[i] = factorise(a[i], n, lda, pivots != nullptr ? pivots + i * n : nullptr);
  });
}

/// Solves with a factorised matrix, in b's place.
template <class T>
void solve(const Function& trsm, Operation operation, Int n, Int columns, const T* a, Int lda,
           const int* pivots, T* b, Int ldb) {
  const T one{1};
  const auto exchange = [&](Int k) {
    const Int other = pivots[k] - 1;
    if (other < 0 || other >= n || other == k) return;
    for (Int column = 0; column < columns; ++column)
      std::swap(b[k + column * ldb], b[other + column * ldb]);
  };
  const auto triangle = [&](Fill fill, Diagonal diagonal) {
    trsm.call(kColumnMajor, cblas_of(kLeft), cblas_of(fill), cblas_of(operation),
              cblas_of(diagonal), n, columns, scalar_argument(one), a, lda, b, ldb);
  };
  if (operation == kNone) {
    for (Int k = 0; pivots != nullptr && k < n; ++k) exchange(k);
    triangle(kLower, kUnit);
    triangle(kUpper, kNonUnit);
  } else {
    triangle(kUpper, kNonUnit);
    triangle(kLower, kUnit);
    for (Int k = n; pivots != nullptr && k-- > 0;) exchange(k);
  }
}

template <class T>
void getrs(Handle& handle, Operation operation, Int n, Int columns, const T* const* a, Int lda,
           const int* pivots, T* const* b, Int ldb, int* info, Int count) {
  require(info != nullptr, "info is null");
  *info = 0;  // the host's, always
  require(is_operation(operation) && n >= 0 && columns >= 0 && count >= 0,
          "an operation or a size is not one");
  require(lda >= std::max<Int>(1, n) && ldb >= std::max<Int>(1, n),
          "a leading dimension is smaller than the rows");
  if (n == 0 || columns == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, n, n, lda), "a");
  require_pointers(handle, b, count, operand_bytes<T>(kNone, n, columns, ldb), "b");
  if (pivots != nullptr)
    require_memory(pivots, static_cast<std::uint64_t>(n * count) * sizeof(int), "the pivots");
  enqueue(handle, [=, f = blas<T>("trsm")] {
    for (Int i = 0; i < count; ++i)
      solve(f, operation, n, columns, a[i], lda, pivots != nullptr ? pivots + i * n : nullptr, b[i],
            ldb);
  });
}

/// The first diagonal element that is 0, from 1; 0 if none is.
template <class T>
int first_zero(const T* a, Int n, Int lda) {
  for (Int k = 0; k < n; ++k) {
    if (a[k + k * lda] == T{}) return static_cast<int>(k + 1);
  }
  return 0;
}

template <class T>
void getri(Handle& handle, Int n, const T* const* a, Int lda, const int* pivots, T* const* c,
           Int ldc, int* info, Int count) {
  require(n >= 0 && count >= 0, "a size is negative");
  require(lda >= std::max<Int>(1, n) && ldc >= std::max<Int>(1, n),
          "a leading dimension is smaller than the rows");
  if (n == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, n, n, lda), "a");
  require_pointers(handle, c, count, operand_bytes<T>(kNone, n, n, ldc), "c");
  require_memory(info, static_cast<std::uint64_t>(count) * sizeof(int), "info");
  if (pivots != nullptr)
    require_memory(pivots, static_cast<std::uint64_t>(n * count) * sizeof(int), "the pivots");
  enqueue(handle, [=, f = blas<T>("trsm")] {
    for (Int i = 0; i < count; ++i) {
      info[i] = first_zero(a[i], n, lda);
      if (info[i] != 0) continue;
      fill_identity(c[i], n, ldc);
      solve(f, kNone, n, n, a[i], lda, pivots != nullptr ? pivots + i * n : nullptr, c[i], ldc);
    }
  });
}

/// The inverses at once, of matrices with at most 32 rows, as documented.
template <class T>
void matinv(Handle& handle, Int n, const T* const* a, Int lda, T* const* c, Int ldc, int* info,
            Int count) {
  constexpr Int most = 32;
  require(n >= 0 && n <= most && count >= 0, "a size is negative, or larger than 32");
  require(lda >= std::max<Int>(1, n) && ldc >= std::max<Int>(1, n),
          "a leading dimension is smaller than the rows");
  if (n == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, n, n, lda), "a");
  require_pointers(handle, c, count, operand_bytes<T>(kNone, n, n, ldc), "c");
  require_memory(info, static_cast<std::uint64_t>(count) * sizeof(int), "info");
  enqueue(handle, [=, f = blas<T>("trsm")] {
    for (Int i = 0; i < count; ++i) {
      std::vector<T> factors(static_cast<std::size_t>(n * n));
      std::vector<int> pivots(static_cast<std::size_t>(n));
      for (Int column = 0; column < n; ++column)
        std::copy_n(a[i] + column * lda, n, factors.data() + column * n);
      info[i] = factorise(factors.data(), n, n, pivots.data());
      if (info[i] != 0) continue;
      fill_identity(c[i], n, ldc);
      solve(f, kNone, n, n, factors.data(), n, pivots.data(), c[i], ldc);
    }
  });
}

}  // namespace

#define gemm_batched_PARAMETERS(I, T)                                                        \
  Handle *handle, Operation op_a, Operation op_b, I m, I n, I k, const T *alpha,             \
      const T *const *a, I lda, const T *const *b, I ldb, const T *beta, T *const *c, I ldc, \
      I count
#define gemm_batched_ARGUMENTS op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count
CUBLAS_EXPORT_ALL(cublas, gemmBatched, , gemm_batched)
#define gemm_strided_PARAMETERS(I, T)                                                        \
  Handle *handle, Operation op_a, Operation op_b, I m, I n, I k, const T *alpha, const T *a, \
      I lda, long long stride_a, const T *b, I ldb, long long stride_b, const T *beta, T *c, \
      I ldc, long long stride_c, I count
#define gemm_strided_ARGUMENTS \
  op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count
CUBLAS_EXPORT_ALL(cublas, gemmStridedBatched, , gemm_strided)
CUBLAS_EXPORT(cublasCgemm3mStridedBatched, gemm_strided, ComplexFloat)
#define trsm_batched_PARAMETERS(I, T)                                                              \
  Handle *handle, Side side, Fill fill, Operation op, Diagonal diagonal, I m, I n, const T *alpha, \
      const T *const *a, I lda, T *const *b, I ldb, I count
#define trsm_batched_ARGUMENTS side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb, count
CUBLAS_EXPORT_ALL(cublas, trsmBatched, , trsm_batched)

// The solvers have 32-bit sizes alone.
#define CUBLAS_SOLVERS(prefix, T)                                                                  \
  extern "C" Status prefix##getrfBatched(Handle* handle, int n, T* const* a, int lda, int* pivots, \
                                         int* info, int count) {                                   \
    return with_handle(handle, #prefix "getrfBatched",                                             \
                       [&] { getrf<T>(*handle, n, a, lda, pivots, info, count); });                \
  }                                                                                                \
  extern "C" Status prefix##getrsBatched(Handle* handle, Operation op, int n, int columns,         \
                                         const T* const* a, int lda, const int* pivots,            \
                                         T* const* b, int ldb, int* info, int count) {             \
    return with_handle(handle, #prefix "getrsBatched", [&] {                                       \
      getrs<T>(*handle, op, n, columns, a, lda, pivots, b, ldb, info, count);                      \
    });                                                                                            \
  }                                                                                                \
  extern "C" Status prefix##getriBatched(Handle* handle, int n, const T* const* a, int lda,        \
                                         const int* pivots, T* const* c, int ldc, int* info,       \
                                         int count) {                                              \
    return with_handle(handle, #prefix "getriBatched",                                             \
                       [&] { getri<T>(*handle, n, a, lda, pivots, c, ldc, info, count); });        \
  }                                                                                                \
  extern "C" Status prefix##matinvBatched(Handle* handle, int n, const T* const* a, int lda,       \
                                          T* const* c, int ldc, int* info, int count) {            \
    return with_handle(handle, #prefix "matinvBatched",                                            \
                       [&] { matinv<T>(*handle, n, a, lda, c, ldc, info, count); });               \
  }
CUBLAS_SOLVERS(cublasS, float)
CUBLAS_SOLVERS(cublasD, double)
CUBLAS_SOLVERS(cublasC, ComplexFloat)
CUBLAS_SOLVERS(cublasZ, ComplexDouble)

}  // namespace pycuda::cublas
