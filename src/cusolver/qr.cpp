// SPDX-License-Identifier: MIT
// QR factors, and the orthogonal matrices that they are stored as.
#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

void require_shape(Int m, Int n, Int lda) {
  require(m >= 0 && n >= 0, "a size is negative");
  require_leading(lda, m);
  require_fitting({m, n, lda});
}

template <class T>
void geqrf_size(Handle&, int m, int n, int lda, int* size) {
  require_shape(m, n, lda);
  give_size(size, workspace_elements(n));
}

template <class T>
void factor(Handle& handle, Int m, Int n, T* a, Int lda, T* tau, int* info) {
  require_matrix(a, m, n, lda, "a");
  require_vector(tau, std::min(m, n), 1, "tau");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("geqrf")] {
    set_info(info, call_with_workspace<T>(f, m, n, a, lda, tau), 0);
  });
}
template <class T>
void geqrf(Handle& handle, int m, int n, T* a, int lda, T* tau, T* work, int size, int* info) {
  require_shape(m, n, lda);
  require_workspace(work, size, workspace_elements(n));
  factor<T>(handle, m, n, a, lda, tau, info);
}

void require_generated(Int m, Int n, Int k, Int lda) {
  require_shape(m, n, lda);
  require(n <= m && k >= 0 && k <= n, "m >= n >= k does not hold");
}
template <class T>
void orgqr_size(Handle&, int m, int n, int k, int lda, int* size) {
  require_generated(m, n, k, lda);
  give_size(size, workspace_elements(n));
}
template <class T>
void orgqr(Handle& handle, int m, int n, int k, T* a, int lda, const T* tau, T* work, int size,
           int* info) {
  require_generated(m, n, k, lda);
  require_workspace(work, size, workspace_elements(n));
  require_matrix(a, m, n, lda, "a");
  require_vector(tau, k, 1, "tau");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("orgqr", "ungqr")] {
    set_info(info, call_with_workspace<T>(f, Int{m}, Int{n}, Int{k}, a, Int{lda}, tau), 0);
  });
}

/// Of an m x n matrix C that is multiplied by an orthogonal one of k reflections.
template <class T>
void require_multiplied(Side side, Operation operation, Int m, Int n, Int k, Int lda, Int ldc) {
  require(is_side(side) && is_operation(operation) && !(is_complex<T> && operation == kTransposed),
          "the side is not one, or the operation not one of this function");
  require(m >= 0 && n >= 0, "a size is negative");
  const Int order = side == kLeft ? m : n;
  require(k >= 0 && k <= order, "there are more reflections than the matrix has rows");
  require_leading(lda, order);
  require_leading(ldc, m);
  require_fitting({m, n, lda, ldc});
}
template <class T>
void ormqr_size(Handle&, Side side, Operation operation, int m, int n, int k, int lda, int ldc,
                int* size) {
  require_multiplied<T>(side, operation, m, n, k, lda, ldc);
  give_size(size, workspace_elements(std::max(m, n)));
}
template <class T>
void ormqr(Handle& handle, Side side, Operation operation, int m, int n, int k, const T* a, int lda,
           const T* tau, T* c, int ldc, T* work, int size, int* info) {
  require_multiplied<T>(side, operation, m, n, k, lda, ldc);
  require_workspace(work, size, workspace_elements(std::max(m, n)));
  require_matrix(a, side == kLeft ? m : n, k, lda, "a");
  require_vector(tau, k, 1, "tau");
  require_matrix(c, m, n, ldc, "c");
  require_info(info);
  const char transposed = is_complex<T> ? 'C' : 'T';
  enqueue(handle, [=, f = lapack<T>("ormqr", "unmqr")] {
    set_info(info,
             call_with_workspace<T>(f, letter_of(side), operation == kNone ? 'N' : transposed,
                                    Int{m}, Int{n}, Int{k}, a, Int{lda}, tau, c, Int{ldc}),
             0);
  });
}

}  // namespace

#define geqrf_size_PARAMETERS(T) int m, int n, T *, int lda, int *size
#define geqrf_size_ARGUMENTS m, n, lda, size
CUSOLVER_EXPORT_ALL(geqrf_bufferSize, geqrf_size)
#define geqrf_PARAMETERS(T) int m, int n, T *a, int lda, T *tau, T *work, int size, int *info
#define geqrf_ARGUMENTS m, n, a, lda, tau, work, size, info
CUSOLVER_EXPORT_ALL(geqrf, geqrf)
#define orgqr_size_PARAMETERS(T) int m, int n, int k, const T *, int lda, const T *, int *size
#define orgqr_size_ARGUMENTS m, n, k, lda, size
CUSOLVER_EXPORT_REAL(orgqr_bufferSize, orgqr_size)
CUSOLVER_EXPORT_COMPLEX(ungqr_bufferSize, orgqr_size)
#define orgqr_PARAMETERS(T) \
  int m, int n, int k, T *a, int lda, const T *tau, T *work, int size, int *info
#define orgqr_ARGUMENTS m, n, k, a, lda, tau, work, size, info
CUSOLVER_EXPORT_REAL(orgqr, orgqr)
CUSOLVER_EXPORT_COMPLEX(ungqr, orgqr)
#define ormqr_size_PARAMETERS(T)                                                                 \
  Side side, Operation operation, int m, int n, int k, const T *, int lda, const T *, const T *, \
      int ldc, int *size
#define ormqr_size_ARGUMENTS side, operation, m, n, k, lda, ldc, size
CUSOLVER_EXPORT_REAL(ormqr_bufferSize, ormqr_size)
CUSOLVER_EXPORT_COMPLEX(unmqr_bufferSize, ormqr_size)
#define ormqr_PARAMETERS(T)                                                                     \
  Side side, Operation operation, int m, int n, int k, const T *a, int lda, const T *tau, T *c, \
      int ldc, T *work, int size, int *info
#define ormqr_ARGUMENTS side, operation, m, n, k, a, lda, tau, c, ldc, work, size, info
CUSOLVER_EXPORT_REAL(ormqr, ormqr)
CUSOLVER_EXPORT_COMPLEX(unmqr, ormqr)

extern "C" {

Status cusolverDnXgeqrf_bufferSize(Handle* handle, const Parameters* parameters, Int m, Int n,
                                   DataType type, const void*, Int lda, DataType type_tau,
                                   const void*, DataType computed, std::size_t* device,
                                   std::size_t* host) {
  return with_handle(handle, "cusolverDnXgeqrf_bufferSize", [&] {
    require_parameters(parameters);
    require_shape(m, n, lda);
    require_types(type, {type_tau, computed});
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXgeqrf(Handle* handle, const Parameters* parameters, Int m, Int n, DataType type,
                        void* a, Int lda, DataType type_tau, void* tau, DataType computed,
                        void* work, std::size_t bytes, void*, std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXgeqrf", [&] {
    require_parameters(parameters);
    require_shape(m, n, lda);
    require_types(type, {type_tau, computed});
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      factor(*handle, m, n, static_cast<T*>(a), lda, static_cast<T*>(tau), info);
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
