// SPDX-License-Identifier: MIT
// Singular values and vectors by LAPACK's divide and conquer, as cuSOLVER's functions with V in
// place of V^H have them.
#pragma once

#include <cmath>

#include "cusolver/handle.h"

namespace pycuda::cusolver {

/// A = U * S * V^H of one m x n matrix.
template <class T>
class SingularValues {
 public:
  /// With vectors: those of the least size, or all. Throws Missing.
  SingularValues(Mode mode, bool economic, Int m, Int n)
      : mode_(mode), economic_(economic), m_(m), n_(n) {}

  Int least() const { return std::min(m_, n_); }
  Int columns_of_u() const { return economic_ ? least() : m_; }
  Int columns_of_v() const { return economic_ ? least() : n_; }

  /// Puts S, U and V into their places and returns LAPACK's status: not 0 if there are none. A is
  /// destroyed. U and V are not used without vectors.
  Int compute(T* a, Int lda, Real<T>* s, T* u, Int ldu, T* v, Int ldv) const {
    const bool vectors = mode_ == kVectors;
    if (least() == 0) {  // LAPACK leaves the vectors as they are
      if (vectors) fill_identity(u, columns_of_u(), ldu);
      if (vectors) fill_identity(v, columns_of_v(), ldv);
      return 0;
    }
    const Int rows = vectors ? columns_of_v() : 1;
    std::vector<T> right = scratch<T>(vectors ? rows * n_ : 1);
    const char job = !vectors ? 'N' : economic_ ? 'S' : 'A';
    const Int ldvt = std::max<Int>(1, rows);
    Integers own(8 * least());
    T asked{};
    std::vector<Real<T>> real = scratch<Real<T>>(size_of_real());
    const auto call = [&](T* work, Int size) {
      const Int ld = vectors ? ldu : 1;
      if constexpr (is_complex<T>) {
        return function_.call(job, m_, n_, a, lda, s, u, ld, right.data(), ldvt, work, size,
                              real.data(), own.data());
      } else {
        return function_.call(job, m_, n_, a, lda, s, u, ld, right.data(), ldvt, work, size,
                              own.data());
      }
    };
    Int status = call(&asked, -1);
    if (status != 0) return status;
    std::vector<T> work = scratch<T>(asked_size(asked));
    status = call(work.data(), static_cast<Int>(work.size()));
    for (Int column = 0; vectors && column < rows; ++column) {
      for (Int row = 0; row < n_; ++row)
        v[row + column * ldv] = conjugate(right[static_cast<std::size_t>(column + row * rows)]);
    }
    return status;
  }

  /// The Frobenius norm of A - U * S * V^H for the first `rank` singular values; A is changed.
  double residual(T* a, Int lda, const Real<T>* s, const T* u, Int ldu, const T* v, Int ldv,
                  Int rank) const {
    std::vector<T> scaled = scratch<T>(m_ * rank);
    for (Int column = 0; column < rank; ++column) {
      for (Int row = 0; row < m_; ++row)
        scaled[static_cast<std::size_t>(row + column * m_)] = u[row + column * ldu] * s[column];
    }
    if (rank != 0 && m_ != 0 && n_ != 0)
      product_.run('N', is_complex<T> ? 'C' : 'T', m_, n_, rank, T{-1}, scaled.data(), m_, v, ldv,
                   T{1}, a, lda);
    double sum = 0;
    for (Int column = 0; column < n_; ++column) {
      for (Int row = 0; row < m_; ++row) sum += std::norm(a[row + column * lda]);
    }
    return std::sqrt(sum);
  }

 private:
  Int size_of_real() const {
    const Int most = std::max(m_, n_);
    return is_complex<T> ? least() * (5 * least() + 2 * most + 2 * least() + 7) : 1;
  }

  Mode mode_;
  bool economic_;
  Int m_, n_;
  LapackFunction function_ = lapack<T>("gesdd");
  LapackFunction product_ = lapack<T>("gemm");
};

}  // namespace pycuda::cusolver
