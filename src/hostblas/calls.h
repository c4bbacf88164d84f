// SPDX-License-Identifier: MIT
// What all functions of the libraries do: check arguments and memory, run in stream order, end with
// an error.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

#include "hostblas/types.h"
#include "hostwork/driver.h"

namespace pycuda::hostblas {

/// How a call ends. Each library has its own numbers for these.
enum class Outcome {
  Success,
  NotInitialized,
  AllocFailed,
  InvalidValue,
  ExecutionFailed,
  InternalError,
  NotSupported,
};

/// What a call ends with where a function cannot go on.
struct Refusal {
  Outcome outcome;
  std::string why;  ///< for the log; may be empty
};

inline void require(bool holds, const char* why) {
  if (!holds) throw Refusal{Outcome::InvalidValue, why};
}

/// Runs a function's body. No exception leaves the library; the log has the reason of a failure.
Outcome run_body(const char* function, void (*run)(void*), void* body) noexcept;
template <class Body>
Outcome outcome_of(const char* function, Body&& body) noexcept {
  return run_body(
      function, [](void* data) { (*static_cast<std::remove_reference_t<Body>*>(data))(); }, &body);
}

/// What a handle of every library has.
struct StreamHandle {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  /// Set when work in a stream could not be done: the next call says so.
  std::shared_ptr<std::atomic<bool>> failed = std::make_shared<std::atomic<bool>>(false);
};

/// Ends the call if work of the handle has failed since the last one.
void require_no_failure(const StreamHandle& handle);

/// Runs `work` in the order of the handle's stream. It may not call CUDA. In a captured stream it
/// becomes part of the graph, and lives until the process ends.
void enqueue(const StreamHandle& handle, std::function<void()> work);
/// Waits for the stream; refuses in a captured one, where nothing can be waited for.
void wait(const StreamHandle& handle);
bool is_capturing(const StreamHandle& handle);

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

/// Refuses sizes that a library without 64-bit ones cannot take.
void require_fitting(bool wide, std::initializer_list<Int> sizes);

}  // namespace pycuda::hostblas
