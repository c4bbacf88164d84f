// SPDX-License-Identifier: MIT
// A cuBLASLt handle, for which one of cuBLAS's may stand.
#pragma once

#include "cublas/statuses.h"
#include "hostblas/calls.h"
#include "hostblas/library.h"
#include "hostwork/registry.h"

namespace pycuda::cublaslt {

using namespace hostblas;
using cublas::Status;

struct Handle : hostblas::StreamHandle {};
using Handles = hostwork::Registry<Handle>;

/// The handle with the stream of a call. Refuses what is not a handle, and ends the call if work of
/// the handle has failed.
StreamHandle in_stream(Handle* handle, CUstream stream);
/// The same without a stream.
void require_handle(Handle* handle);

template <class Body>
Status guarded(const char* function, Body&& body) noexcept {
  return cublas::status_of(outcome_of(function, body));
}

}  // namespace pycuda::cublaslt
