// SPDX-License-Identifier: MIT
// A text that callers request twice: first its length, then its contents.
#pragma once

#include <cstring>
#include <mutex>
#include <string>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// Any thread.
class PendingText {
 public:
  /// Writes the text that is pending, or else what `make` makes, NUL-terminated, to `text` if that
  /// has room for it, and its length with the NUL to `bytes`. Where it has not, or `text` is null,
  /// the next call gives the same text again.
  template <class Make>
  CUresult give(char* text, size_t& bytes, Make make) {
    const std::lock_guard lock(mutex_);
    if (pending_.empty()) pending_ = make();
    const std::size_t whole = pending_.size() + 1;
    const bool fits = text != nullptr && bytes >= whole;
    if (fits) {
      std::memcpy(text, pending_.c_str(), whole);
      pending_.clear();
    }
    bytes = whole;
    return CUDA_SUCCESS;
  }

 private:
  std::mutex mutex_;  ///< protects `pending_`
  std::string pending_;
};

}  // namespace pycuda::cpu::api
