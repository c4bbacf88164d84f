// SPDX-License-Identifier: MIT
// A cuBLAS handle, and what all functions do with it: run in stream order, return its errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "cublas/cublas_types.h"
#include "hostblas/calls.h"
#include "hostblas/library.h"
#include "hostwork/registry.h"

namespace pycuda::cublas {

using hostwork::Driver;
using hostwork::driver;

struct Handle : hostblas::StreamHandle {
  PointerMode pointers = kHostPointers;
  int atomics = 0;
  int math = 0;
  int multiprocessors = 0;
  bool takes_host_memory = false;  ///< cuBLASXt's, whose calls end when their work has
  int block = 0;                   ///< of cuBLASXt
  int pinning = 0;                 ///< of cuBLASXt
};
using Handles = hostwork::Registry<Handle>;

/// A handle of the current context, for the functions that make one. Throws what ends the call.
Handle* create_handle();

/// Refuses what is not a handle, and ends the call if work of the handle has failed.
void require_usable(const Handle* handle);

/// Refuses handles that are not cuBLASXt's.
void require_xt(const Handle& handle);

/// The only exit of the functions that take a handle.
template <class Body>
Status with_handle(const Handle* handle, const char* function, Body&& body) noexcept {
  return status_of(outcome_of(function, [&] {
    require_usable(handle);
    body();
  }));
}

/// Refuses sizes that the host's BLAS cannot take.
inline void require_fitting(std::initializer_list<Int> sizes) {
  hostblas::require_fitting(blas_is_wide(), sizes);
}

/// A scalar that the program passes by a pointer: read now, or by the work if it is the device's.
template <class T>
class Scalar {
 public:
  Scalar(const Handle& handle, const T* address) {
    require(address != nullptr, "a scalar's pointer is null");
    if (handle.pointers == kDevicePointers) {
      require_memory(address, sizeof(T), "a scalar");
      device_ = address;
    } else {
      value_ = *address;
    }
  }
  T get() const { return device_ != nullptr ? *device_ : value_; }

 private:
  const T* device_ = nullptr;
  T value_{};
};

using hostblas::require_matrix;
/// Refuses a matrix outside of the memory that the handle takes.
template <class T>
void require_matrix(const Handle& handle, const T* address, Int rows, Int columns, Int leading,
                    const char* what) {
  if (!handle.takes_host_memory)
    return hostblas::require_matrix(address, rows, columns, leading, what);
  require(leading >= std::max<Int>(1, rows), "a leading dimension is smaller than the rows");
  require(address != nullptr || matrix_extent(rows, columns, leading) == 0, "a pointer is null");
}

/// Runs work that computes one number, and puts that where the program wants it: a host's pointer
/// has it when the call returns.
template <class T, class Work>
void give_result(const Handle& handle, T* destination, Work work) {
  require(destination != nullptr, "the result's pointer is null");
  if (handle.pointers == kDevicePointers) {
    require_memory(destination, sizeof(T), "the result");
    enqueue(handle, [destination, work = std::move(work)] { *destination = work(); });
    return;
  }
  if (is_capturing(handle))
    throw Refusal{Outcome::NotSupported, "a captured stream cannot give its result to the host"};
  enqueue(handle, [destination, work = std::move(work)] { *destination = work(); });
  wait(handle);
}

}  // namespace pycuda::cublas

/// Defines a function of the API for both widths of sizes. FAMILY_PARAMETERS(Size, T) are its
/// parameters, FAMILY_ARGUMENTS those of the template `family` that does the work.
#define CUBLAS_EXPORT(name, family, T)                                                   \
  extern "C" pycuda::cublas::Status name(family##_PARAMETERS(int, T)) {                  \
    return pycuda::cublas::with_handle(handle, #name,                                    \
                                       [&] { family<T>(*handle, family##_ARGUMENTS); }); \
  }                                                                                      \
  extern "C" pycuda::cublas::Status name##_64(family##_PARAMETERS(std::int64_t, T)) {    \
    return pycuda::cublas::with_handle(handle, #name "_64",                              \
                                       [&] { family<T>(*handle, family##_ARGUMENTS); }); \
  }

/// Defines a function of cuBLASXt, whose sizes are of 64 bits.
#define CUBLAS_XT_EXPORT(name, family, T)                                                  \
  extern "C" pycuda::cublas::Status cublasXt##name(family##_PARAMETERS(std::int64_t, T)) { \
    return pycuda::cublas::with_handle(handle, "cublasXt" #name, [&] {                     \
      require_xt(*handle);                                                                 \
      family<T>(*handle, family##_ARGUMENTS);                                              \
      wait(*handle);                                                                       \
      require_no_failure(*handle);                                                         \
    });                                                                                    \
  }
#define CUBLAS_XT_EXPORT_COMPLEX(family)            \
  CUBLAS_XT_EXPORT(C##family, family, ComplexFloat) \
  CUBLAS_XT_EXPORT(Z##family, family, ComplexDouble)
#define CUBLAS_XT_EXPORT_ALL(family)          \
  CUBLAS_XT_EXPORT(S##family, family, float)  \
  CUBLAS_XT_EXPORT(D##family, family, double) \
  CUBLAS_XT_EXPORT_COMPLEX(family)

#define CUBLAS_EXPORT_REAL(prefix, middle, suffix, family) \
  CUBLAS_EXPORT(prefix##S##middle##suffix, family, float)  \
  CUBLAS_EXPORT(prefix##D##middle##suffix, family, double)
#define CUBLAS_EXPORT_COMPLEX(prefix, middle, suffix, family)    \
  CUBLAS_EXPORT(prefix##C##middle##suffix, family, ComplexFloat) \
  CUBLAS_EXPORT(prefix##Z##middle##suffix, family, ComplexDouble)
#define CUBLAS_EXPORT_ALL(prefix, middle, suffix, family) \
  CUBLAS_EXPORT_REAL(prefix, middle, suffix, family)      \
  CUBLAS_EXPORT_COMPLEX(prefix, middle, suffix, family)
