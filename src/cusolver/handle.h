// SPDX-License-Identifier: MIT
// A cuSOLVER handle, and what all functions do with it: run in stream order, return its errors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cusolver/cusolver_types.h"
#include "hostblas/calls.h"
#include "hostblas/lapack.h"
#include "hostblas/matrices.h"
#include "hostwork/registry.h"

namespace pycuda::cusolver {

struct Handle : hostblas::StreamHandle {
  int deterministic = 1;
  int math = 1;
};
using Handles = hostwork::Registry<Handle>;

Status status_of(Outcome outcome);

/// Refuses what is not a handle, and ends the call if work of the handle has failed.
void require_usable(const Handle* handle);

/// The only exit of the functions that take a handle.
template <class Body>
Status with_handle(const Handle* handle, const char* function, Body&& body) noexcept {
  return status_of(outcome_of(function, [&] {
    require_usable(handle);
    body();
  }));
}

/// Where the work in the stream puts LAPACK's status. Numbers below zero report wrong arguments,
/// which are found before, or of numbers that are not numbers: `otherwise` stands for those.
inline void set_info(int* info, Int status, Int otherwise) {
  *info = static_cast<int>(status < 0 ? otherwise : status);
}

inline void require_info(const int* info, Int count = 1) {
  require_memory(info, static_cast<std::uint64_t>(count) * sizeof(int), "info");
}

/// The workspaces of all functions: LAPACK's own are allocated by the work, so that the program's
/// need only exist. A size of at least one element can be allocated by every program.
inline Int workspace_elements(Int n) { return std::max<Int>(1, n); }

inline void give_size(int* size, Int elements) {
  require(size != nullptr, "the size's pointer is null");
  *size = static_cast<int>(elements);
}

template <class T>
void require_workspace(const T* work, int given, Int elements) {
  require(given >= elements, "the workspace is smaller than its bufferSize function says");
  require_memory(work, static_cast<std::uint64_t>(elements) * sizeof(T), "the workspace");
}

/// Refuses sizes that LAPACK cannot take.
inline void require_fitting(std::initializer_list<Int> sizes) {
  hostblas::require_fitting(lapack_is_wide(), sizes);
}

inline void require_leading(Int leading, Int rows) {
  require(leading >= std::max<Int>(1, rows), "a leading dimension is smaller than the rows");
}

}  // namespace pycuda::cusolver

/// Defines a function of the API. FAMILY_PARAMETERS(T) are its parameters after the handle,
/// FAMILY_ARGUMENTS those of the template `family` that does the work.
#define CUSOLVER_EXPORT(name, family, T)                                                   \
  extern "C" pycuda::cusolver::Status name(pycuda::cusolver::Handle* handle,               \
                                           family##_PARAMETERS(T)) {                       \
    return pycuda::cusolver::with_handle(handle, #name,                                    \
                                         [&] { family<T>(*handle, family##_ARGUMENTS); }); \
  }

/// For the four types: real and complex matrices may have functions of different names.
#define CUSOLVER_EXPORT_REAL(name, family)          \
  CUSOLVER_EXPORT(cusolverDnS##name, family, float) \
  CUSOLVER_EXPORT(cusolverDnD##name, family, double)
#define CUSOLVER_EXPORT_COMPLEX(name, family)              \
  CUSOLVER_EXPORT(cusolverDnC##name, family, ComplexFloat) \
  CUSOLVER_EXPORT(cusolverDnZ##name, family, ComplexDouble)
#define CUSOLVER_EXPORT_ALL(name, family) \
  CUSOLVER_EXPORT_REAL(name, family)      \
  CUSOLVER_EXPORT_COMPLEX(name, family)
