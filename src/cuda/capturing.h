// SPDX-License-Identifier: MIT
// What every operation asks about capture: where its work goes, and whether it may wait. Separate
// from the class, because every launch makes these tests.
#pragma once

#include <cstddef>

#include "cuda/context.h"

namespace pycuda::cuda {

namespace internal {

[[gnu::cold]] CUstream stream_in_capture(CUstream stream) noexcept;
[[gnu::cold]] void refuse_to_wait(const char* routine, const char* remedy);
[[gnu::cold]] bool is_captured(CUstream stream) noexcept;
[[gnu::cold]] const void* copy_for_graph(const void* value, std::size_t bytes, CUstream stream);

}  // namespace internal

/// Whether this thread has begun a capture that has not ended. The first test is the cheaper one.
inline bool thread_captures() noexcept {
  return any_capture() && internal::on_thread.capture != nullptr;
}

/// The stream for work that names `stream`: while this thread captures all that it does in the
/// current context, null means the captured stream. So does, in the body of a conditional node, the
/// stream whose capture the body is a part of.
inline CUstream stream_for_work(CUstream stream) noexcept {
  if (thread_captures()) [[unlikely]]
    return internal::stream_in_capture(stream);
  return stream;
}

/// For operations that wait until they are done: throws while this thread captures all that it does
/// in the current context: "cuMemcpyDtoH failed: operation not permitted when stream is capturing -
/// `remedy`".
inline void refuse_in_capture(const char* routine, const char* remedy) {
  if (thread_captures()) [[unlikely]]
    internal::refuse_to_wait(routine, remedy);
}

/// Whether work put into `stream` goes into a graph that this library captures, and not to the
/// device.
inline bool goes_into_graph(CUstream stream) noexcept {
  return any_capture() && internal::is_captured(stream);
}

/// For host memory that does not last, read by work in `stream`: the same bytes in the graph's
/// keeping where the stream is captured, else `value` itself, which the driver reads at once.
inline const void* lasting_copy(const void* value, std::size_t bytes, CUstream stream) {
  return any_capture() ? internal::copy_for_graph(value, bytes, stream) : value;
}

}  // namespace pycuda::cuda
