// SPDX-License-Identifier: MIT
// Level 3: matrices.
#include <algorithm>
#include <vector>

#include "cublas/handle.h"

namespace pycuda::cublas {
namespace {

/// Refuses an op(a) that is not rows x columns in the device's memory.
template <class T>
void require_operand(const Handle& handle, const T* a, Operation operation, Int rows, Int columns,
                     Int lda, const char* what) {
  if (operation == kNone) {
    require_matrix(handle, a, rows, columns, lda, what);
  } else {
    require_matrix(handle, a, columns, rows, lda, what);
  }
}

template <class T>
void gemm(Handle& handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const T* alpha,
          const T* a, Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {
  require(is_operation(op_a) && is_operation(op_b), "an operation is not one");
  require(m >= 0 && n >= 0 && k >= 0, "a size is negative");
  require_fitting({m, n, k, lda, ldb, ldc});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  require_operand(handle, a, op_a, m, k, lda, "a");
  require_operand(handle, b, op_b, k, n, ldb, "b");
  require_matrix(handle, c, m, n, ldc, "c");
  if (m == 0 || n == 0) return;
  enqueue(handle, [=, f = blas<T>("gemm")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(op_a), cblas_of(op_b), m, n, k, scalar_argument(alpha_now), a,
           lda, b, ldb, scalar_argument(beta_now), c, ldc);
  });
}

template <class T>
void multiply_symmetric(Handle& handle, const char* name, Side side, Fill fill, Int m, Int n,
                        const T* alpha, const T* a, Int lda, const T* b, Int ldb, const T* beta,
                        T* c, Int ldc) {
  require((side == kLeft || side == kRight) && (fill == kLower || fill == kUpper),
          "a side or a fill mode is not one");
  require(m >= 0 && n >= 0, "a size is negative");
  require_fitting({m, n, lda, ldb, ldc});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  const Int order = side == kLeft ? m : n;
  require_matrix(handle, a, order, order, lda, "a");
  require_matrix(handle, b, m, n, ldb, "b");
  require_matrix(handle, c, m, n, ldc, "c");
  if (m == 0 || n == 0) return;
  enqueue(handle, [=, f = blas<T>(name)] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(side), cblas_of(fill), m, n, scalar_argument(alpha_now), a, lda,
           b, ldb, scalar_argument(beta_now), c, ldc);
  });
}
template <class T>
void symm(Handle& handle, Side side, Fill fill, Int m, Int n, const T* alpha, const T* a, Int lda,
          const T* b, Int ldb, const T* beta, T* c, Int ldc) {
  multiply_symmetric(handle, "symm", side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void hemm(Handle& handle, Side side, Fill fill, Int m, Int n, const T* alpha, const T* a, Int lda,
          const T* b, Int ldb, const T* beta, T* c, Int ldc) {
  multiply_symmetric(handle, "hemm", side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}

void require_rank_update(Fill fill, Operation operation, Int n, Int k, bool hermitian) {
  require(fill == kLower || fill == kUpper, "the fill mode is not a triangle");
  require(is_operation(operation) && !(hermitian && operation == kTransposed),
          "the operation is not one of this function");
  require(n >= 0 && k >= 0, "a size is negative");
}

template <class T, class F, class G>
void rank_k(Handle& handle, bool hermitian, Fill fill, Operation operation, Int n, Int k,
            const F* alpha, const T* a, Int lda, const G* beta, T* c, Int ldc) {
  require_rank_update(fill, operation, n, k, hermitian);
  require_fitting({n, k, lda, ldc});
  const Scalar<F> factor(handle, alpha);
  const Scalar<G> kept(handle, beta);
  require_operand(handle, a, operation, n, k, lda, "a");
  require_matrix(handle, c, n, n, ldc, "c");
  if (n == 0) return;
  // A symmetric product takes the conjugated operation of real matrices for the transposed one.
  enqueue(handle, [=, f = blas<T>(hermitian ? "herk" : "syrk")] {
    const F alpha_now = factor.get();
    const G beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(fill), cblas_of(operation), n, k, scalar_argument(alpha_now), a,
           lda, scalar_argument(beta_now), c, ldc);
  });
}
template <class T>
void syrk(Handle& handle, Fill fill, Operation operation, Int n, Int k, const T* alpha, const T* a,
          Int lda, const T* beta, T* c, Int ldc) {
  require(!(is_complex<T> && operation == kConjugated), "syrk takes no conjugates");
  rank_k<T, T, T>(handle, false, fill, operation, n, k, alpha, a, lda, beta, c, ldc);
}
template <class T>
void herk(Handle& handle, Fill fill, Operation operation, Int n, Int k, const Real<T>* alpha,
          const T* a, Int lda, const Real<T>* beta, T* c, Int ldc) {
  rank_k<T, Real<T>, Real<T>>(handle, true, fill, operation, n, k, alpha, a, lda, beta, c, ldc);
}

template <class T, class G>
void rank_2k(Handle& handle, bool hermitian, Fill fill, Operation operation, Int n, Int k,
             const T* alpha, const T* a, Int lda, const T* b, Int ldb, const G* beta, T* c,
             Int ldc) {
  require_rank_update(fill, operation, n, k, hermitian);
  require_fitting({n, k, lda, ldb, ldc});
  const Scalar<T> factor(handle, alpha);
  const Scalar<G> kept(handle, beta);
  require_operand(handle, a, operation, n, k, lda, "a");
  require_operand(handle, b, operation, n, k, ldb, "b");
  require_matrix(handle, c, n, n, ldc, "c");
  if (n == 0) return;
  enqueue(handle, [=, f = blas<T>(hermitian ? "her2k" : "syr2k")] {
    const T alpha_now = factor.get();
    const G beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(fill), cblas_of(operation), n, k, scalar_argument(alpha_now), a,
           lda, b, ldb, scalar_argument(beta_now), c, ldc);
  });
}
template <class T>
void syr2k(Handle& handle, Fill fill, Operation operation, Int n, Int k, const T* alpha, const T* a,
           Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {
  require(!(is_complex<T> && operation == kConjugated), "syr2k takes no conjugates");
  rank_2k<T, T>(handle, false, fill, operation, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
template <class T>
void her2k(Handle& handle, Fill fill, Operation operation, Int n, Int k, const T* alpha, const T* a,
           Int lda, const T* b, Int ldb, const Real<T>* beta, T* c, Int ldc) {
  rank_2k<T, Real<T>>(handle, true, fill, operation, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void require_triangular(Side side, Fill fill, Operation operation, Diagonal diagonal, Int m,
                        Int n) {
  require((side == kLeft || side == kRight) && (fill == kLower || fill == kUpper),
          "a side or a fill mode is not one");
  require(is_operation(operation) && (diagonal == kNonUnit || diagonal == kUnit),
          "an operation or a diagonal is not one");
  require(m >= 0 && n >= 0, "a size is negative");
}

template <class T>
void trsm(Handle& handle, Side side, Fill fill, Operation operation, Diagonal diagonal, Int m,
          Int n, const T* alpha, const T* a, Int lda, T* b, Int ldb) {
  require_triangular(side, fill, operation, diagonal, m, n);
  require_fitting({m, n, lda, ldb});
  const Scalar<T> factor(handle, alpha);
  const Int order = side == kLeft ? m : n;
  require_matrix(handle, a, order, order, lda, "a");
  require_matrix(handle, b, m, n, ldb, "b");
  if (m == 0 || n == 0) return;
  enqueue(handle, [=, f = blas<T>("trsm")] {
    const T alpha_now = factor.get();
    f.call(kColumnMajor, cblas_of(side), cblas_of(fill), cblas_of(operation), cblas_of(diagonal), m,
           n, scalar_argument(alpha_now), a, lda, b, ldb);
  });
}

/// Unlike BLAS's, the result has a place of its own, which may be b's.
template <class T>
void trmm(Handle& handle, Side side, Fill fill, Operation operation, Diagonal diagonal, Int m,
          Int n, const T* alpha, const T* a, Int lda, const T* b, Int ldb, T* c, Int ldc) {
  require_triangular(side, fill, operation, diagonal, m, n);
  require_fitting({m, n, lda, ldb, ldc});
  const Scalar<T> factor(handle, alpha);
  const Int order = side == kLeft ? m : n;
  require_matrix(handle, a, order, order, lda, "a");
  require_matrix(handle, b, m, n, ldb, "b");
  require_matrix(handle, c, m, n, ldc, "c");
  if (m == 0 || n == 0) return;
  enqueue(handle, [=, f = blas<T>("trmm")] {
    if (b != c) {
      for (Int column = 0; column < n; ++column) std::copy_n(b + column * ldb, m, c + column * ldc);
    }
    const T alpha_now = factor.get();
    f.call(kColumnMajor, cblas_of(side), cblas_of(fill), cblas_of(operation), cblas_of(diagonal), m,
           n, scalar_argument(alpha_now), a, lda, c, ldc);
  });
}

template <class T>
T element(const T* a, Operation operation, Int row, Int column, Int lda) {
  switch (operation) {
    case kNone:
      return a[row + column * lda];
    case kTransposed:
      return a[column + row * lda];
    default:
      return conjugate(a[column + row * lda]);
  }
}

/// c = alpha * op(a) + beta * op(b). A matrix whose factor is 0 is not read.
template <class T>
void geam(Handle& handle, Operation op_a, Operation op_b, Int m, Int n, const T* alpha, const T* a,
          Int lda, const T* beta, const T* b, Int ldb, T* c, Int ldc) {
  require(is_operation(op_a) && is_operation(op_b), "an operation is not one");
  require(m >= 0 && n >= 0, "a size is negative");
  const Scalar<T> factor_a(handle, alpha);
  const Scalar<T> factor_b(handle, beta);
  require_matrix(c, m, n, ldc, "c");
  // In place, as documented: a matrix that is not turned may be c itself.
  require(!(a == c && (op_a != kNone || lda != ldc)), "a lies in c and is not c");
  require(!(b == c && (op_b != kNone || ldb != ldc)), "b lies in c and is not c");
  const bool host = handle.pointers == kHostPointers;
  if (!host || factor_a.get() != T{}) require_operand(handle, a, op_a, m, n, lda, "a");
  if (!host || factor_b.get() != T{}) require_operand(handle, b, op_b, m, n, ldb, "b");
  if (m == 0 || n == 0) return;
  enqueue(handle, [=] {
    const T alpha_now = factor_a.get();
    const T beta_now = factor_b.get();
    for (Int column = 0; column < n; ++column) {
      for (Int row = 0; row < m; ++row) {
        T sum{};
        if (alpha_now != T{}) sum += alpha_now * element(a, op_a, row, column, lda);
        if (beta_now != T{}) sum += beta_now * element(b, op_b, row, column, ldb);
        c[row + column * ldc] = sum;
      }
    }
  });
}

/// Rows or columns of a matrix times the elements of a vector.
template <class T>
void dgmm(Handle& handle, Side side, Int m, Int n, const T* a, Int lda, const T* x, Int step, T* c,
          Int ldc) {
  require(side == kLeft || side == kRight, "the side is not one");
  require(m >= 0 && n >= 0, "a size is negative");
  require_matrix(a, m, n, lda, "a");
  require_matrix(c, m, n, ldc, "c");
  if (m == 0 || n == 0) return;
  const Int length = side == kLeft ? m : n;
  require_vector(x, length, step, "x");
  enqueue(handle, [=] {
    const Int first = step < 0 ? (1 - length) * step : 0;
    for (Int column = 0; column < n; ++column) {
      for (Int row = 0; row < m; ++row)
        c[row + column * ldc] =
            a[row + column * lda] * x[first + (side == kLeft ? row : column) * step];
    }
  });
}

}  // namespace

#define gemm_PARAMETERS(I, T)                                                                \
  Handle *handle, Operation op_a, Operation op_b, I m, I n, I k, const T *alpha, const T *a, \
      I lda, const T *b, I ldb, const T *beta, T *c, I ldc
#define gemm_ARGUMENTS op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
CUBLAS_EXPORT_ALL(cublas, gemm, _v2, gemm)
CUBLAS_XT_EXPORT_ALL(gemm)
CUBLAS_EXPORT_COMPLEX(cublas, gemm3m, , gemm)
#define symm_PARAMETERS(I, T)                                                                    \
  Handle *handle, Side side, Fill fill, I m, I n, const T *alpha, const T *a, I lda, const T *b, \
      I ldb, const T *beta, T *c, I ldc
#define symm_ARGUMENTS side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc
#define hemm_PARAMETERS symm_PARAMETERS
#define hemm_ARGUMENTS symm_ARGUMENTS
CUBLAS_EXPORT_ALL(cublas, symm, _v2, symm)
CUBLAS_XT_EXPORT_ALL(symm)
CUBLAS_EXPORT_COMPLEX(cublas, hemm, _v2, hemm)
CUBLAS_XT_EXPORT_COMPLEX(hemm)
#define syrk_PARAMETERS(I, T)                                                           \
  Handle *handle, Fill fill, Operation op, I n, I k, const T *alpha, const T *a, I lda, \
      const T *beta, T *c, I ldc
#define syrk_ARGUMENTS fill, op, n, k, alpha, a, lda, beta, c, ldc
CUBLAS_EXPORT_ALL(cublas, syrk, _v2, syrk)
CUBLAS_XT_EXPORT_ALL(syrk)
#define herk_PARAMETERS(I, T)                                                                \
  Handle *handle, Fill fill, Operation op, I n, I k, const Real<T>*alpha, const T *a, I lda, \
      const Real<T>*beta, T *c, I ldc
#define herk_ARGUMENTS syrk_ARGUMENTS
CUBLAS_EXPORT_COMPLEX(cublas, herk, _v2, herk)
CUBLAS_XT_EXPORT_COMPLEX(herk)
#define syr2k_PARAMETERS(I, T)                                                          \
  Handle *handle, Fill fill, Operation op, I n, I k, const T *alpha, const T *a, I lda, \
      const T *b, I ldb, const T *beta, T *c, I ldc
#define syr2k_ARGUMENTS fill, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc
CUBLAS_EXPORT_ALL(cublas, syr2k, _v2, syr2k)
CUBLAS_XT_EXPORT_ALL(syr2k)
#define her2k_PARAMETERS(I, T)                                                          \
  Handle *handle, Fill fill, Operation op, I n, I k, const T *alpha, const T *a, I lda, \
      const T *b, I ldb, const Real<T>*beta, T *c, I ldc
#define her2k_ARGUMENTS syr2k_ARGUMENTS
CUBLAS_EXPORT_COMPLEX(cublas, her2k, _v2, her2k)
CUBLAS_XT_EXPORT_COMPLEX(her2k)
#define trsm_PARAMETERS(I, T)                                                                      \
  Handle *handle, Side side, Fill fill, Operation op, Diagonal diagonal, I m, I n, const T *alpha, \
      const T *a, I lda, T *b, I ldb
#define trsm_ARGUMENTS side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb
CUBLAS_EXPORT_ALL(cublas, trsm, _v2, trsm)
CUBLAS_XT_EXPORT_ALL(trsm)
#define trmm_PARAMETERS(I, T)                                                                      \
  Handle *handle, Side side, Fill fill, Operation op, Diagonal diagonal, I m, I n, const T *alpha, \
      const T *a, I lda, const T *b, I ldb, T *c, I ldc
#define trmm_ARGUMENTS side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb, c, ldc
CUBLAS_EXPORT_ALL(cublas, trmm, _v2, trmm)
CUBLAS_XT_EXPORT_ALL(trmm)
#define geam_PARAMETERS(I, T)                                                                  \
  Handle *handle, Operation op_a, Operation op_b, I m, I n, const T *alpha, const T *a, I lda, \
      const T *beta, const T *b, I ldb, T *c, I ldc
#define geam_ARGUMENTS op_a, op_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc
CUBLAS_EXPORT_ALL(cublas, geam, , geam)
#define dgmm_PARAMETERS(I, T) \
  Handle *handle, Side side, I m, I n, const T *a, I lda, const T *x, I incx, T *c, I ldc
#define dgmm_ARGUMENTS side, m, n, a, lda, x, incx, c, ldc
CUBLAS_EXPORT_ALL(cublas, dgmm, , dgmm)

}  // namespace pycuda::cublas
