// SPDX-License-Identifier: MIT
// The arrays of options and the log buffers.
#include "cuda/jit_options.h"

#include <cstring>
#include <stdexcept>

namespace pycuda::cuda {
namespace {

constexpr std::size_t kLogBytes = std::size_t{32} * 1024;

std::string text_of(const std::vector<char>& buffer) {
  return std::string(buffer.data(), ::strnlen(buffer.data(), buffer.size()));
}

}  // namespace

JitCall::JitCall(const JitOptions& options) : information_(kLogBytes), errors_(kLogBytes) {
  // The driver takes numbers as pointers of that value.
  const auto add = [this](CUjit_option key, std::uintptr_t value) {
    keys_.push_back(key);
    values_.push_back(reinterpret_cast<void*>(value));
  };
  add(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(information_.data()));
  add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, kLogBytes);
  add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(errors_.data()));
  add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, kLogBytes);
  for (const auto& [key, value] : options) {
    switch (key) {
      case CU_JIT_INFO_LOG_BUFFER:
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      case CU_JIT_ERROR_LOG_BUFFER:
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        throw std::invalid_argument("the options for log buffers are set by this library");
      default:
        add(key, value);
    }
  }
}

JitLog JitCall::log() const { return {text_of(information_), text_of(errors_)}; }

}  // namespace pycuda::cuda
