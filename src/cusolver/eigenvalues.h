// SPDX-License-Identifier: MIT
// Eigenvalues of symmetric and Hermitian matrices by LAPACK's divide and conquer.
#pragma once

#include <cmath>

#include "cusolver/handle.h"

namespace pycuda::cusolver {

inline char letter_of(Mode mode) { return mode == kVectors ? 'V' : 'N'; }
using hostblas::letter_of;

/// Calls a function whose last arguments are workspaces: of numbers, of real ones if the matrix is
/// complex, of integers.
template <class T, class... A>
Int call_with_three_workspaces(const LapackFunction& function, const A&... arguments) {
  const auto call = [&](T* work, Int size, Real<T>* real, Int real_size, Integers& own,
                        Int own_size) {
    if constexpr (is_complex<T>) {
      return function.call(arguments..., work, size, real, real_size, own.data(), own_size);
    } else {
      return function.call(arguments..., work, size, own.data(), own_size);
    }
  };
  T asked{};
  Real<T> real_asked{};
  Integers own_asked(1);
  const Int status = call(&asked, -1, &real_asked, -1, own_asked, -1);
  if (status != 0) return status;
  std::vector<T> work = scratch<T>(asked_size(asked));
  std::vector<Real<T>> real = scratch<Real<T>>(asked_size(real_asked));
  const Int own_size = std::max<Int>(1, own_asked.get(0));
  Integers own(own_size);
  return call(work.data(), static_cast<Int>(work.size()), real.data(),
              static_cast<Int>(real.size()), own, own_size);
}

/// A problem with one matrix, or with two: then the other one becomes its Cholesky factor. Vectors
/// replace the matrix. Throws Missing.
template <class T>
class Eigenvalues {
 public:
  Eigenvalues(Mode mode, Fill fill, Int n) : mode_(mode), fill_(fill), n_(n) {}

  Int n() const { return n_; }
  bool has_vectors() const { return mode_ == kVectors; }

  Int compute(T* a, Int lda, Real<T>* w) const {
    return call_with_three_workspaces<T>(one_, letter_of(mode_), letter_of(fill_), n_, a, lda, w);
  }
  Int compute(Problem problem, T* a, Int lda, T* b, Int ldb, Real<T>* w) const {
    return call_with_three_workspaces<T>(two_, Int{problem}, letter_of(mode_), letter_of(fill_), n_,
                                         a, lda, b, ldb, w);
  }

  /// The Frobenius norm of A * V - V * W, of the triangle of A.
  double residual(const T* a, Int lda, const T* v, Int ldv, const Real<T>* w) const {
    if (n_ == 0) return 0;
    std::vector<T> product = scratch<T>(n_ * n_);
    product_.run('L', letter_of(fill_), n_, n_, T{1}, a, lda, v, ldv, T{}, product.data(), n_);
    double sum = 0;
    for (Int column = 0; column < n_; ++column) {
      for (Int row = 0; row < n_; ++row)
        sum += std::norm(product[static_cast<std::size_t>(row + column * n_)] -
                         v[row + column * ldv] * w[column]);
    }
    return std::sqrt(sum);
  }

 private:
  Mode mode_;
  Fill fill_;
  Int n_;
  LapackFunction one_ = lapack<T>("syevd", "heevd");
  LapackFunction two_ = lapack<T>("sygvd", "hegvd");
  LapackFunction product_ = lapack<T>("symm", "hemm");
};

inline void require_eigenvalues(Mode mode, Fill fill, Int n, Int lda) {
  require(mode == kNoVectors || mode == kVectors, "the mode is not one");
  require(is_triangle(fill), "the fill mode is not a triangle");
  require(n >= 0, "a size is negative");
  require_leading(lda, n);
  require_fitting({n, lda});
}
inline void require_problem(Problem problem) {
  require(problem >= kAxBx && problem <= kBAx, "the type of the problem is not one");
}

template <class T>
void require_eigen_memory(const T* a, Int lda, const Real<T>* w, Int n, const int* info) {
  require_matrix(a, n, n, lda, "a");
  require_vector(w, n, 1, "w");
  require_info(info);
}

/// Puts the problem of one matrix into the stream.
template <class T>
void find_eigenvalues(Handle& handle, Mode mode, Fill fill, Int n, T* a, Int lda, Real<T>* w,
                      int* info) {
  require_eigen_memory(a, lda, w, n, info);
  enqueue(handle, [=, problem = Eigenvalues<T>(mode, fill, n)] {
    set_info(info, problem.compute(a, lda, w), n);
  });
}

}  // namespace pycuda::cusolver
