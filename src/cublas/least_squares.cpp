// SPDX-License-Identifier: MIT
// QR factors and least squares of many matrices, by Householder reflections as LAPACK stores them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cublas/handle.h"
#include "hostblas/pointer_lists.h"

namespace pycuda::cublas {
namespace {

/// Makes the reflection H = 1 - tau * v * v^H that leaves one element of x, with H^H * x in x's
/// place: that element first, then v without its leading 1. Returns tau.
template <class T>
T reflect(T* x, Int n) {
  Real<T> rest = 0;
  for (Int i = 1; i < n; ++i) rest = std::hypot(rest, std::abs(x[i]));
  const T first = x[0];
  const bool has_imaginary = first != conjugate(first);
  if (rest == 0 && !has_imaginary) return T{};
  const Real<T> size = std::hypot(std::abs(first), rest);
  const Real<T> left = std::real(first) > 0 ? -size : size;
  for (Int i = 1; i < n; ++i) x[i] /= first - left;
  x[0] = left;
  return (left - first) / left;
}

/// c = H^H * c, for a reflection that `reflect` made.
template <class T>
void apply(const T* v, T tau, Int n, Int columns, T* c, Int ldc) {
  for (Int column = 0; column < columns; ++column) {
    T* const one = c + column * ldc;
    T sum = one[0];
    for (Int i = 1; i < n; ++i) sum += conjugate(v[i]) * one[i];
    sum *= conjugate(tau);
    one[0] -= sum;
    for (Int i = 1; i < n; ++i) one[i] -= v[i] * sum;
  }
}

template <class T>
void factorise(T* a, Int m, Int n, Int lda, T* tau) {
  for (Int k = 0; k < std::min(m, n); ++k) {
    T* const column = a + k + k * lda;
    tau[k] = reflect(column, m - k);
    apply(column, tau[k], m - k, n - k - 1, column + lda, lda);
  }
}

template <class T>
void geqrf(Handle& handle, Int m, Int n, T* const* a, Int lda, T* const* tau, int* info,
           Int count) {
  require(info != nullptr, "info is null");
  *info = 0;  // the host's, always
  require(m >= 0 && n >= 0 && count >= 0, "a size is negative");
  require(lda >= std::max<Int>(1, m), "a leading dimension is smaller than the rows");
  if (m == 0 || n == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, m, n, lda), "a");
  require_pointers(handle, tau, count, static_cast<std::uint64_t>(std::min(m, n)) * sizeof(T),
                   "tau");
  enqueue(handle, [=] {
    for (Int i = 0; i < count; ++i) factorise(a[i], m, n, lda, tau[i]);
  });
}

/// Whether the triangle can be divided by; else the first diagonal element that is 0, from 1.
template <class T>
int solve(const T* a, Int n, Int lda, Int columns, T* c, Int ldc) {
  for (Int k = 0; k < n; ++k) {
    if (a[k + k * lda] == T{}) return static_cast<int>(k + 1);
  }
  for (Int column = 0; column < columns; ++column) {
    T* const one = c + column * ldc;
    for (Int k = n; k-- > 0;) {
      for (Int j = k + 1; j < n; ++j) one[k] -= a[k + j * lda] * one[j];
      one[k] /= a[k + k * lda];
    }
  }
  return 0;
}

/// As documented: matrices with at least as many rows as columns, not transposed.
template <class T>
void gels(Handle& handle, Operation operation, Int m, Int n, Int columns, T* const* a, Int lda,
          T* const* c, Int ldc, int* info, int* device_info, Int count) {
  require(info != nullptr, "info is null");
  *info = 0;  // the host's, always
  require(m >= 0 && n >= 0 && columns >= 0 && count >= 0, "a size is negative");
  require(lda >= std::max<Int>(1, m) && ldc >= std::max<Int>(1, m),
          "a leading dimension is smaller than the rows");
  if (operation != kNone || m < n)
    throw Refusal{Outcome::NotSupported,
                  "only systems with m >= n that are not transposed are solved"};
  if (n == 0 || columns == 0 || count == 0) return;
  require_pointers(handle, a, count, operand_bytes<T>(kNone, m, n, lda), "a");
  require_pointers(handle, c, count, operand_bytes<T>(kNone, m, columns, ldc), "c");
  if (device_info != nullptr)
    require_memory(device_info, static_cast<std::uint64_t>(count) * sizeof(int), "info");
  enqueue(handle, [=] {
    std::vector<T> tau(static_cast<std::size_t>(n));
    for (Int i = 0; i < count; ++i) {
      factorise(a[i], m, n, lda, tau.data());
      for (Int k = 0; k < n; ++k)
        apply(a[i] + k + k * lda, tau[static_cast<std::size_t>(k)], m - k, columns, c[i] + k, ldc);
      const int status = solve(a[i], n, lda, columns, c[i], ldc);
      if (device_info != nullptr) device_info[i] = status;
    }
  });
}

}  // namespace

#define CUBLAS_LEAST_SQUARES(prefix, T)                                                          \
  extern "C" Status prefix##geqrfBatched(Handle* handle, int m, int n, T* const* a, int lda,     \
                                         T* const* tau, int* info, int count) {                  \
    return with_handle(handle, #prefix "geqrfBatched",                                           \
                       [&] { geqrf<T>(*handle, m, n, a, lda, tau, info, count); });              \
  }                                                                                              \
  extern "C" Status prefix##gelsBatched(Handle* handle, Operation op, int m, int n, int columns, \
                                        T* const* a, int lda, T* const* c, int ldc, int* info,   \
                                        int* device_info, int count) {                           \
    return with_handle(handle, #prefix "gelsBatched", [&] {                                      \
      gels<T>(*handle, op, m, n, columns, a, lda, c, ldc, info, device_info, count);             \
    });                                                                                          \
  }
CUBLAS_LEAST_SQUARES(cublasS, float)
CUBLAS_LEAST_SQUARES(cublasD, double)
CUBLAS_LEAST_SQUARES(cublasC, ComplexFloat)
CUBLAS_LEAST_SQUARES(cublasZ, ComplexDouble)

}  // namespace pycuda::cublas
