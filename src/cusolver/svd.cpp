// SPDX-License-Identifier: MIT
// Singular values by QR's method, with V^H: gesvd.
#include <stdexcept>
#include <string_view>

#include "cusolver/typed_matrices.h"

namespace pycuda::cusolver {
namespace {

void require_tall(Int m, Int n) {
  require(m >= 0 && n >= 0, "a size is negative");
  require(m >= n, "the matrix has fewer rows than columns");
  require_fitting({m, n});
}

template <class T>
void gesvd_size(Handle&, int m, int n, int* size) {
  require_tall(m, n);
  give_size(size, workspace_elements(n));
}

bool is_job(char job) { return std::string_view("ASON").find(job) != std::string_view::npos; }
/// Whether the vectors have a place of their own.
bool has_place(char job) { return job == 'A' || job == 'S'; }

void require_jobs(char job_u, char job_vt, Int m, Int n, Int lda, Int ldu, Int ldvt) {
  require_tall(m, n);
  require(is_job(job_u) && is_job(job_vt) && !(job_u == 'O' && job_vt == 'O'),
          "the vectors to compute are not A, S, O or N, or both O");
  require_leading(lda, m);
  if (has_place(job_u)) require_leading(ldu, m);
  if (has_place(job_vt)) require_leading(ldvt, n);
  require_fitting({lda, ldu, ldvt});
}

template <class T>
void decompose(Handle& handle, char job_u, char job_vt, Int m, Int n, T* a, Int lda, Real<T>* s,
               T* u, Int ldu, T* vt, Int ldvt, Real<T>* left_over, int* info) {
  require_matrix(a, m, n, lda, "a");
  require_vector(s, n, 1, "s");
  if (has_place(job_u)) require_matrix(u, m, job_u == 'A' ? m : n, ldu, "u");
  if (has_place(job_vt)) require_matrix(vt, n, n, ldvt, "vt");
  // Written only after a failure, so that programs get along with a pointer to the host's memory.
  const bool is_writable =
      n > 1 &&
      hostwork::is_device_memory(left_over, static_cast<std::uint64_t>(n - 1) * sizeof(Real<T>));
  require_info(info);
  if (!has_place(job_u)) ldu = 1;
  if (!has_place(job_vt)) ldvt = 1;
  enqueue(handle, [=, f = lapack<T>("gesvd")] {
    if (n == 0) {  // LAPACK leaves the vectors as they are
      if (job_u == 'A') fill_identity(u, m, ldu);
      *info = 0;
      return;
    }
    std::vector<Real<T>> real = scratch<Real<T>>(5 * n);
    const auto call = [&](T* work, Int size) {
      if constexpr (is_complex<T>) {
        return f.call(job_u, job_vt, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, real.data());
      } else {
        return f.call(job_u, job_vt, m, n, a, lda, s, u, ldu, vt, ldvt, work, size);
      }
    };
    T asked{};
    Int status = call(&asked, -1);
    std::vector<T> work = scratch<T>(asked_size(asked));
    if (status == 0) status = call(work.data(), static_cast<Int>(work.size()));
    set_info(info, status, n);
    if (status == 0 || left_over == nullptr || n < 2) return;
    if (!is_writable) throw std::invalid_argument("rwork does not lie in the device's memory");
    // The superdiagonal that did not become 0: behind the size of the workspace of real functions.
    for (Int i = 0; i + 1 < n; ++i) {
      if constexpr (is_complex<T>) {
        left_over[i] = real[static_cast<std::size_t>(i)];
      } else {
        left_over[i] = work[static_cast<std::size_t>(i + 1)];
      }
    }
  });
}

template <class T>
void gesvd(Handle& handle, signed char job_u, signed char job_vt, int m, int n, T* a, int lda,
           Real<T>* s, T* u, int ldu, T* vt, int ldvt, T* work, int size, Real<T>* left_over,
           int* info) {
  require_jobs(job_u, job_vt, m, n, lda, ldu, ldvt);
  require_workspace(work, size, workspace_elements(n));
  decompose<T>(handle, job_u, job_vt, m, n, a, lda, s, u, ldu, vt, ldvt, left_over, info);
}

}  // namespace

#define gesvd_size_PARAMETERS(T) int m, int n, int *size
#define gesvd_size_ARGUMENTS m, n, size
CUSOLVER_EXPORT_ALL(gesvd_bufferSize, gesvd_size)
#define gesvd_PARAMETERS(T)                                                                     \
  signed char job_u, signed char job_vt, int m, int n, T *a, int lda, Real<T>*s, T *u, int ldu, \
      T *vt, int ldvt, T *work, int size, Real<T>*left_over, int *info
#define gesvd_ARGUMENTS \
  job_u, job_vt, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, left_over, info
CUSOLVER_EXPORT_ALL(gesvd, gesvd)

extern "C" {

Status cusolverDnXgesvd_bufferSize(Handle* handle, const Parameters* parameters, signed char job_u,
                                   signed char job_vt, Int m, Int n, DataType type, const void*,
                                   Int lda, DataType type_s, const void*, DataType type_u,
                                   const void*, Int ldu, DataType type_vt, const void*, Int ldvt,
                                   DataType computed, std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXgesvd_bufferSize", [&] {
    require_parameters(parameters);
    require_jobs(job_u, job_vt, m, n, lda, ldu, ldvt);
    require_types(type, {type_u, type_vt, computed});
    require_real_type(type, type_s);
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXgesvd(Handle* handle, const Parameters* parameters, signed char job_u,
                        signed char job_vt, Int m, Int n, DataType type, void* a, Int lda,
                        DataType type_s, void* s, DataType type_u, void* u, Int ldu,
                        DataType type_vt, void* vt, Int ldvt, DataType computed, void* work,
                        std::size_t bytes, void*, std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXgesvd", [&] {
    require_parameters(parameters);
    require_jobs(job_u, job_vt, m, n, lda, ldu, ldvt);
    require_types(type, {type_u, type_vt, computed});
    require_real_type(type, type_s);
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      decompose<T>(*handle, job_u, job_vt, m, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(s),
                   static_cast<T*>(u), ldu, static_cast<T*>(vt), ldvt, nullptr, info);
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
