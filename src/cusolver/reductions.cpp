// SPDX-License-Identifier: MIT
// Reductions to two diagonals and to three, and the orthogonal matrices that they are stored as.
#include "cusolver/handle.h"

namespace pycuda::cusolver {
namespace {

void require_tall(Int m, Int n) {
  require(n >= 0 && m >= n, "a size is negative, or the matrix has fewer rows than columns");
  require_fitting({m, n});
}

template <class T>
void gebrd_size(Handle&, int m, int n, int* size) {
  require_tall(m, n);
  give_size(size, workspace_elements(m));
}
template <class T>
void gebrd(Handle& handle, int m, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau_q, T* tau_p,
           T* work, int size, int* info) {
  require_tall(m, n);
  require_leading(lda, m);
  require_workspace(work, size, workspace_elements(m));
  require_matrix(a, m, n, lda, "a");
  require_vector(d, n, 1, "d");
  require_vector(e, n - 1, 1, "e");
  require_vector(tau_q, n, 1, "tauq");
  require_vector(tau_p, n, 1, "taup");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("gebrd")] {
    set_info(info, call_with_workspace<T>(f, Int{m}, Int{n}, a, Int{lda}, d, e, tau_q, tau_p), 0);
  });
}

/// Left: the m x n matrix Q of a reduction of k columns; right: P^H of one of k rows.
void require_generated(Side side, Int m, Int n, Int k, Int lda) {
  require(is_side(side), "the side is not one");
  require(m >= 0 && n >= 0 && k >= 0, "a size is negative");
  require(side == kLeft ? m >= n && n >= std::min(m, k) : n >= m && m >= std::min(n, k),
          "the sizes do not belong together");
  require_leading(lda, m);
  require_fitting({m, n, k, lda});
}
template <class T>
void orgbr_size(Handle&, Side side, int m, int n, int k, int lda, int* size) {
  require_generated(side, m, n, k, lda);
  give_size(size, workspace_elements(std::min(m, n)));
}
template <class T>
void orgbr(Handle& handle, Side side, int m, int n, int k, T* a, int lda, const T* tau, T* work,
           int size, int* info) {
  require_generated(side, m, n, k, lda);
  require_workspace(work, size, workspace_elements(std::min(m, n)));
  require_matrix(a, m, n, lda, "a");
  require_vector(tau, std::min(side == kLeft ? m : n, k), 1, "tau");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("orgbr", "ungbr")] {
    set_info(info,
             call_with_workspace<T>(f, side == kLeft ? 'Q' : 'P', Int{m}, Int{n}, Int{k}, a,
                                    Int{lda}, tau),
             0);
  });
}

void require_half(Fill fill, Int n, Int lda) {
  require(is_triangle(fill), "the fill mode is not a triangle");
  require(n >= 0, "a size is negative");
  require_leading(lda, n);
  require_fitting({n, lda});
}
template <class T>
void half_size(Handle&, Fill fill, int n, int lda, int* size) {
  require_half(fill, n, lda);
  give_size(size, workspace_elements(n));
}
template <class T>
void sytrd(Handle& handle, Fill fill, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau, T* work,
           int size, int* info) {
  require_half(fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_matrix(a, n, n, lda, "a");
  require_vector(d, n, 1, "d");
  require_vector(e, n - 1, 1, "e");
  require_vector(tau, n - 1, 1, "tau");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("sytrd", "hetrd")] {
    set_info(info, call_with_workspace<T>(f, letter_of(fill), Int{n}, a, Int{lda}, d, e, tau), 0);
  });
}
template <class T>
void orgtr(Handle& handle, Fill fill, int n, T* a, int lda, const T* tau, T* work, int size,
           int* info) {
  require_half(fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_matrix(a, n, n, lda, "a");
  require_vector(tau, n - 1, 1, "tau");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("orgtr", "ungtr")] {
    set_info(info, call_with_workspace<T>(f, letter_of(fill), Int{n}, a, Int{lda}, tau), 0);
  });
}

template <class T>
void require_multiplied(Side side, Fill fill, Operation operation, Int m, Int n, Int lda, Int ldc) {
  require(is_side(side) && is_triangle(fill), "a side or a fill mode is not one");
  require(is_operation(operation) && !(is_complex<T> && operation == kTransposed),
          "the operation is not one of this function");
  require(m >= 0 && n >= 0, "a size is negative");
  require_leading(lda, side == kLeft ? m : n);
  require_leading(ldc, m);
  require_fitting({m, n, lda, ldc});
}
template <class T>
void ormtr_size(Handle&, Side side, Fill fill, Operation operation, int m, int n, int lda, int ldc,
                int* size) {
  require_multiplied<T>(side, fill, operation, m, n, lda, ldc);
  give_size(size, workspace_elements(std::max(m, n)));
}
template <class T>
void ormtr(Handle& handle, Side side, Fill fill, Operation operation, int m, int n, T* a, int lda,
           T* tau, T* c, int ldc, T* work, int size, int* info) {
  require_multiplied<T>(side, fill, operation, m, n, lda, ldc);
  require_workspace(work, size, workspace_elements(std::max(m, n)));
  const Int order = side == kLeft ? m : n;
  require_matrix(a, order, order, lda, "a");
  require_vector(tau, order - 1, 1, "tau");
  require_matrix(c, m, n, ldc, "c");
  require_info(info);
  const char transposed = is_complex<T> ? 'C' : 'T';
  enqueue(handle, [=, f = lapack<T>("ormtr", "unmtr")] {
    set_info(info,
             call_with_workspace<T>(f, letter_of(side), letter_of(fill),
                                    operation == kNone ? 'N' : transposed, Int{m}, Int{n}, a,
                                    Int{lda}, tau, c, Int{ldc}),
             0);
  });
}

}  // namespace

#define gebrd_size_PARAMETERS(T) int m, int n, int *size
#define gebrd_size_ARGUMENTS m, n, size
CUSOLVER_EXPORT_ALL(gebrd_bufferSize, gebrd_size)
#define gebrd_PARAMETERS(T)                                                                 \
  int m, int n, T *a, int lda, Real<T>*d, Real<T>*e, T *tau_q, T *tau_p, T *work, int size, \
      int *info
#define gebrd_ARGUMENTS m, n, a, lda, d, e, tau_q, tau_p, work, size, info
CUSOLVER_EXPORT_ALL(gebrd, gebrd)
#define orgbr_size_PARAMETERS(T) \
  Side side, int m, int n, int k, const T *, int lda, const T *, int *size
#define orgbr_size_ARGUMENTS side, m, n, k, lda, size
CUSOLVER_EXPORT_REAL(orgbr_bufferSize, orgbr_size)
CUSOLVER_EXPORT_COMPLEX(ungbr_bufferSize, orgbr_size)
#define orgbr_PARAMETERS(T) \
  Side side, int m, int n, int k, T *a, int lda, const T *tau, T *work, int size, int *info
#define orgbr_ARGUMENTS side, m, n, k, a, lda, tau, work, size, info
CUSOLVER_EXPORT_REAL(orgbr, orgbr)
CUSOLVER_EXPORT_COMPLEX(ungbr, orgbr)

#define half_size_ARGUMENTS fill, n, lda, size
#define half_size_PARAMETERS(T) \
  Fill fill, int n, const T *, int lda, const Real<T>*, const Real<T>*, const T *, int *size
CUSOLVER_EXPORT_REAL(sytrd_bufferSize, half_size)
CUSOLVER_EXPORT_COMPLEX(hetrd_bufferSize, half_size)
#undef half_size_PARAMETERS
#define half_size_PARAMETERS(T) Fill fill, int n, const T *, int lda, const T *, int *size
CUSOLVER_EXPORT_REAL(orgtr_bufferSize, half_size)
CUSOLVER_EXPORT_COMPLEX(ungtr_bufferSize, half_size)
#define sytrd_PARAMETERS(T) \
  Fill fill, int n, T *a, int lda, Real<T>*d, Real<T>*e, T *tau, T *work, int size, int *info
#define sytrd_ARGUMENTS fill, n, a, lda, d, e, tau, work, size, info
CUSOLVER_EXPORT_REAL(sytrd, sytrd)
CUSOLVER_EXPORT_COMPLEX(hetrd, sytrd)
#define orgtr_PARAMETERS(T) \
  Fill fill, int n, T *a, int lda, const T *tau, T *work, int size, int *info
#define orgtr_ARGUMENTS fill, n, a, lda, tau, work, size, info
CUSOLVER_EXPORT_REAL(orgtr, orgtr)
CUSOLVER_EXPORT_COMPLEX(ungtr, orgtr)
#define ormtr_size_PARAMETERS(T)                                                          \
  Side side, Fill fill, Operation operation, int m, int n, const T *, int lda, const T *, \
      const T *, int ldc, int *size
#define ormtr_size_ARGUMENTS side, fill, operation, m, n, lda, ldc, size
CUSOLVER_EXPORT_REAL(ormtr_bufferSize, ormtr_size)
CUSOLVER_EXPORT_COMPLEX(unmtr_bufferSize, ormtr_size)
#define ormtr_PARAMETERS(T)                                                                      \
  Side side, Fill fill, Operation operation, int m, int n, T *a, int lda, T *tau, T *c, int ldc, \
      T *work, int size, int *info
#define ormtr_ARGUMENTS side, fill, operation, m, n, a, lda, tau, c, ldc, work, size, info
CUSOLVER_EXPORT_REAL(ormtr, ormtr)
CUSOLVER_EXPORT_COMPLEX(unmtr, ormtr)

}  // namespace pycuda::cusolver
