// SPDX-License-Identifier: MIT
// A cuBLAS handle, and what all functions do with it: run in stream order, return its errors.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "cublas/blas_library.h"
#include "cublas/cublas_types.h"
#include "hostwork/driver.h"

namespace pycuda::cublas {

using hostwork::Driver;
using hostwork::driver;

struct Handle {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  PointerMode pointers = kHostPointers;
  int atomics = 0;
  int math = 0;
  int multiprocessors = 0;
  /// Set when work in a stream could not be done: the next call says so.
  std::shared_ptr<std::atomic<bool>> failed = std::make_shared<std::atomic<bool>>(false);
};

/// The handles that are valid; a pointer is looked up before it is followed.
bool is_handle(const Handle* handle);
Handle* insert_handle(std::unique_ptr<Handle> handle);
void erase_handle(const Handle* handle);

/// What a call ends with where a function cannot go on.
struct Refusal {
  Status status;
  std::string why;  ///< for the log; may be empty
};

inline void require(bool holds, const char* why) {
  if (!holds) throw Refusal{kInvalidValue, why};
}

/// The only exit of the functions that take a handle: no exception leaves the library.
template <class Body>
Status with_handle(const Handle* handle, const char* function, Body&& body) noexcept {
  try {
    if (!is_handle(handle)) return kNotInitialized;
    if (handle->failed->exchange(false)) return kExecutionFailed;
    body();
    return kSuccess;
  } catch (const Refusal& refusal) {
    if (!refusal.why.empty())
      base::log(base::LogLevel::Info, std::string(function) + ": " + refusal.why);
    return refusal.status;
  } catch (const Missing& missing) {
    base::log(base::LogLevel::Warning,
              std::string(function) + " is not supported: the host's BLAS has no " + missing.name);
    return kNotSupported;
  } catch (const std::bad_alloc&) {
    return kAllocFailed;
  } catch (...) {
    return kInternalError;
  }
}

/// Runs `work` in the order of the handle's stream. It may not call CUDA. In a captured stream it
/// becomes part of the graph, and lives until the process ends.
void enqueue(const Handle& handle, std::function<void()> work);
/// Waits for the stream; refuses in a captured one, where nothing can be waited for.
void wait(const Handle& handle);
bool is_capturing(const Handle& handle);

/// Refuses memory that is not the device's.
void require_memory(const void* address, std::uint64_t bytes, const char* what);

/// The number of elements from the first to the last of a vector.
inline std::uint64_t vector_extent(Int n, Int step) {
  if (n <= 0) return 0;
  const auto size = static_cast<std::uint64_t>(step < 0 ? -step : step);
  return 1 + static_cast<std::uint64_t>(n - 1) * size;
}

template <class T>
void require_vector(const T* address, Int n, Int step, const char* what) {
  require_memory(address, vector_extent(n, step) * sizeof(T), what);
}

/// Of `columns` columns with `rows` elements each.
inline std::uint64_t matrix_extent(Int rows, Int columns, Int leading) {
  if (rows <= 0 || columns <= 0) return 0;
  return static_cast<std::uint64_t>(columns - 1) * static_cast<std::uint64_t>(leading) +
         static_cast<std::uint64_t>(rows);
}

template <class T>
void require_matrix(const T* address, Int rows, Int columns, Int leading, const char* what) {
  require(leading >= std::max<Int>(1, rows), "a leading dimension is smaller than the rows");
  require_memory(address, matrix_extent(rows, columns, leading) * sizeof(T), what);
}

/// Refuses sizes that the host's BLAS cannot take.
void require_fitting(std::initializer_list<Int> sizes);

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
    throw Refusal{kNotSupported, "a captured stream cannot give its result to the host"};
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

#define CUBLAS_EXPORT_REAL(prefix, middle, suffix, family) \
  CUBLAS_EXPORT(prefix##S##middle##suffix, family, float)  \
  CUBLAS_EXPORT(prefix##D##middle##suffix, family, double)
#define CUBLAS_EXPORT_COMPLEX(prefix, middle, suffix, family)    \
  CUBLAS_EXPORT(prefix##C##middle##suffix, family, ComplexFloat) \
  CUBLAS_EXPORT(prefix##Z##middle##suffix, family, ComplexDouble)
#define CUBLAS_EXPORT_ALL(prefix, middle, suffix, family) \
  CUBLAS_EXPORT_REAL(prefix, middle, suffix, family)      \
  CUBLAS_EXPORT_COMPLEX(prefix, middle, suffix, family)
