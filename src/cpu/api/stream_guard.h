// SPDX-License-Identifier: MIT
// entry_guard for the functions that take a stream.
#pragma once

#include "cpu/api/entry_guard.h"
#include "cpu/api/stream.h"

namespace pycuda::cpu::api {

/// As with_context, with the stream that `handle` names. A stream of another context is used in its
/// own one.
template <class Body>
CUresult with_stream(CUstream handle, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context& current) -> CUresult {
        ObjectPin pin;
        Stream* stream = current.borrow_stream(handle);
        if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        pin.is_of(stream->context().handle());
        if (stream->is_detached()) [[unlikely]]
          return CUDA_ERROR_CONTEXT_IS_DESTROYED;  // not STREAM_DETACHED: as NVIDIA's driver
        const CUresult status = stream->context().status();
        if (status != CUDA_SUCCESS) return status;
        return body(*stream);
      },
      entry);
}

}  // namespace pycuda::cpu::api
