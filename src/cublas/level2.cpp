// SPDX-License-Identifier: MIT
// Level 2: a matrix and vectors.
#include <algorithm>

#include "cublas/handle.h"

namespace pycuda::cublas {
namespace {

void require_triangle(Fill fill, Int n) {
  require(is_triangle(fill), "the fill mode is not a triangle");
  require(n >= 0, "a size is negative");
}

void require_steps(std::initializer_list<Int> steps) {
  require(std::ranges::find(steps, 0) == steps.end(), "a vector's increment is 0");
}

/// Where an element of a vector lies: with a negative step the first is the last in memory.
Int place_of(Int i, Int n, Int step) { return step < 0 ? (i + 1 - n) * step : i * step; }

/// Bytes of a triangle that is stored without gaps.
template <class T>
std::uint64_t packed_bytes(Int n) {
  const auto size = static_cast<std::uint64_t>(n);
  return size * (size + 1) / 2 * sizeof(T);
}

template <class T>
void gemv(Handle& handle, Operation operation, Int m, Int n, const T* alpha, const T* a, Int lda,
          const T* x, Int step_x, const T* beta, T* y, Int step_y) {
  require(is_operation(operation) && m >= 0 && n >= 0, "an operation or a size is not one");
  require_steps({step_x, step_y});
  require_fitting({m, n, lda, step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  require_matrix(a, m, n, lda, "a");
  if (m == 0 || n == 0) return;
  require_vector(x, operation == kNone ? n : m, step_x, "x");
  require_vector(y, operation == kNone ? m : n, step_y, "y");
  enqueue(handle, [=, f = blas<T>("gemv")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(operation), m, n, scalar_argument(alpha_now), a, lda, x, step_x,
           scalar_argument(beta_now), y, step_y);
  });
}

template <class T>
void gbmv(Handle& handle, Operation operation, Int m, Int n, Int kl, Int ku, const T* alpha,
          const T* a, Int lda, const T* x, Int step_x, const T* beta, T* y, Int step_y) {
  require(is_operation(operation) && m >= 0 && n >= 0 && kl >= 0 && ku >= 0,
          "an operation or a size is not one");
  require_steps({step_x, step_y});
  require_fitting({m, n, kl, ku, lda, step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  require_matrix(a, kl + ku + 1, n, lda, "a");
  if (m == 0 || n == 0) return;
  require_vector(x, operation == kNone ? n : m, step_x, "x");
  require_vector(y, operation == kNone ? m : n, step_y, "y");
  enqueue(handle, [=, f = blas<T>("gbmv")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(operation), m, n, kl, ku, scalar_argument(alpha_now), a, lda, x,
           step_x, scalar_argument(beta_now), y, step_y);
  });
}

/// a += alpha * x * y^T, or y^H.
template <class T>
void add_product(Handle& handle, const char* name, Int m, Int n, const T* alpha, const T* x,
                 Int step_x, const T* y, Int step_y, T* a, Int lda) {
  require(m >= 0 && n >= 0, "a size is negative");
  require_steps({step_x, step_y});
  require_fitting({m, n, step_x, step_y, lda});
  const Scalar<T> factor(handle, alpha);
  require_matrix(a, m, n, lda, "a");
  if (m == 0 || n == 0) return;
  require_vector(x, m, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>(name)] {
    const T alpha_now = factor.get();
    f.call(kColumnMajor, m, n, scalar_argument(alpha_now), x, step_x, y, step_y, a, lda);
  });
}
template <class T>
void ger(Handle& handle, Int m, Int n, const T* alpha, const T* x, Int step_x, const T* y,
         Int step_y, T* a, Int lda) {
  add_product(handle, is_complex<T> ? "geru" : "ger", m, n, alpha, x, step_x, y, step_y, a, lda);
}
template <class T>
void gerc(Handle& handle, Int m, Int n, const T* alpha, const T* x, Int step_x, const T* y,
          Int step_y, T* a, Int lda) {
  add_product(handle, "gerc", m, n, alpha, x, step_x, y, step_y, a, lda);
}

/// A symmetric or Hermitian matrix times a vector.
template <class T>
void symv(Handle& handle, Fill fill, Int n, const T* alpha, const T* a, Int lda, const T* x,
          Int step_x, const T* beta, T* y, Int step_y) {
  require_triangle(fill, n);
  require_steps({step_x, step_y});
  require_fitting({n, lda, step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  require_matrix(a, n, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "hemv" : "symv")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(fill), n, scalar_argument(alpha_now), a, lda, x, step_x,
           scalar_argument(beta_now), y, step_y);
  });
}

template <class T>
void sbmv(Handle& handle, Fill fill, Int n, Int k, const T* alpha, const T* a, Int lda, const T* x,
          Int step_x, const T* beta, T* y, Int step_y) {
  require_triangle(fill, n);
  require(k >= 0, "a size is negative");
  require_steps({step_x, step_y});
  require_fitting({n, k, lda, step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  require_matrix(a, k + 1, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "hbmv" : "sbmv")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(fill), n, k, scalar_argument(alpha_now), a, lda, x, step_x,
           scalar_argument(beta_now), y, step_y);
  });
}

template <class T>
void spmv(Handle& handle, Fill fill, Int n, const T* alpha, const T* a, const T* x, Int step_x,
          const T* beta, T* y, Int step_y) {
  require_triangle(fill, n);
  require_steps({step_x, step_y});
  require_fitting({n, step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  if (n == 0) return;
  require_memory(a, packed_bytes<T>(n), "a");
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "hpmv" : "spmv")] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    f.call(kColumnMajor, cblas_of(fill), n, scalar_argument(alpha_now), a, x, step_x,
           scalar_argument(beta_now), y, step_y);
  });
}

template <class T>
void syr(Handle& handle, Fill fill, Int n, const Real<T>* alpha, const T* x, Int step_x, T* a,
         Int lda) {
  require_triangle(fill, n);
  require_steps({step_x});
  require_fitting({n, step_x, lda});
  const Scalar<Real<T>> factor(handle, alpha);
  require_matrix(a, n, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step_x, "x");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "her" : "syr")] {
    f.call(kColumnMajor, cblas_of(fill), n, factor.get(), x, step_x, a, lda);
  });
}

template <class T>
void spr(Handle& handle, Fill fill, Int n, const Real<T>* alpha, const T* x, Int step_x, T* a) {
  require_triangle(fill, n);
  require_steps({step_x});
  require_fitting({n, step_x});
  const Scalar<Real<T>> factor(handle, alpha);
  if (n == 0) return;
  require_memory(a, packed_bytes<T>(n), "a");
  require_vector(x, n, step_x, "x");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "hpr" : "spr")] {
    f.call(kColumnMajor, cblas_of(fill), n, factor.get(), x, step_x, a);
  });
}

template <class T>
void syr2(Handle& handle, Fill fill, Int n, const T* alpha, const T* x, Int step_x, const T* y,
          Int step_y, T* a, Int lda) {
  require_triangle(fill, n);
  require_steps({step_x, step_y});
  require_fitting({n, step_x, step_y, lda});
  const Scalar<T> factor(handle, alpha);
  require_matrix(a, n, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "her2" : "syr2")] {
    const T alpha_now = factor.get();
    f.call(kColumnMajor, cblas_of(fill), n, scalar_argument(alpha_now), x, step_x, y, step_y, a,
           lda);
  });
}

template <class T>
void spr2(Handle& handle, Fill fill, Int n, const T* alpha, const T* x, Int step_x, const T* y,
          Int step_y, T* a) {
  require_triangle(fill, n);
  require_steps({step_x, step_y});
  require_fitting({n, step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  if (n == 0) return;
  require_memory(a, packed_bytes<T>(n), "a");
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=, f = blas<T>(is_complex<T> ? "hpr2" : "spr2")] {
    const T alpha_now = factor.get();
    f.call(kColumnMajor, cblas_of(fill), n, scalar_argument(alpha_now), x, step_x, y, step_y, a);
  });
}

/// Whether an element counts in this triangle.
bool is_in(Fill fill, Int row, Int column) {
  return fill == kLower ? row >= column : row <= column;
}

// Complex matrices that are symmetric, not Hermitian: CBLAS has no functions for them.

template <class T>
void symmetric_symv(Handle& handle, Fill fill, Int n, const T* alpha, const T* a, Int lda,
                    const T* x, Int step_x, const T* beta, T* y, Int step_y) {
  require_triangle(fill, n);
  require_steps({step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  const Scalar<T> kept(handle, beta);
  require_matrix(a, n, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step_x, "x");
  require_vector(y, n, step_y, "y");
  enqueue(handle, [=] {
    const T alpha_now = factor.get();
    const T beta_now = kept.get();
    for (Int row = 0; row < n; ++row) {
      T sum{};
      for (Int column = 0; column < n; ++column)
        sum += (is_in(fill, row, column) ? a[row + column * lda] : a[column + row * lda]) *
               x[place_of(column, n, step_x)];
      T& result = y[place_of(row, n, step_y)];
      result = alpha_now * sum + (beta_now == T{} ? T{} : beta_now * result);
    }
  });
}

/// a += alpha * x * x^T in one triangle or, with y, alpha * (x * y^T + y * x^T).
template <class T>
void symmetric_update(Handle& handle, Fill fill, Int n, const T* alpha, const T* x, Int step_x,
                      const T* y, Int step_y, T* a, Int lda) {
  require_triangle(fill, n);
  require_steps({step_x, step_y});
  const Scalar<T> factor(handle, alpha);
  require_matrix(a, n, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step_x, "x");
  if (y != nullptr) require_vector(y, n, step_y, "y");
  enqueue(handle, [=] {
    const T alpha_now = factor.get();
    const auto of_x = [&](Int i) { return x[place_of(i, n, step_x)]; };
    const auto of_y = [&](Int i) { return y[place_of(i, n, step_y)]; };
    for (Int column = 0; column < n; ++column) {
      for (Int row = 0; row < n; ++row) {
        if (!is_in(fill, row, column)) continue;
        const T product = y == nullptr ? of_x(row) * of_x(column)
                                       : of_x(row) * of_y(column) + of_y(row) * of_x(column);
        a[row + column * lda] += alpha_now * product;
      }
    }
  });
}
template <class T>
void symmetric_syr(Handle& handle, Fill fill, Int n, const T* alpha, const T* x, Int step_x, T* a,
                   Int lda) {
  symmetric_update<T>(handle, fill, n, alpha, x, step_x, nullptr, 1, a, lda);
}
template <class T>
void symmetric_syr2(Handle& handle, Fill fill, Int n, const T* alpha, const T* x, Int step_x,
                    const T* y, Int step_y, T* a, Int lda) {
  require(n <= 0 || y != nullptr, "y is null");
  symmetric_update<T>(handle, fill, n, alpha, x, step_x, y, step_y, a, lda);
}

void require_triangular(Fill fill, Operation operation, Diagonal diagonal, Int n, Int step) {
  require_triangle(fill, n);
  require(is_operation(operation) && is_diagonal(diagonal),
          "an operation or a diagonal is not one");
  require_steps({step});
}

template <class T>
void triangular(Handle& handle, const char* name, Fill fill, Operation operation, Diagonal diagonal,
                Int n, const T* a, Int lda, T* x, Int step) {
  require_triangular(fill, operation, diagonal, n, step);
  require_fitting({n, lda, step});
  require_matrix(a, n, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step, "x");
  enqueue(handle, [=, f = blas<T>(name)] {
    f.call(kColumnMajor, cblas_of(fill), cblas_of(operation), cblas_of(diagonal), n, a, lda, x,
           step);
  });
}
template <class T>
void trmv(Handle& handle, Fill fill, Operation operation, Diagonal diagonal, Int n, const T* a,
          Int lda, T* x, Int step) {
  triangular(handle, "trmv", fill, operation, diagonal, n, a, lda, x, step);
}
template <class T>
void trsv(Handle& handle, Fill fill, Operation operation, Diagonal diagonal, Int n, const T* a,
          Int lda, T* x, Int step) {
  triangular(handle, "trsv", fill, operation, diagonal, n, a, lda, x, step);
}

template <class T>
void banded(Handle& handle, const char* name, Fill fill, Operation operation, Diagonal diagonal,
            Int n, Int k, const T* a, Int lda, T* x, Int step) {
  require_triangular(fill, operation, diagonal, n, step);
  require(k >= 0, "a size is negative");
  require_fitting({n, k, lda, step});
  require_matrix(a, k + 1, n, lda, "a");
  if (n == 0) return;
  require_vector(x, n, step, "x");
  enqueue(handle, [=, f = blas<T>(name)] {
    f.call(kColumnMajor, cblas_of(fill), cblas_of(operation), cblas_of(diagonal), n, k, a, lda, x,
           step);
  });
}
template <class T>
void tbmv(Handle& handle, Fill fill, Operation operation, Diagonal diagonal, Int n, Int k,
          const T* a, Int lda, T* x, Int step) {
  banded(handle, "tbmv", fill, operation, diagonal, n, k, a, lda, x, step);
}
template <class T>
void tbsv(Handle& handle, Fill fill, Operation operation, Diagonal diagonal, Int n, Int k,
          const T* a, Int lda, T* x, Int step) {
  banded(handle, "tbsv", fill, operation, diagonal, n, k, a, lda, x, step);
}

template <class T>
void packed(Handle& handle, const char* name, Fill fill, Operation operation, Diagonal diagonal,
            Int n, const T* a, T* x, Int step) {
  require_triangular(fill, operation, diagonal, n, step);
  require_fitting({n, step});
  if (n == 0) return;
  require_memory(a, packed_bytes<T>(n), "a");
  require_vector(x, n, step, "x");
  enqueue(handle, [=, f = blas<T>(name)] {
    f.call(kColumnMajor, cblas_of(fill), cblas_of(operation), cblas_of(diagonal), n, a, x, step);
  });
}
template <class T>
void tpmv(Handle& handle, Fill fill, Operation operation, Diagonal diagonal, Int n, const T* a,
          T* x, Int step) {
  packed(handle, "tpmv", fill, operation, diagonal, n, a, x, step);
}
template <class T>
void tpsv(Handle& handle, Fill fill, Operation operation, Diagonal diagonal, Int n, const T* a,
          T* x, Int step) {
  packed(handle, "tpsv", fill, operation, diagonal, n, a, x, step);
}

}  // namespace

#define gemv_PARAMETERS(I, T)                                                                    \
  Handle *handle, Operation op, I m, I n, const T *alpha, const T *a, I lda, const T *x, I incx, \
      const T *beta, T *y, I incy
#define gemv_ARGUMENTS op, m, n, alpha, a, lda, x, incx, beta, y, incy
CUBLAS_EXPORT_ALL(cublas, gemv, _v2, gemv)
#define gbmv_PARAMETERS(I, T)                                                            \
  Handle *handle, Operation op, I m, I n, I kl, I ku, const T *alpha, const T *a, I lda, \
      const T *x, I incx, const T *beta, T *y, I incy
#define gbmv_ARGUMENTS op, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy
CUBLAS_EXPORT_ALL(cublas, gbmv, _v2, gbmv)
#define ger_PARAMETERS(I, T) \
  Handle *handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *a, I lda
#define ger_ARGUMENTS m, n, alpha, x, incx, y, incy, a, lda
#define gerc_PARAMETERS ger_PARAMETERS
#define gerc_ARGUMENTS ger_ARGUMENTS
CUBLAS_EXPORT_REAL(cublas, ger, _v2, ger)
CUBLAS_EXPORT_COMPLEX(cublas, geru, _v2, ger)
CUBLAS_EXPORT_COMPLEX(cublas, gerc, _v2, gerc)
#define symv_PARAMETERS(I, T)                                                            \
  Handle *handle, Fill fill, I n, const T *alpha, const T *a, I lda, const T *x, I incx, \
      const T *beta, T *y, I incy
#define symv_ARGUMENTS fill, n, alpha, a, lda, x, incx, beta, y, incy
CUBLAS_EXPORT_REAL(cublas, symv, _v2, symv)
CUBLAS_EXPORT_COMPLEX(cublas, hemv, _v2, symv)
#define symmetric_symv_PARAMETERS symv_PARAMETERS
#define symmetric_symv_ARGUMENTS symv_ARGUMENTS
CUBLAS_EXPORT_COMPLEX(cublas, symv, _v2, symmetric_symv)
#define sbmv_PARAMETERS(I, T)                                                                 \
  Handle *handle, Fill fill, I n, I k, const T *alpha, const T *a, I lda, const T *x, I incx, \
      const T *beta, T *y, I incy
#define sbmv_ARGUMENTS fill, n, k, alpha, a, lda, x, incx, beta, y, incy
CUBLAS_EXPORT_REAL(cublas, sbmv, _v2, sbmv)
CUBLAS_EXPORT_COMPLEX(cublas, hbmv, _v2, sbmv)
#define spmv_PARAMETERS(I, T)                                                                    \
  Handle *handle, Fill fill, I n, const T *alpha, const T *a, const T *x, I incx, const T *beta, \
      T *y, I incy
#define spmv_ARGUMENTS fill, n, alpha, a, x, incx, beta, y, incy
CUBLAS_EXPORT_REAL(cublas, spmv, _v2, spmv)
CUBLAS_EXPORT_COMPLEX(cublas, hpmv, _v2, spmv)
#define syr_PARAMETERS(I, T) \
  Handle *handle, Fill fill, I n, const Real<T>*alpha, const T *x, I incx, T *a, I lda
#define syr_ARGUMENTS fill, n, alpha, x, incx, a, lda
CUBLAS_EXPORT_REAL(cublas, syr, _v2, syr)
CUBLAS_EXPORT_COMPLEX(cublas, her, _v2, syr)
#define symmetric_syr_PARAMETERS(I, T) \
  Handle *handle, Fill fill, I n, const T *alpha, const T *x, I incx, T *a, I lda
#define symmetric_syr_ARGUMENTS syr_ARGUMENTS
CUBLAS_EXPORT_COMPLEX(cublas, syr, _v2, symmetric_syr)
#define spr_PARAMETERS(I, T) \
  Handle *handle, Fill fill, I n, const Real<T>*alpha, const T *x, I incx, T *a
#define spr_ARGUMENTS fill, n, alpha, x, incx, a
CUBLAS_EXPORT_REAL(cublas, spr, _v2, spr)
CUBLAS_EXPORT_COMPLEX(cublas, hpr, _v2, spr)
#define syr2_PARAMETERS(I, T)                                                                   \
  Handle *handle, Fill fill, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *a, \
      I lda
#define syr2_ARGUMENTS fill, n, alpha, x, incx, y, incy, a, lda
CUBLAS_EXPORT_REAL(cublas, syr2, _v2, syr2)
CUBLAS_EXPORT_COMPLEX(cublas, her2, _v2, syr2)
#define symmetric_syr2_PARAMETERS syr2_PARAMETERS
#define symmetric_syr2_ARGUMENTS syr2_ARGUMENTS
CUBLAS_EXPORT_COMPLEX(cublas, syr2, _v2, symmetric_syr2)
#define spr2_PARAMETERS(I, T) \
  Handle *handle, Fill fill, I n, const T *alpha, const T *x, I incx, const T *y, I incy, T *a
#define spr2_ARGUMENTS fill, n, alpha, x, incx, y, incy, a
CUBLAS_EXPORT_REAL(cublas, spr2, _v2, spr2)
CUBLAS_EXPORT_COMPLEX(cublas, hpr2, _v2, spr2)
#define trmv_PARAMETERS(I, T) \
  Handle *handle, Fill fill, Operation op, Diagonal diagonal, I n, const T *a, I lda, T *x, I incx
#define trmv_ARGUMENTS fill, op, diagonal, n, a, lda, x, incx
#define trsv_PARAMETERS trmv_PARAMETERS
#define trsv_ARGUMENTS trmv_ARGUMENTS
CUBLAS_EXPORT_ALL(cublas, trmv, _v2, trmv)
CUBLAS_EXPORT_ALL(cublas, trsv, _v2, trsv)
#define tbmv_PARAMETERS(I, T)                                                                    \
  Handle *handle, Fill fill, Operation op, Diagonal diagonal, I n, I k, const T *a, I lda, T *x, \
      I incx
#define tbmv_ARGUMENTS fill, op, diagonal, n, k, a, lda, x, incx
#define tbsv_PARAMETERS tbmv_PARAMETERS
#define tbsv_ARGUMENTS tbmv_ARGUMENTS
CUBLAS_EXPORT_ALL(cublas, tbmv, _v2, tbmv)
CUBLAS_EXPORT_ALL(cublas, tbsv, _v2, tbsv)
#define tpmv_PARAMETERS(I, T) \
  Handle *handle, Fill fill, Operation op, Diagonal diagonal, I n, const T *a, T *x, I incx
#define tpmv_ARGUMENTS fill, op, diagonal, n, a, x, incx
#define tpsv_PARAMETERS tpmv_PARAMETERS
#define tpsv_ARGUMENTS tpmv_ARGUMENTS
CUBLAS_EXPORT_ALL(cublas, tpmv, _v2, tpmv)
CUBLAS_EXPORT_ALL(cublas, tpsv, _v2, tpsv)

}  // namespace pycuda::cublas
