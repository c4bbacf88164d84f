// SPDX-License-Identifier: MIT
// All eigenvalues of a symmetric matrix, or of a pair: syevd, sygvd, and by the names of Jacobi's
// methods.
#include "cusolver/eigenvalues.h"
#include "cusolver/jacobi.h"
#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

template <class T>
void syevd_size(Handle&, Mode mode, Fill fill, int n, int lda, int* size) {
  require_eigenvalues(mode, fill, n, lda);
  give_size(size, workspace_elements(n));
}
template <class T>
void syevd(Handle& handle, Mode mode, Fill fill, int n, T* a, int lda, Real<T>* w, T* work,
           int size, int* info) {
  require_eigenvalues(mode, fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  find_eigenvalues<T>(handle, mode, fill, n, a, lda, w, info);
}

template <class T>
void sygvd_size(Handle&, Problem problem, Mode mode, Fill fill, int n, int lda, int ldb,
                int* size) {
  require_problem(problem);
  require_eigenvalues(mode, fill, n, lda);
  require_leading(ldb, n);
  give_size(size, workspace_elements(n));
}
template <class T>
void sygvd(Handle& handle, Problem problem, Mode mode, Fill fill, int n, T* a, int lda, T* b,
           int ldb, Real<T>* w, T* work, int size, int* info) {
  require_problem(problem);
  require_eigenvalues(mode, fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_eigen_memory(a, lda, w, n, info);
  require_matrix(b, n, n, ldb, "b");
  enqueue(handle, [=, pair = Eigenvalues<T>(mode, fill, n)] {
    set_info(info, pair.compute(problem, a, lda, b, ldb, w), n);
  });
}

template <class T>
void syevj_size(Handle&, Mode mode, Fill fill, int n, int lda, int* size, const EigenInfo* info) {
  require_object(info);
  require_eigenvalues(mode, fill, n, lda);
  give_size(size, workspace_elements(n));
}
template <class T>
void syevj(Handle& handle, Mode mode, Fill fill, int n, T* a, int lda, Real<T>* w, T* work,
           int size, int* status, EigenInfo* info) {
  require_object(info);
  require_eigenvalues(mode, fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_eigen_memory(a, lda, w, n, status);
  info->of_batch = false;
  info->finding = std::make_shared<Finding>();
  enqueue(handle, [=, problem = Eigenvalues<T>(mode, fill, n), finding = info->finding] {
    const std::vector<T> before = problem.has_vectors() ? copied(a, n, n, lda) : std::vector<T>();
    const Int found = problem.compute(a, lda, w);
    *status = found == 0 ? 0 : n + 1;
    *finding = {0, 1};
    if (found == 0 && problem.has_vectors())
      finding->residual = problem.residual(before.data(), std::max(1, n), a, lda, w);
  });
}

template <class T>
void sygvj_size(Handle&, Problem problem, Mode mode, Fill fill, int n, int lda, int ldb, int* size,
                const EigenInfo* info) {
  require_object(info);
  require_problem(problem);
  require_eigenvalues(mode, fill, n, lda);
  require_leading(ldb, n);
  give_size(size, workspace_elements(n));
}
/// The status is the order of B's minor that is not positive, or n + 1 for no convergence.
template <class T>
void sygvj(Handle& handle, Problem problem, Mode mode, Fill fill, int n, T* a, int lda, T* b,
           int ldb, Real<T>* w, T* work, int size, int* status, EigenInfo* info) {
  require_object(info);
  require_problem(problem);
  require_eigenvalues(mode, fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  require_eigen_memory(a, lda, w, n, status);
  require_matrix(b, n, n, ldb, "b");
  info->of_batch = false;
  info->finding = std::make_shared<Finding>();
  enqueue(handle, [=, pair = Eigenvalues<T>(mode, fill, n), finding = info->finding] {
    const Int found = pair.compute(problem, a, lda, b, ldb, w);
    *status = found == 0 ? 0 : static_cast<int>(found > n ? found - n : n + 1);
    *finding = {0, 1};
  });
}

void require_batch(Mode mode, Fill fill, Int n, Int lda, Int count) {
  require_eigenvalues(mode, fill, n, lda);
  require(count >= 0, "a size is negative");
}
/// Matrices one behind the other, with lda * n elements each.
template <class T>
void find_of_batch(Handle& handle, Mode mode, Fill fill, Int n, T* a, Int lda, Real<T>* w,
                   int* status, Int count) {
  if (count == 0) return;
  require_memory(a, static_cast<std::uint64_t>(lda * n * count) * sizeof(T), "a");
  require_vector(w, n * count, 1, "w");
  require_info(status, count);
  enqueue(handle, [=, problem = Eigenvalues<T>(mode, fill, n)] {
    for (Int i = 0; i < count; ++i)
      status[i] =
          problem.compute(a + i * lda * n, lda, w + i * n) == 0 ? 0 : static_cast<int>(n + 1);
  });
}
template <class T>
void syevj_batched_size(Handle&, Mode mode, Fill fill, int n, int lda, int* size,
                        const EigenInfo* info, int count) {
  require_object(info);
  require_batch(mode, fill, n, lda, count);
  give_size(size, workspace_elements(n));
}
template <class T>
void syevj_batched(Handle& handle, Mode mode, Fill fill, int n, T* a, int lda, Real<T>* w, T* work,
                   int size, int* status, EigenInfo* info, int count) {
  require_object(info);
  require_batch(mode, fill, n, lda, count);
  require_workspace(work, size, workspace_elements(n));
  info->of_batch = true;
  find_of_batch<T>(handle, mode, fill, n, a, lda, w, status, count);
}

}  // namespace

#define syevd_size_PARAMETERS(T) \
  Mode mode, Fill fill, int n, const T *, int lda, const Real<T>*, int *size
#define syevd_size_ARGUMENTS mode, fill, n, lda, size
CUSOLVER_EXPORT_REAL(syevd_bufferSize, syevd_size)
CUSOLVER_EXPORT_COMPLEX(heevd_bufferSize, syevd_size)
#define syevd_PARAMETERS(T) \
  Mode mode, Fill fill, int n, T *a, int lda, Real<T>*w, T *work, int size, int *info
#define syevd_ARGUMENTS mode, fill, n, a, lda, w, work, size, info
CUSOLVER_EXPORT_REAL(syevd, syevd)
CUSOLVER_EXPORT_COMPLEX(heevd, syevd)
#define sygvd_size_PARAMETERS(T)                                                        \
  Problem problem, Mode mode, Fill fill, int n, const T *, int lda, const T *, int ldb, \
      const Real<T>*, int *size
#define sygvd_size_ARGUMENTS problem, mode, fill, n, lda, ldb, size
CUSOLVER_EXPORT_REAL(sygvd_bufferSize, sygvd_size)
CUSOLVER_EXPORT_COMPLEX(hegvd_bufferSize, sygvd_size)
#define sygvd_PARAMETERS(T)                                                                       \
  Problem problem, Mode mode, Fill fill, int n, T *a, int lda, T *b, int ldb, Real<T>*w, T *work, \
      int size, int *info
#define sygvd_ARGUMENTS problem, mode, fill, n, a, lda, b, ldb, w, work, size, info
CUSOLVER_EXPORT_REAL(sygvd, sygvd)
CUSOLVER_EXPORT_COMPLEX(hegvd, sygvd)

#define syevj_size_PARAMETERS(T) \
  Mode mode, Fill fill, int n, const T *, int lda, const Real<T>*, int *size, EigenInfo *info
#define syevj_size_ARGUMENTS mode, fill, n, lda, size, info
CUSOLVER_EXPORT_REAL(syevj_bufferSize, syevj_size)
CUSOLVER_EXPORT_COMPLEX(heevj_bufferSize, syevj_size)
#define syevj_PARAMETERS(T)                                                              \
  Mode mode, Fill fill, int n, T *a, int lda, Real<T>*w, T *work, int size, int *status, \
      EigenInfo *info
#define syevj_ARGUMENTS mode, fill, n, a, lda, w, work, size, status, info
CUSOLVER_EXPORT_REAL(syevj, syevj)
CUSOLVER_EXPORT_COMPLEX(heevj, syevj)
#define sygvj_size_PARAMETERS(T)                                                        \
  Problem problem, Mode mode, Fill fill, int n, const T *, int lda, const T *, int ldb, \
      const Real<T>*, int *size, EigenInfo *info
#define sygvj_size_ARGUMENTS problem, mode, fill, n, lda, ldb, size, info
CUSOLVER_EXPORT_REAL(sygvj_bufferSize, sygvj_size)
CUSOLVER_EXPORT_COMPLEX(hegvj_bufferSize, sygvj_size)
#define sygvj_PARAMETERS(T)                                                                       \
  Problem problem, Mode mode, Fill fill, int n, T *a, int lda, T *b, int ldb, Real<T>*w, T *work, \
      int size, int *status, EigenInfo *info
#define sygvj_ARGUMENTS problem, mode, fill, n, a, lda, b, ldb, w, work, size, status, info
CUSOLVER_EXPORT_REAL(sygvj, sygvj)
CUSOLVER_EXPORT_COMPLEX(hegvj, sygvj)
#define syevj_batched_size_PARAMETERS(T)                                                       \
  Mode mode, Fill fill, int n, const T *, int lda, const Real<T>*, int *size, EigenInfo *info, \
      int count
#define syevj_batched_size_ARGUMENTS mode, fill, n, lda, size, info, count
CUSOLVER_EXPORT_REAL(syevjBatched_bufferSize, syevj_batched_size)
CUSOLVER_EXPORT_COMPLEX(heevjBatched_bufferSize, syevj_batched_size)
#define syevj_batched_PARAMETERS(T)                                                      \
  Mode mode, Fill fill, int n, T *a, int lda, Real<T>*w, T *work, int size, int *status, \
      EigenInfo *info, int count
#define syevj_batched_ARGUMENTS mode, fill, n, a, lda, w, work, size, status, info, count
CUSOLVER_EXPORT_REAL(syevjBatched, syevj_batched)
CUSOLVER_EXPORT_COMPLEX(heevjBatched, syevj_batched)

extern "C" {

Status cusolverDnXsyevd_bufferSize(Handle* handle, const Parameters* parameters, Mode mode,
                                   Fill fill, Int n, DataType type, const void*, Int lda,
                                   DataType type_w, const void*, DataType computed,
                                   std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXsyevd_bufferSize", [&] {
    require_parameters(parameters);
    require_eigenvalues(mode, fill, n, lda);
    require_types(type, {computed});
    require_real_type(type, type_w);
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXsyevd(Handle* handle, const Parameters* parameters, Mode mode, Fill fill, Int n,
                        DataType type, void* a, Int lda, DataType type_w, void* w,
                        DataType computed, void* work, std::size_t bytes, void*, std::size_t,
                        int* info) {
  return with_handle(handle, "cusolverDnXsyevd", [&] {
    require_parameters(parameters);
    require_eigenvalues(mode, fill, n, lda);
    require_types(type, {computed});
    require_real_type(type, type_w);
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      find_eigenvalues<T>(*handle, mode, fill, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(w),
                          info);
    });
  });
}

Status cusolverDnXsyevBatched_bufferSize(Handle* handle, const Parameters* parameters, Mode mode,
                                         Fill fill, Int n, DataType type, const void*, Int lda,
                                         DataType type_w, const void*, DataType computed,
                                         std::size_t* device, std::size_t* host, Int count) {
  return with_handle(handle, "cusolverDnXsyevBatched_bufferSize", [&] {
    require_parameters(parameters);
    require_batch(mode, fill, n, lda, count);
    require_types(type, {computed});
    require_real_type(type, type_w);
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXsyevBatched(Handle* handle, const Parameters* parameters, Mode mode, Fill fill,
                              Int n, DataType type, void* a, Int lda, DataType type_w, void* w,
                              DataType computed, void* work, std::size_t bytes, void*, std::size_t,
                              int* info, Int count) {
  return with_handle(handle, "cusolverDnXsyevBatched", [&] {
    require_parameters(parameters);
    require_batch(mode, fill, n, lda, count);
    require_types(type, {computed});
    require_real_type(type, type_w);
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      find_of_batch<T>(*handle, mode, fill, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(w),
                       info, count);
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
