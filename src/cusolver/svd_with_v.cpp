// SPDX-License-Identifier: MIT
// The functions that give V, not V^H, of matrices of any shape: gesvdj, gesvda, gesvdp.
#include "cusolver/jacobi.h"
#include "cusolver/singular_values.h"
#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

void require_decomposed(Mode mode, Int m, Int n, Int lda, Int ldu, Int ldv) {
  require(mode == kNoVectors || mode == kVectors, "the mode is not one");
  require(m >= 0 && n >= 0, "a size is negative");
  require_leading(lda, m);
  if (mode == kVectors) {
    require_leading(ldu, m);
    require_leading(ldv, n);
  }
  require_fitting({m, n, lda, ldu, ldv});
}

/// A matrix and what becomes of it; of batches the first, the others behind it.
template <class T>
struct Places {
  T* a;
  Real<T>* s;
  T *u, *v;
  Int lda, ldu, ldv;
  int* info;
};

template <class T>
void require_batch_places(const Places<T>& p, const SingularValues<T>& svd, Mode mode, Int m, Int n,
                          Int count) {
  require_memory(p.a, count * sizeof(T) * static_cast<std::uint64_t>(p.lda * n), "a");
  require_vector(p.s, svd.least() * count, 1, "s");
  require_info(p.info, count);
  if (mode != kVectors) return;
  const Int columns_u = svd.columns_of_u() * count;
  const Int columns_v = svd.columns_of_v() * count;
  require_matrix(p.u, m, columns_u, p.ldu, "u");
  require_matrix(p.v, n, columns_v, p.ldv, "v");
}

template <class T>
void decompose(Handle& handle, Mode mode, bool economic, Int m, Int n, const Places<T>& p,
               const std::shared_ptr<Finding>& finding) {
  const SingularValues<T> svd(mode, economic, m, n);
  require_matrix(p.a, m, n, p.lda, "a");
  require_vector(p.s, svd.least(), 1, "s");
  require_info(p.info);
  if (mode == kVectors) {
    require_matrix(p.u, m, svd.columns_of_u(), p.ldu, "u");
    require_matrix(p.v, n, svd.columns_of_v(), p.ldv, "v");
  }
  enqueue(handle, [=] {
    std::vector<T> before = finding && mode == kVectors ? copied(p.a, m, n, p.lda) : scratch<T>(1);
    const Int status = svd.compute(p.a, p.lda, p.s, p.u, p.ldu, p.v, p.ldv);
    *p.info = static_cast<int>(status == 0 ? 0 : svd.least() + 1);
    if (!finding) return;
    *finding = {0, 1};
    if (status == 0 && mode == kVectors)
      finding->residual = svd.residual(before.data(), std::max<Int>(1, m), p.s, p.u, p.ldu, p.v,
                                       p.ldv, svd.least());
  });
}

template <class T>
void gesvdj_size(Handle&, Mode mode, int economic, int m, int n, int lda, int ldu, int ldv,
                 int* size, const SingularInfo* info) {
  require_object(info);
  require(economic == 0 || economic == 1, "econ is not 0 or 1");
  require_decomposed(mode, m, n, lda, ldu, ldv);
  give_size(size, workspace_elements(std::max(m, n)));
}
template <class T>
void gesvdj(Handle& handle, Mode mode, int economic, int m, int n, T* a, int lda, Real<T>* s, T* u,
            int ldu, T* v, int ldv, T* work, int size, int* status, SingularInfo* info) {
  require_object(info);
  require(economic == 0 || economic == 1, "econ is not 0 or 1");
  require_decomposed(mode, m, n, lda, ldu, ldv);
  require_workspace(work, size, workspace_elements(std::max(m, n)));
  info->of_batch = false;
  info->finding = std::make_shared<Finding>();
  decompose<T>(handle, mode, economic == 1, m, n, {a, s, u, v, lda, ldu, ldv, status},
               info->finding);
}

/// As documented: small matrices.
void require_batch(Mode mode, Int m, Int n, Int lda, Int ldu, Int ldv, Int count) {
  require_decomposed(mode, m, n, lda, ldu, ldv);
  require(m <= 32 && n <= 32, "a matrix of a batch is larger than 32 x 32");
  require(count >= 0, "a size is negative");
}
template <class T>
void gesvdj_batched_size(Handle&, Mode mode, int m, int n, int lda, int ldu, int ldv, int* size,
                         const SingularInfo* info, int count) {
  require_object(info);
  require_batch(mode, m, n, lda, ldu, ldv, count);
  give_size(size, workspace_elements(std::max(m, n)));
}
template <class T>
void gesvdj_batched(Handle& handle, Mode mode, int m, int n, T* a, int lda, Real<T>* s, T* u,
                    int ldu, T* v, int ldv, T* work, int size, int* status, SingularInfo* info,
                    int count) {
  require_object(info);
  require_batch(mode, m, n, lda, ldu, ldv, count);
  require_workspace(work, size, workspace_elements(std::max(m, n)));
  info->of_batch = true;
  if (count == 0) return;
  const SingularValues<T> svd(mode, false, m, n);
  const Places<T> p{a, s, u, v, lda, ldu, ldv, status};
  require_batch_places(p, svd, mode, m, n, Int{count});
  enqueue(handle, [=] {
    for (Int i = 0; i < count; ++i) {
      const Int found = svd.compute(p.a + i * p.lda * n, p.lda, p.s + i * svd.least(),
                                    p.u + i * p.ldu * m, p.ldu, p.v + i * p.ldv * n, p.ldv);
      p.info[i] = static_cast<int>(found == 0 ? 0 : svd.least() + 1);
    }
  });
}

void require_ranked(Mode mode, Int rank, Int m, Int n, Int lda, Int ldu, Int ldv, Int count) {
  require_decomposed(mode, m, n, lda, ldu, ldv);
  require(rank >= 0 && rank <= std::min(m, n), "the rank is larger than the matrix");
  require(count >= 0, "a size is negative");
}
template <class T>
void gesvda_size(Handle&, Mode mode, int rank, int m, int n, int lda, int ldu, int ldv, int* size,
                 int count) {
  require_ranked(mode, rank, m, n, lda, ldu, ldv, count);
  give_size(size, workspace_elements(std::max(m, n)));
}
/// The largest `rank` singular values; the residuals are the host's.
template <class T>
void gesvda(Handle& handle, Mode mode, int rank, int m, int n, const T* a, int lda,
            long long stride_a, Real<T>* s, long long stride_s, T* u, int ldu, long long stride_u,
            T* v, int ldv, long long stride_v, T* work, int size, int* status, double* residuals,
            int count) {
  require_ranked(mode, rank, m, n, lda, ldu, ldv, count);
  require_workspace(work, size, workspace_elements(std::max(m, n)));
  if (count == 0) return;
  const Int last = Int{count} - 1;
  require(stride_a >= 0 && stride_s >= 0 && stride_u >= 0 && stride_v >= 0, "a stride is negative");
  const auto extent = [&](long long stride, Int rows, Int columns, Int leading) {
    const std::uint64_t one = matrix_extent(rows, columns, leading);
    return one == 0 ? 0 : one + static_cast<std::uint64_t>(last * stride);
  };
  require_memory(a, extent(stride_a, m, n, lda) * sizeof(T), "a");
  require_memory(s, extent(stride_s, rank, 1, rank) * sizeof(Real<T>), "s");
  if (mode == kVectors) {
    require_memory(u, extent(stride_u, m, rank, ldu) * sizeof(T), "u");
    require_memory(v, extent(stride_v, n, rank, ldv) * sizeof(T), "v");
  }
  require_info(status, count);
  if (residuals != nullptr && is_capturing(handle))
    throw Refusal{Outcome::NotSupported, "a captured stream cannot give residuals to the host"};
  const SingularValues<T> svd(mode, true, m, n);
  enqueue(handle, [=] {
    const Int least = svd.least();
    for (Int i = 0; i < count; ++i) {
      std::vector<T> copy = copied(a + i * stride_a, m, n, lda);
      std::vector<T> left = scratch<T>(m * least);
      std::vector<T> right = scratch<T>(n * least);
      std::vector<Real<T>> values = scratch<Real<T>>(least);
      const Int found = svd.compute(copy.data(), std::max(1, m), values.data(), left.data(),
                                    std::max(1, m), right.data(), std::max(1, n));
      status[i] = static_cast<int>(found == 0 ? 0 : least + 1);
      if (residuals != nullptr) residuals[i] = 0;
      if (found != 0) continue;
      std::copy_n(values.data(), rank, s + i * stride_s);
      if (mode != kVectors) continue;
      for (Int column = 0; column < rank; ++column) {
        std::copy_n(left.data() + column * m, m, u + i * stride_u + column * ldu);
        std::copy_n(right.data() + column * n, n, v + i * stride_v + column * ldv);
      }
      if (residuals == nullptr) continue;
      copy = copied(a + i * stride_a, m, n, lda);
      residuals[i] = svd.residual(copy.data(), std::max(1, m), values.data(), left.data(),
                                  std::max(1, m), right.data(), std::max(1, n), rank);
    }
  });
  if (residuals != nullptr) wait(handle);
}

}  // namespace

#define gesvdj_size_PARAMETERS(T)                                                                \
  Mode mode, int economic, int m, int n, const T *, int lda, const Real<T>*, const T *, int ldu, \
      const T *, int ldv, int *size, SingularInfo *info
#define gesvdj_size_ARGUMENTS mode, economic, m, n, lda, ldu, ldv, size, info
CUSOLVER_EXPORT_ALL(gesvdj_bufferSize, gesvdj_size)
#define gesvdj_PARAMETERS(T)                                                                     \
  Mode mode, int economic, int m, int n, T *a, int lda, Real<T>*s, T *u, int ldu, T *v, int ldv, \
      T *work, int size, int *status, SingularInfo *info
#define gesvdj_ARGUMENTS mode, economic, m, n, a, lda, s, u, ldu, v, ldv, work, size, status, info
CUSOLVER_EXPORT_ALL(gesvdj, gesvdj)
#define gesvdj_batched_size_PARAMETERS(T)                                                     \
  Mode mode, int m, int n, const T *, int lda, const Real<T>*, const T *, int ldu, const T *, \
      int ldv, int *size, SingularInfo *info, int count
#define gesvdj_batched_size_ARGUMENTS mode, m, n, lda, ldu, ldv, size, info, count
CUSOLVER_EXPORT_ALL(gesvdjBatched_bufferSize, gesvdj_batched_size)
#define gesvdj_batched_PARAMETERS(T)                                                        \
  Mode mode, int m, int n, T *a, int lda, Real<T>*s, T *u, int ldu, T *v, int ldv, T *work, \
      int size, int *status, SingularInfo *info, int count
#define gesvdj_batched_ARGUMENTS \
  mode, m, n, a, lda, s, u, ldu, v, ldv, work, size, status, info, count
CUSOLVER_EXPORT_ALL(gesvdjBatched, gesvdj_batched)
#define gesvda_size_PARAMETERS(T)                                                              \
  Mode mode, int rank, int m, int n, const T *, int lda, long long, const Real<T>*, long long, \
      const T *, int ldu, long long, const T *, int ldv, long long, int *size, int count
#define gesvda_size_ARGUMENTS mode, rank, m, n, lda, ldu, ldv, size, count
CUSOLVER_EXPORT_ALL(gesvdaStridedBatched_bufferSize, gesvda_size)
#define gesvda_PARAMETERS(T)                                                                    \
  Mode mode, int rank, int m, int n, const T *a, int lda, long long stride_a, Real<T>*s,        \
      long long stride_s, T *u, int ldu, long long stride_u, T *v, int ldv, long long stride_v, \
      T *work, int size, int *status, double *residuals, int count
#define gesvda_ARGUMENTS                                                                           \
  mode, rank, m, n, a, lda, stride_a, s, stride_s, u, ldu, stride_u, v, ldv, stride_v, work, size, \
      status, residuals, count
CUSOLVER_EXPORT_ALL(gesvdaStridedBatched, gesvda)

extern "C" {

Status cusolverDnXgesvdp_bufferSize(Handle* handle, const Parameters* parameters, Mode mode,
                                    int economic, Int m, Int n, DataType type, const void*, Int lda,
                                    DataType type_s, const void*, DataType type_u, const void*,
                                    Int ldu, DataType type_v, const void*, Int ldv,
                                    DataType computed, std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXgesvdp_bufferSize", [&] {
    require_parameters(parameters);
    require(economic == 0 || economic == 1, "econ is not 0 or 1");
    require_decomposed(mode, m, n, lda, ldu, ldv);
    require_types(type, {type_u, type_v, computed});
    require_real_type(type, type_s);
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXgesvdp(Handle* handle, const Parameters* parameters, Mode mode, int economic,
                         Int m, Int n, DataType type, void* a, Int lda, DataType type_s, void* s,
                         DataType type_u, void* u, Int ldu, DataType type_v, void* v, Int ldv,
                         DataType computed, void* work, std::size_t bytes, void*, std::size_t,
                         int* info, double* perturbation) {
  return with_handle(handle, "cusolverDnXgesvdp", [&] {
    require_parameters(parameters);
    require(economic == 0 || economic == 1, "econ is not 0 or 1");
    require_decomposed(mode, m, n, lda, ldu, ldv);
    require_types(type, {type_u, type_v, computed});
    require_real_type(type, type_s);
    require_workspace_bytes(work, bytes, type, n);
    require(perturbation != nullptr, "the pointer of the perturbation is null");
    with_type(type, [&]<class T>(T) {
      decompose<T>(*handle, mode, economic == 1, m, n,
                   {static_cast<T*>(a), static_cast<Real<T>*>(s), static_cast<T*>(u),
                    static_cast<T*>(v), lda, ldu, ldv, info},
                   nullptr);
    });
    *perturbation = 0;  // this method changes no singular value
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
