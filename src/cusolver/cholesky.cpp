// SPDX-License-Identifier: MIT
// Cholesky factors of positive definite matrices, solutions and inverses from them; products and
// inverses of triangles.
#include "cusolver/typed_matrices.h"
#include "hostblas/pointer_lists.h"

namespace pycuda::cusolver {
namespace {

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

/// The functions that change one triangle: potrf, potri, lauum.
template <class T>
void change_half(Handle& handle, const char* name, Fill fill, Int n, T* a, Int lda, int* info) {
  require_matrix(a, n, n, lda, "a");
  require_info(info);
  enqueue(handle,
          [=, f = lapack<T>(name)] { set_info(info, f.call(letter_of(fill), n, a, lda), n); });
}
template <class T>
void potrf(Handle& handle, Fill fill, int n, T* a, int lda, T* work, int size, int* info) {
  require_half(fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  change_half(handle, "potrf", fill, n, a, lda, info);
}
template <class T>
void potri(Handle& handle, Fill fill, int n, T* a, int lda, T* work, int size, int* info) {
  require_half(fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  change_half(handle, "potri", fill, n, a, lda, info);
}
template <class T>
void lauum(Handle& handle, Fill fill, int n, T* a, int lda, T* work, int size, int* info) {
  require_half(fill, n, lda);
  require_workspace(work, size, workspace_elements(n));
  change_half(handle, "lauum", fill, n, a, lda, info);
}

void require_solution(Fill fill, Int n, Int columns, Int lda, Int ldb) {
  require_half(fill, n, lda);
  require(columns >= 0, "a size is negative");
  require_leading(ldb, n);
  require_fitting({columns, ldb});
}

template <class T>
void potrs(Handle& handle, Fill fill, Int n, Int columns, const T* a, Int lda, T* b, Int ldb,
           int* info) {
  require_solution(fill, n, columns, lda, ldb);
  require_matrix(a, n, n, lda, "a");
  require_matrix(b, n, columns, ldb, "b");
  require_info(info);
  enqueue(handle, [=, f = lapack<T>("potrs")] {
    set_info(info, f.call(letter_of(fill), n, columns, a, lda, b, ldb), 0);
  });
}

template <class T>
void potrf_batched(Handle& handle, Fill fill, Int n, T* const* a, Int lda, int* info, Int count) {
  require_half(fill, n, lda);
  require(count >= 0, "a size is negative");
  if (count == 0) return;
  require_info(info, count);
  if (n != 0) require_pointers(handle, a, count, matrix_extent(n, n, lda) * sizeof(T), "a");
  enqueue(handle, [=, f = lapack<T>("potrf")] {
    for (Int i = 0; i < count; ++i)
      set_info(info + i, n == 0 ? 0 : f.call(letter_of(fill), n, a[i], lda), n);
  });
}

/// As documented, for one right side; `info` is one number, of wrong arguments.
template <class T>
void potrs_batched(Handle& handle, Fill fill, Int n, Int columns, T* const* a, Int lda, T* const* b,
                   Int ldb, int* info, Int count) {
  require_solution(fill, n, columns, lda, ldb);
  require(count >= 0, "a size is negative");
  if (columns > 1)
    throw Refusal{Outcome::NotSupported, "batches are solved for one right side only"};
  require_info(info);
  const bool is_empty = n == 0 || columns == 0 || count == 0;
  if (!is_empty) {
    require_pointers(handle, a, count, matrix_extent(n, n, lda) * sizeof(T), "a");
    require_pointers(handle, b, count, matrix_extent(n, columns, ldb) * sizeof(T), "b");
  }
  enqueue(handle, [=, f = lapack<T>("potrs")] {
    for (Int i = 0; !is_empty && i < count; ++i)
      f.call(letter_of(fill), n, columns, a[i], lda, b[i], ldb);
    *info = 0;
  });
}

}  // namespace

#define half_size_PARAMETERS(T) Fill fill, int n, T *, int lda, int *size
#define half_size_ARGUMENTS fill, n, lda, size
CUSOLVER_EXPORT_ALL(potrf_bufferSize, half_size)
CUSOLVER_EXPORT_ALL(potri_bufferSize, half_size)
CUSOLVER_EXPORT_ALL(lauum_bufferSize, half_size)
#define potrf_PARAMETERS(T) Fill fill, int n, T *a, int lda, T *work, int size, int *info
#define potrf_ARGUMENTS fill, n, a, lda, work, size, info
CUSOLVER_EXPORT_ALL(potrf, potrf)
#define potri_PARAMETERS(T) potrf_PARAMETERS(T)
#define potri_ARGUMENTS potrf_ARGUMENTS
CUSOLVER_EXPORT_ALL(potri, potri)
#define lauum_PARAMETERS(T) potrf_PARAMETERS(T)
#define lauum_ARGUMENTS potrf_ARGUMENTS
CUSOLVER_EXPORT_ALL(lauum, lauum)
#define potrs_PARAMETERS(T) \
  Fill fill, int n, int columns, const T *a, int lda, T *b, int ldb, int *info
#define potrs_ARGUMENTS fill, n, columns, a, lda, b, ldb, info
CUSOLVER_EXPORT_ALL(potrs, potrs)
#define potrf_batched_PARAMETERS(T) Fill fill, int n, T **a, int lda, int *info, int count
#define potrf_batched_ARGUMENTS fill, n, a, lda, info, count
CUSOLVER_EXPORT_ALL(potrfBatched, potrf_batched)
#define potrs_batched_PARAMETERS(T) \
  Fill fill, int n, int columns, T **a, int lda, T **b, int ldb, int *info, int count
#define potrs_batched_ARGUMENTS fill, n, columns, a, lda, b, ldb, info, count
CUSOLVER_EXPORT_ALL(potrsBatched, potrs_batched)

extern "C" {

Status cusolverDnXpotrf_bufferSize(Handle* handle, const Parameters* parameters, Fill fill, Int n,
                                   DataType type, const void*, Int lda, DataType computed,
                                   std::size_t* device, std::size_t* host) {
  return with_handle(handle, "cusolverDnXpotrf_bufferSize", [&] {
    require_parameters(parameters);
    require_half(fill, n, lda);
    require_types(type, {computed});
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXpotrf(Handle* handle, const Parameters* parameters, Fill fill, Int n,
                        DataType type, void* a, Int lda, DataType computed, void* work,
                        std::size_t bytes, void*, std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXpotrf", [&] {
    require_parameters(parameters);
    require_half(fill, n, lda);
    require_types(type, {computed});
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      change_half(*handle, "potrf", fill, n, static_cast<T*>(a), lda, info);
    });
  });
}
Status cusolverDnXpotrs(Handle* handle, const Parameters* parameters, Fill fill, Int n, Int columns,
                        DataType type, const void* a, Int lda, DataType type_b, void* b, Int ldb,
                        int* info) {
  return with_handle(handle, "cusolverDnXpotrs", [&] {
    require_parameters(parameters);
    require_types(type, {type_b});
    with_type(type, [&]<class T>(T) {
      potrs(*handle, fill, n, columns, static_cast<const T*>(a), lda, static_cast<T*>(b), ldb,
            info);
    });
  });
}

Status cusolverDnXtrtri_bufferSize(Handle* handle, Fill fill, Diagonal diagonal, Int n,
                                   DataType type, void*, Int lda, std::size_t* device,
                                   std::size_t* host) {
  return with_handle(handle, "cusolverDnXtrtri_bufferSize", [&] {
    require_half(fill, n, lda);
    require(is_diagonal(diagonal), "the diagonal is not one");
    require_types(type, {});
    give_sizes(device, host, type, n);
  });
}
Status cusolverDnXtrtri(Handle* handle, Fill fill, Diagonal diagonal, Int n, DataType type, void* a,
                        Int lda, void* work, std::size_t bytes, void*, std::size_t, int* info) {
  return with_handle(handle, "cusolverDnXtrtri", [&] {
    require_half(fill, n, lda);
    require(is_diagonal(diagonal), "the diagonal is not one");
    require_types(type, {});
    require_workspace_bytes(work, bytes, type, n);
    with_type(type, [&]<class T>(T) {
      T* const matrix = static_cast<T*>(a);
      require_matrix(matrix, n, n, lda, "a");
      require_info(info);
      enqueue(*handle, [=, f = lapack<T>("trtri")] {
        set_info(info, f.call(letter_of(fill), letter_of(diagonal), n, matrix, lda), n);
      });
    });
  });
}

}  // extern "C"

}  // namespace pycuda::cusolver
