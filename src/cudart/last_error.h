// SPDX-License-Identifier: MIT
// The error that cudaGetLastError returns, and the common exit of every function.
#pragma once

#include <exception>

#include "cudart/runtime_types.h"

namespace pycuda::cudart {

/// Keeps `code` as this thread's last error unless it is cudaSuccess or cudaErrorNotReady, logs
/// `name` if the call is not supported, and returns `code`.
cudaError_t record(const char* name, cudaError_t code) noexcept;
/// Logs an exception and returns cudaErrorUnknown.
cudaError_t unexpected(const char* name, const char* what) noexcept;
/// Forgets this thread's last error.
void clear_last_error() noexcept;

template <class Body>
cudaError_t guarded(const char* name, Body&& body) noexcept {
  try {
    return record(name, body());
  } catch (const std::exception& error) {
    return record(name, unexpected(name, error.what()));
  } catch (...) {
    return record(name, unexpected(name, "unknown exception"));
  }
}

}  // namespace pycuda::cudart
