// SPDX-License-Identifier: MIT
// Common code of the functions that take a batch of operations.
#pragma once

#include <cstddef>

#include "cpu/api/stream_guard.h"

namespace pycuda::cpu::api {

/// Whether the numbers say which of `count` operations are the first of `groups` groups.
inline bool are_group_indices(const std::size_t* indices, std::size_t groups, std::size_t count) {
  if (indices == nullptr || groups == 0 || groups > count || indices[0] != 0) return false;
  for (std::size_t i = 1; i < groups; ++i) {
    if (indices[i] <= indices[i - 1] || indices[i] >= count) return false;
  }
  return true;
}

/// As with_context: batches are for all streams but the legacy default one, and for no graph. A
/// capture that is refused one goes on.
template <class Body>
CUresult with_batch_stream(CUstream handle, Body&& body,
                           const char* entry = __builtin_FUNCTION()) noexcept {
  return with_stream(
      handle,
      [&](const Stream& stream) -> CUresult {
        if (stream.in_capture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        return stream.kind() != StreamKind::Legacy ? body() : CUDA_ERROR_INVALID_VALUE;
      },
      entry);
}

}  // namespace pycuda::cpu::api
