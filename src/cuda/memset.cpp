// SPDX-License-Identifier: MIT
// The driver's memsets, in the thread's context.
#include "cuda/memset.h"

#include "cuda/capturing.h"
#include "cuda/context_stack.h"

namespace pycuda::cuda {

void fill(CUdeviceptr destination, std::uint8_t value, std::size_t count) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_async(destination, value, count, captured);
  }
  require_context()->driver().cuMemsetD8(destination, value, count);
}

void fill(CUdeviceptr destination, std::uint16_t value, std::size_t count) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_async(destination, value, count, captured);
  }
  require_context()->driver().cuMemsetD16(destination, value, count);
}

void fill(CUdeviceptr destination, std::uint32_t value, std::size_t count) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_async(destination, value, count, captured);
  }
  require_context()->driver().cuMemsetD32(destination, value, count);
}

void fill_async(CUdeviceptr destination, std::uint8_t value, std::size_t count, CUstream stream) {
  require_context()->driver().cuMemsetD8Async(destination, value, count, stream_for_work(stream));
}

void fill_async(CUdeviceptr destination, std::uint16_t value, std::size_t count, CUstream stream) {
  require_context()->driver().cuMemsetD16Async(destination, value, count, stream_for_work(stream));
}

void fill_async(CUdeviceptr destination, std::uint32_t value, std::size_t count, CUstream stream) {
  require_context()->driver().cuMemsetD32Async(destination, value, count, stream_for_work(stream));
}

void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint8_t value,
             std::size_t width, std::size_t height) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_2d_async(destination, pitch_bytes, value, width, height, captured);
  }
  require_context()->driver().cuMemsetD2D8(destination, pitch_bytes, value, width, height);
}

void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint16_t value,
             std::size_t width, std::size_t height) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_2d_async(destination, pitch_bytes, value, width, height, captured);
  }
  require_context()->driver().cuMemsetD2D16(destination, pitch_bytes, value, width, height);
}

void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint32_t value,
             std::size_t width, std::size_t height) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_2d_async(destination, pitch_bytes, value, width, height, captured);
  }
  require_context()->driver().cuMemsetD2D32(destination, pitch_bytes, value, width, height);
}

void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint8_t value,
                   std::size_t width, std::size_t height, CUstream stream) {
  require_context()->driver().cuMemsetD2D8Async(destination, pitch_bytes, value, width, height,
                                                stream_for_work(stream));
}

void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint16_t value,
                   std::size_t width, std::size_t height, CUstream stream) {
  require_context()->driver().cuMemsetD2D16Async(destination, pitch_bytes, value, width, height,
                                                 stream_for_work(stream));
}

void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint32_t value,
                   std::size_t width, std::size_t height, CUstream stream) {
  require_context()->driver().cuMemsetD2D32Async(destination, pitch_bytes, value, width, height,
                                                 stream_for_work(stream));
}

}  // namespace pycuda::cuda
