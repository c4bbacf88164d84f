// SPDX-License-Identifier: MIT
// The driver's memsets, in the thread's context.
#include "cuda/memset.h"

#include <cstdint>
#include <string>

#include "cuda/capturing.h"
#include "cuda/context_stack.h"
#include "cuda/device_memory.h"

namespace pycuda::cuda {
namespace {

std::string misaligned(CUdeviceptr destination, std::size_t element_bytes) {
  if (destination % element_bytes == 0) return {};
  return "the address is no multiple of the element's " + std::to_string(element_bytes) + " bytes";
}

[[noreturn]] void refuse(const driver::Slot& entry, CUresult code, CUdeviceptr destination,
                         std::size_t element_bytes, std::size_t count) {
  if (code != CUDA_ERROR_INVALID_VALUE) throw entry.error(code);
  const std::string why = misaligned(destination, element_bytes);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, element_bytes, &bytes)) bytes = SIZE_MAX;
  throw entry.error(code, why.empty() ? refusal(destination, bytes) : why);
}

[[noreturn]] void refuse_rows(const driver::Slot& entry, CUresult code, CUdeviceptr destination,
                              std::size_t pitch_bytes, std::size_t element_bytes, std::size_t width,
                              std::size_t height) {
  std::string why;
  if (code == CUDA_ERROR_INVALID_VALUE) {
    why = misaligned(destination | pitch_bytes, element_bytes);
    if (why.empty()) {
      why = std::to_string(height) + " rows of " + std::to_string(width) + " elements of " +
            std::to_string(element_bytes) + " bytes, " + std::to_string(pitch_bytes) +
            " bytes from row to row";
    }
  }
  throw entry.error(code, why);
}

template <class Value, class Set, class... Queue>
void set(const Set& entry, CUdeviceptr destination, Value value, std::size_t count,
         Queue... queue) {
  const CUresult code = entry.status(destination, value, count, queue...);
  if (code != CUDA_SUCCESS) refuse(entry, code, destination, sizeof(Value), count);
}

template <class Value, class Set, class... Queue>
void set_rows(const Set& entry, CUdeviceptr destination, std::size_t pitch_bytes, Value value,
              std::size_t width, std::size_t height, Queue... queue) {
  const CUresult code = entry.status(destination, pitch_bytes, value, width, height, queue...);
  if (code != CUDA_SUCCESS)
    refuse_rows(entry, code, destination, pitch_bytes, sizeof(Value), width, height);
}

}  // namespace

void fill(CUdeviceptr destination, std::uint8_t value, std::size_t count) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_async(destination, value, count, captured);
  }
  set(require_context()->driver().cuMemsetD8, destination, value, count);
}

void fill(CUdeviceptr destination, std::uint16_t value, std::size_t count) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_async(destination, value, count, captured);
  }
  set(require_context()->driver().cuMemsetD16, destination, value, count);
}

void fill(CUdeviceptr destination, std::uint32_t value, std::size_t count) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_async(destination, value, count, captured);
  }
  set(require_context()->driver().cuMemsetD32, destination, value, count);
}

void fill_async(CUdeviceptr destination, std::uint8_t value, std::size_t count, CUstream stream) {
  set(require_context()->driver().cuMemsetD8Async, destination, value, count,
      stream_for_work(stream));
}

void fill_async(CUdeviceptr destination, std::uint16_t value, std::size_t count, CUstream stream) {
  set(require_context()->driver().cuMemsetD16Async, destination, value, count,
      stream_for_work(stream));
}

void fill_async(CUdeviceptr destination, std::uint32_t value, std::size_t count, CUstream stream) {
  set(require_context()->driver().cuMemsetD32Async, destination, value, count,
      stream_for_work(stream));
}

void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint8_t value,
             std::size_t width, std::size_t height) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_2d_async(destination, pitch_bytes, value, width, height, captured);
  }
  set_rows(require_context()->driver().cuMemsetD2D8, destination, pitch_bytes, value, width,
           height);
}

void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint16_t value,
             std::size_t width, std::size_t height) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_2d_async(destination, pitch_bytes, value, width, height, captured);
  }
  set_rows(require_context()->driver().cuMemsetD2D16, destination, pitch_bytes, value, width,
           height);
}

void fill_2d(CUdeviceptr destination, std::size_t pitch_bytes, std::uint32_t value,
             std::size_t width, std::size_t height) {
  if (CUstream captured = stream_for_work(nullptr); captured != nullptr) {
    return fill_2d_async(destination, pitch_bytes, value, width, height, captured);
  }
  set_rows(require_context()->driver().cuMemsetD2D32, destination, pitch_bytes, value, width,
           height);
}

void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint8_t value,
                   std::size_t width, std::size_t height, CUstream stream) {
  set_rows(require_context()->driver().cuMemsetD2D8Async, destination, pitch_bytes, value, width,
           height, stream_for_work(stream));
}

void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint16_t value,
                   std::size_t width, std::size_t height, CUstream stream) {
  set_rows(require_context()->driver().cuMemsetD2D16Async, destination, pitch_bytes, value, width,
           height, stream_for_work(stream));
}

void fill_2d_async(CUdeviceptr destination, std::size_t pitch_bytes, std::uint32_t value,
                   std::size_t width, std::size_t height, CUstream stream) {
  set_rows(require_context()->driver().cuMemsetD2D32Async, destination, pitch_bytes, value, width,
           height, stream_for_work(stream));
}

}  // namespace pycuda::cuda
